import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, statSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { GatewayError } from "#contract";
import type { SqliteConfig } from "./config.ts";
import { makePrivateFile, syncFile } from "./private-file.ts";
import { cannotUse, damaged, firstFlaw, opening } from "./unusable.ts";

type Tell = (line: string) => void;

/**
 * Each database is copied as one moment shows it, from a connection of this process and while others write. The blobs
 * are those that the copied index names: their files are written once and never changed.
 */
export async function backUp({ dir, busyTimeoutMs }: SqliteConfig, folder: string, tell: Tell): Promise<void> {
  const main = join(dir, "main.db");
  if (!existsSync(main)) throw new GatewayError("BACKUP_REFUSED", { why: `there is no ${main}; name the data folder in GATEWAY_DATA_DIR` });
  copyDatabase(main, join(folder, "main.db"), busyTimeoutMs, tell);
  await copyBlobs({ live: main, copy: join(folder, "main.db"), from: join(dir, "blobs"), to: join(folder, "blobs") }, tell);
  if (existsSync(join(dir, "logs.db"))) copyDatabase(join(dir, "logs.db"), join(folder, "logs.db"), busyTimeoutMs, tell);
}

function copyDatabase(path: string, copy: string, busyTimeoutMs: number, tell: Tell): void {
  tell(`${basename(path)}  copying ${sizeOf(path)}`);
  opening(path, () => {
    const db = open(path, busyTimeoutMs);
    makePrivateFile(copy);
    db.run("vacuum into ?", [copy]);
    db.close();
  });
  judgeCopy(copy);
  syncFile(copy);
  tell(`${basename(path)}  copied and checked, ${sizeOf(copy)}`);
}

function open(path: string, busyTimeoutMs: number): Database {
  const db = new Database(path, { readwrite: true });
  db.run(`pragma busy_timeout = ${busyTimeoutMs}`);
  return db;
}

/** A copy that cannot be put back is none. */
export function judgeCopy(path: string): void {
  const db = new Database(path, { readwrite: true });
  const flaw = opening(path, () => firstFlaw(db, "integrity_check"));
  db.close();
  if (flaw !== undefined) throw cannotUse(path, damaged(path, `its content is damaged (${flaw})`));
}

const UNITS = ["bytes", "KB", "MB", "GB", "TB"] as const;
function sizeOf(path: string): string {
  const bytes = statSync(path).size;
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${(bytes / 1024 ** unit).toFixed(unit === 0 ? 0 : 1)} ${UNITS[unit]}`;
}

interface BlobPlaces {
  readonly live: string;
  readonly copy: string;
  readonly from: string;
  readonly to: string;
}
interface Entry {
  readonly key: string;
  readonly file: string;
}
const PROGRESS_EVERY = 1_000;

/** A blob that was replaced or deleted since the index was copied is taken as it is now. */
async function copyBlobs({ live, copy, from, to }: BlobPlaces, tell: Tell): Promise<void> {
  mkdirSync(to, { mode: 0o700 });
  const [now, copied] = [open(live, 5_000), open(copy, 0)];
  const finding = now.prepare<Entry, [string]>(`select "key", "file" from "_blobs" where "key" = ?1`);
  const entries = copied.query<Entry, []>(`select "key", "file" from "_blobs"`).all();
  let done = 0;
  for (const entry of entries) {
    let current: Entry | null = entry;
    while (current !== null && !(await copyBlob(join(from, current.file), join(to, current.file))))
      current = laterThan(current, finding.get(entry.key), from);
    if (current === null) copied.run(`delete from "_blobs" where "key" = ?1`, [entry.key]);
    else if (current.file !== entry.file) copied.run(`update "_blobs" set "file" = ?1 where "key" = ?2`, [current.file, entry.key]);
    done += 1;
    if (done % PROGRESS_EVERY === 0) tell(`blobs  ${done} of ${entries.length}`);
  }
  finding.finalize();
  now.close();
  copied.close();
  syncFile(copy);
  syncFile(to);
  tell(`blobs  ${done} copied`);
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
