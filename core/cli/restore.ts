import { join, resolve } from "node:path";
import { GatewayError, type PreparedRestore } from "#contract";
import type { Settings } from "../kernel/settings/settings.ts";
import { archivesOf, type StorageArchive } from "./archives.ts";
import { type BackupNote, KEYS_FOLDER, readNote } from "./backup-note.ts";
import { refused, replaceKeys, sealOf, secretIn } from "./key-copies.ts";
import { readFolderOptions } from "./options.ts";
import { restoreSpool } from "./spool-copies.ts";

const HELP = `gateway restore <folder> [--profile <p>]

Puts the copy that "gateway backup" made in the place of what the data folder holds. Before anything is touched, the copy
is checked (every page of its databases, every blob, that this build understands it, that the secret key is the one it was
made with), and the command refuses while a gateway uses the data folder. What is replaced is kept in a folder beside it, also
the log records that waited on disk for their store (spool): the gateway writes those that the copy holds.

Give it the same environment as the gateway (GATEWAY_DATA_DIR, GATEWAY_PROFILE, GATEWAY_SECRET_KEY).`;

/** `gateway restore`: first everything is judged and made ready, then everything is put in place. */
export async function restore(args: readonly string[]): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) return say(HELP);
  const options = readFolderOptions("restore", args);
  const folder = resolve(options.folder);
  const { settings } = options;
  const note = readNote(folder);
  const { own, elsewhere } = await archivesOf(settings);
  refuseOtherStorage(note, own);
  refuseOtherSeal(note, folder, settings);
  const prepared = await prepare(own, folder, (): PreparedRestore => restoreSpool(folder, settings.dataDir, note.spool ?? 0));
  const aside = `replaced-${new Date().toISOString().replace(/[-:]|\.\d+/g, "")}-${process.pid}`;
  const kept = await inPlace(prepared, aside);
  replaceKeys(join(folder, KEYS_FOLDER), settings.dataDir, join(settings.dataDir, aside));
  return say(
    [
      `Restored what ${folder} holds, made at ${note.made_at}.`,
      ...elsewhere,
      `What was there before is in ${[...new Set(kept)].join(", ")}; remove it when you no longer need it.`,
      "Start the gateway.",
    ].join("\n"),
  );
}

const say = (text: string): 0 => {
  console.log(text);
  return 0;
};

function refuseOtherStorage({ storage }: BackupNote, own: readonly StorageArchive[]): void {
  const ours = own.map(({ id }) => id);
  if ([...storage].sort().join() === [...ours].sort().join()) return;
  throw refused(
    `the backup was made of the storage ${storage.join(", ")}, and this deployment uses ${ours.join(", ")}; use the profile it was made with`,
  );
}

/** Sealed secrets and digested keys are of use with the same secret only. */
function refuseOtherSeal({ seal }: BackupNote, folder: string, settings: Settings): void {
  if (seal === null) return;
  const secret = secretIn(join(folder, KEYS_FOLDER), settings) ?? secretIn(settings.dataDir, settings);
  if (secret !== undefined && sealOf(secret) === seal) return;
  throw new GatewayError("SETTING_INVALID", {
    name: "GATEWAY_SECRET_KEY",
    value: secret === undefined ? "" : "***",
    why: "the backup was made with another secret key; set the one it was made with",
  });
}

/** What could not be put in place is not left lying about. */
async function inPlace(prepared: readonly PreparedRestore[], aside: string): Promise<readonly string[]> {
  const kept: string[] = [];
  try {
    for (const part of prepared) kept.push(await part.replace(aside));
    return kept;
  } catch (error) {
    if (kept.length === 0) for (const part of prepared) await part.discard();
    throw error;
  }
}

/** All or nothing is made ready. */
async function prepare(own: readonly StorageArchive[], folder: string, spool: () => PreparedRestore): Promise<readonly PreparedRestore[]> {
  const prepared: PreparedRestore[] = [];
  try {
    for (const { id, name, config, archive } of own)
      prepared.push(await archive.restore(config, join(folder, id), (line) => console.log(`${name}  ${line}`)));
    return [...prepared, spool()];
  } catch (error) {
    for (const part of prepared) await part.discard();
    throw error;
  }
}
