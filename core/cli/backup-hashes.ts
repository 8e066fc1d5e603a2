import { createHash } from "node:crypto";
import { createReadStream, existsSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { NOTE_FILE } from "./backup-note.ts";
import { refused } from "./key-copies.ts";

/** SHA-256 of each file of a backup but its note, by its path in it. */
export type Hashes = Readonly<Record<string, string>>;

export async function hashesOf(folder: string): Promise<Hashes> {
  const hashes: Record<string, string> = {};
  for (const file of filesOf(folder)) hashes[file] = await hashOf(join(folder, file));
  return hashes;
}

/** Refuses a backup in which a file is gone, or is not as it was written. */
export async function judgeHashes(folder: string, hashes: Hashes): Promise<void> {
  for (const [file, hash] of Object.entries(hashes)) {
    const path = join(folder, file);
    if (!existsSync(path)) throw refused(`${path} is missing from the backup`);
    if ((await hashOf(path)) !== hash) throw refused(`${path} has been changed since the backup was made; take another backup`);
  }
}

const filesOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((file) => file !== NOTE_FILE)
    .sort();

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(piece as Uint8Array); // no encoding was set
  return hash.digest("hex");
}
