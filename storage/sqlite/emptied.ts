import { statSync } from "node:fs";
import { basename } from "node:path";
import type { Database } from "./driver.ts";
import { backToBackup, cannotUse, damaged } from "./unusable.ts";

/*
 * SQLite takes a file that is missing or empty for a new one and throws its journal away, though that may hold all that
 * was ever acknowledged. So nobody opens such a file.
 */

export const isFilled = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;

/**
 * `beside`: a file known to be filled later than this one; if it is filled and this one is empty, this one was emptied. The
 * journal is looked at before the file, because SQLite fills the file first.
 */
export function refuseEmptied(path: string, beside: string | undefined): void {
  const journal = isFilled(`${path}-wal`);
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size !== undefined && size > 0) return;
  const how = size === undefined ? "missing" : "empty";
  if (journal) throw cannotUse(path, { why: `it is ${how}, and ${keptBy(path)}`, remedy: `${remedyFor(path)}. ${backToBackup(path)}` });
  if (size === 0 && beside !== undefined) throw cannotUse(path, damaged(path, `it is empty, and ${beside} beside it is not`));
}
const keptBy = (path: string): string =>
  `${basename(path)}-wal beside it still holds what was written last, which a start without ${basename(path)} would throw away`;
const remedyFor = (path: string): string =>
  `Put ${basename(path)} as it was back beside its journal (from a snapshot of the disk, or from where it was moved to)`;

/** The first record is written once logs.db is filled. */
export function hasRecords(db: Database): boolean {
  const tables = db.query<{ name: string }, []>(`select "name" from "sqlite_master" where "type" = 'table'`).all();
  const ofRecords = tables.filter(({ name }) => !/^(_|sqlite_)/.test(name)); // the others are the store's own, and SQLite's
  return ofRecords.some(({ name }) => db.query(`select 1 from "${name}" limit 1`).get() !== null);
}
