import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { SECRET_KEY_FILE } from "../kernel/secrets/key-file-names.ts";
import { syncPath } from "../kernel/secrets/private-file.ts";
import type { Settings } from "../kernel/settings/settings.ts";
import { SPOOL_FOLDER } from "../pipeline/settle/spool/spools.ts";
import { type Archives, archivesOf } from "./archives.ts";
import { type BackupNote, KEYS_FOLDER, NOTE_FILE } from "./backup-note.ts";
import { hashesOf } from "./backup-hashes.ts";
import { copyKeys, refused, sealOf, secretIn } from "./key-copies.ts";
import { readFolderOptions } from "./options.ts";
import { copySpool } from "./spool-copies.ts";

/** `gateway backup`: everything is written beside its place under another name, and appears by one rename. */
export async function backup(args: readonly string[]): Promise<number> {
  const options = readFolderOptions("backup", args);
  const folder = resolve(options.folder);
  const { settings } = options;
  refuseTaken(folder);
  const archives = await archivesOf(settings);
  const startedAt = performance.now();
  const partial = `${folder}.partial`;
  makeFolder(partial);
  try {
    const note = await fill(partial, settings, archives);
    renameSync(partial, folder);
    syncPath(dirname(folder));
    return say(summary(folder, note, archives, (performance.now() - startedAt) / 1000));
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw error;
  }
}

const say = (text: string): 0 => {
  console.log(text);
  return 0;
};

function refuseTaken(folder: string): void {
  if (existsSync(folder) && !isEmptyFolder(folder)) throw refused(`${folder} is there already; name a new folder`);
  if (existsSync(`${folder}.partial`))
    throw refused(`${folder}.partial is there: a backup into it is being made, or was interrupted; remove it, or name another folder`);
}
function isEmptyFolder(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch {
    return false; // a file
  }
}

function makeFolder(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  mkdirSync(path, { mode: 0o700 });
}

async function fill(folder: string, settings: Settings, { own }: Archives): Promise<BackupNote> {
  const waiting = (): number => copySpool(settings.dataDir, join(folder, SPOOL_FOLDER));
  waiting(); // before the logs: what is written to them meanwhile is in both, and counts once
  for (const { id, name, config, archive } of own) {
    makeFolder(join(folder, id));
    await archive.backUp(config, join(folder, id), (line) => console.log(`${name}  ${line}`));
    syncPath(join(folder, id));
  }
  const spool = waiting(); // what went to disk meanwhile
  makeFolder(join(folder, KEYS_FOLDER));
  const keys = copyKeys(settings.dataDir, join(folder, KEYS_FOLDER));
  const secret = secretIn(settings.dataDir, settings);
  const seal = secret === undefined ? null : sealOf(secret);
  const storage = own.map(({ id }) => id);
  const sha256 = await hashesOf(folder);
  const note: BackupNote = { form: 1, made_at: new Date().toISOString(), storage, seal, keys: [...keys], sha256, spool };
  writeFileSync(join(folder, NOTE_FILE), `${JSON.stringify(note, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  for (const path of [join(folder, NOTE_FILE), join(folder, KEYS_FOLDER), folder]) syncPath(path);
  return note;
}

function summary(folder: string, { keys, spool }: BackupNote, { elsewhere }: Archives, seconds: number): string {
  return [
    ...(spool ? [`spool  ${spool} files of log records that wait for their store`] : []),
    `key files  ${keys.join(", ") || "none"}`,
    ...elsewhere,
    keys.includes(SECRET_KEY_FILE)
      ? `It holds ${SECRET_KEY_FILE}, which opens every sealed secret in it: keep it as safe as the data folder.`
      : "The secret key is not in it: without the same GATEWAY_SECRET_KEY, the secrets and keys in it are lost. Keep that elsewhere.",
    `Done in ${seconds.toFixed(1)} s: ${folder}`,
    `Put it back with: gateway restore ${folder}`,
  ].join("\n");
}
