import { existsSync, mkdirSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "./driver.ts";
import { syncFile } from "./private-file.ts";
import { cannotUse } from "./unusable.ts";

export interface BlobPlaces {
  /** The index as it is now, and as it was copied. */
  readonly live: Database;
  readonly copied: Database;
  /** Folders. */
  readonly from: string;
  readonly to: string;
}
interface Entry {
  readonly key: string;
  readonly file: string;
  readonly bytes: number;
}
const PROGRESS_EVERY = 1_000;

/**
 * Copies the files that the copied index names; each is written once and never changed. A blob that was replaced or deleted
 * since is taken as it is now.
 */
export async function copyBlobs({ live, copied, from, to }: BlobPlaces, tell: (line: string) => void): Promise<void> {
  mkdirSync(to, { mode: 0o700 });
  const finding = live.prepare<Entry, [string]>(`select "key", "file", "bytes" from "_blobs" where "key" = ?1`);
  const entries = copied.query<Entry, []>(`select "key", "file", "bytes" from "_blobs"`).all();
  for (const [done, entry] of entries.entries()) {
    let current: Entry | null = entry;
    while (current !== null && !(await copyBlob(join(from, current.file), join(to, current.file))))
      current = laterThan(current, finding.get(entry.key), from);
    if (current !== entry) correct(copied, entry.key, current);
    if ((done + 1) % PROGRESS_EVERY === 0) tell(`blobs  ${done + 1} of ${entries.length}`);
  }
  finding.finalize();
  syncFile(to);
  tell(`blobs  ${entries.length} copied`);
}

function correct(copied: Database, key: string, current: Entry | null): void {
  if (current === null) copied.run(`delete from "_blobs" where "key" = ?1`, [key]);
  else copied.run(`update "_blobs" set "file" = ?1, "bytes" = ?2 where "key" = ?3`, [current.file, current.bytes, key]);
}

/** The same file again, though it is not there: it is lost, and a copy without it would not be whole. */
function laterThan(before: Entry, now: Entry | null, from: string): Entry | null {
  if (now?.file !== before.file) return now;
  throw cannotUse(join(from, before.file), {
    why: `it is the file of the blob ${before.key} and is missing`,
    remedy: "Put it back from an earlier backup, or delete that blob through the API, then make the backup again",
  });
}

/** `false` when there is no such file (any more). */
async function copyBlob(from: string, to: string): Promise<boolean> {
  if (!existsSync(from)) return false;
  try {
    await copyFile(from, to);
  } catch (error) {
    if (existsSync(from)) throw error;
    return false;
  }
  syncFile(to);
  return true;
}
