import { dirname, join, resolve } from "node:path";
import { GatewayError } from "#contract";
import { SECRET_KEY_FILE } from "../kernel/secrets/key-file-names.ts";
import type { Settings } from "../kernel/settings/settings.ts";
import { archivesOf, type StorageArchive } from "./archives.ts";
import { judgeHashes } from "./backup-hashes.ts";
import { type BackupNote, KEYS_FOLDER, readNote } from "./backup-note.ts";
import { inPlace, type RestorePart } from "./in-place.ts";
import { refused, replaceKeys, sealOf, secretIn } from "./key-copies.ts";
import { readFolderOptions } from "./options.ts";
import { SPOOL_FOLDER } from "../pipeline/settle/spool/spools.ts";
import { restoreSpool } from "./spool-copies.ts";

/** `gateway restore`: first everything is judged and made ready, then everything is put in place. */
export async function restore(args: readonly string[]): Promise<number> {
  const options = readFolderOptions("restore", args);
  const folder = resolve(options.folder);
  const { settings } = options;
  const note = readNote(folder);
  const { own, elsewhere } = await archivesOf(settings);
  refuseOtherStorage(note, own);
  refuseOtherSeal(note, folder, settings);
  const prepared = await prepare(own, folder, () => [spoolPart(note, folder, settings), keysPart(folder, settings)]);
  await judged(prepared, () => judgeHashes(folder, note.sha256 ?? {}));
  const aside = `replaced-${new Date().toISOString().replace(/[-:]|\.\d+/g, "")}-${process.pid}`;
  const kept = await inPlace(prepared, aside);
  return say(
    [
      `Restored what ${folder} holds, made at ${note.made_at}, into ${[...new Set(kept.map((path) => dirname(path)))].join(", ")}.`,
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
function refuseOtherSeal({ seal, keys }: BackupNote, folder: string, settings: Settings): void {
  if (seal === null) return;
  const secret = secretIn(join(folder, KEYS_FOLDER), settings) ?? secretIn(settings.dataDir, settings);
  if (secret !== undefined && sealOf(secret) === seal) return;
  if (secret === undefined && keys.includes(SECRET_KEY_FILE))
    throw refused(
      `${join(folder, KEYS_FOLDER, SECRET_KEY_FILE)} is missing: the backup was made with it, and nothing opens its secrets without`,
    );
  throw new GatewayError("SETTING_INVALID", {
    name: "GATEWAY_SECRET_KEY",
    value: secret === undefined ? "" : "***",
    why:
      secret === undefined
        ? "it is not set, and the backup holds no secret key; set the one that the backup was made with"
        : "the backup was made with another secret key; set the one it was made with",
  });
}

const spoolPart = ({ spool = 0 }: BackupNote, folder: string, { dataDir }: Settings): RestorePart => ({
  name: SPOOL_FOLDER,
  ...restoreSpool(folder, dataDir, spool),
});

const keysPart = (folder: string, { dataDir }: Settings): RestorePart => ({
  name: "the key files",
  replace: async (aside) => {
    const kept = join(dataDir, aside);
    replaceKeys(join(folder, KEYS_FOLDER), dataDir, kept);
    return kept;
  },
  discard: async () => undefined, // they are copied one by one, each whole
});

/** What has been made ready goes away again where the backup is refused after all. */
async function judged(prepared: readonly RestorePart[], judge: () => Promise<void>): Promise<void> {
  try {
    await judge();
  } catch (error) {
    for (const part of prepared) await part.discard();
    throw error;
  }
}

/** All or nothing is made ready. */
async function prepare(
  own: readonly StorageArchive[],
  folder: string,
  others: () => readonly RestorePart[],
): Promise<readonly RestorePart[]> {
  const prepared: RestorePart[] = [];
  try {
    for (const { id, name, config, archive } of own)
      prepared.push({ name, ...(await archive.restore(config, join(folder, id), (line) => console.log(`${name}  ${line}`))) });
    return [...prepared, ...others()];
  } catch (error) {
    for (const part of prepared) await part.discard();
    throw error;
  }
}
