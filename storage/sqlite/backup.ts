import { statSync } from "node:fs";
import { basename, join } from "node:path";
import { GatewayError } from "#contract";
import { copyBlobs } from "./backup-blobs.ts";
import type { SqliteConfig } from "./config.ts";
import { type Database, driver } from "./driver.ts";
import { hasRecords, isFilled, refuseEmptied } from "./emptied.ts";
import { makePrivateFile, syncFile } from "./private-file.ts";
import { refuseBehind, refuseOlder } from "./saved.ts";
import { cannotUse, damaged, firstFlaw, opening } from "./unusable.ts";

type Tell = (line: string) => void;

/** Each database is copied as one moment shows it, from a connection of this process and while others write. */
export async function backUp({ dir, busyTimeoutMs }: SqliteConfig, folder: string, tell: Tell): Promise<void> {
  const [main, logs] = [join(dir, "main.db"), join(dir, "logs.db")];
  for (const path of [main, logs]) refuseOlder(path);
  refuseEmptied(main, isFilled(logs) ? "logs.db" : undefined);
  refuseUnmade(main, "name the data folder in GATEWAY_DATA_DIR");
  refuseEmptied(logs, holdsRecords(main, busyTimeoutMs) ? "main.db" : undefined);
  refuseUnmade(logs, "it is made while a gateway starts: start it, or wait until it has started, and try again");
  copyDatabase(main, join(folder, "main.db"), busyTimeoutMs, tell);
  const [live, copied] = [open(main, busyTimeoutMs), open(join(folder, "main.db"), 0)];
  await copyBlobs({ live, copied, from: join(dir, "blobs"), to: join(folder, "blobs") }, tell);
  refuseBehind(main, copied);
  for (const db of [live, copied]) db.close();
  syncFile(join(folder, "main.db"));
  copyDatabase(logs, join(folder, "logs.db"), busyTimeoutMs, tell);
}

/** A copy that lacks one of the databases could not be put back whole. */
function refuseUnmade(path: string, remedy: string): void {
  if (isFilled(path)) return;
  throw new GatewayError("BACKUP_REFUSED", { why: `there is no ${path}, or nothing in it; ${remedy}` });
}

function holdsRecords(path: string, busyTimeoutMs: number): boolean {
  return opening(path, () => {
    const db = open(path, busyTimeoutMs);
    try {
      return hasRecords(db);
    } finally {
      db.close();
    }
  });
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
  const db = driver.open(path);
  db.run(`pragma busy_timeout = ${busyTimeoutMs}`);
  return db;
}

/** A copy that cannot be put back is none. */
export function judgeCopy(path: string): void {
  const db = driver.open(path);
  const flaw = opening(path, () => firstFlaw(db, "integrity_check"));
  db.close();
  if (flaw !== undefined) throw cannotUse(path, damaged(path, `its content is damaged (${flaw})`));
}

/** With what its journal holds. */
const sizeOf = (path: string): string =>
  inUnits([path, `${path}-wal`].reduce((bytes, file) => bytes + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0));

const UNITS = ["bytes", "KB", "MB", "GB", "TB"] as const;
function inUnits(bytes: number): string {
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${(bytes / 1024 ** unit).toFixed(unit === 0 ? 0 : 1)} ${UNITS[unit]}`;
}
