import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Database, open } from "./driver.ts";
import { isFilled } from "./emptied.ts";
import { cannotUse } from "./unusable.ts";

/*
 * What a process saved of a file it lost lies beside that file. Until an operator has put it in place, or away, the file
 * lacks what was acknowledged last: nobody goes on from it without having been told.
 */

const SAVED = ".saved-";
export const nameOfSaved = (path: string): string => `${path}${SAVED}${new Date().toISOString().replace(/[-:]|\.\d+/g, "")}-${process.pid}`;

/** Names of the copies of a file, oldest first. */
export const savedOf = (path: string): readonly string[] =>
  namesIn(dirname(path))
    .filter((name) => name.startsWith(basename(path) + SAVED))
    .sort();
const namesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : []);

/** Before the file is opened: a filled journal is not lost, and may hold all that the copy does. */
export function refuseOlder(path: string): void {
  const saved = savedOf(path).at(-1);
  if (saved === undefined || (isFilled(path) && isFilled(`${path}-wal`))) return;
  if (writtenAt(join(dirname(path), saved)) > writtenAt(path) || !isFilled(path)) throw behind(path, saved);
}
const writtenAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Once main.db is open: another program may have written to it since. Each change of a record has its number in the feed. */
export function refuseBehind(path: string, db: Database): void {
  for (const saved of savedOf(path)) if (lastChangeIn(join(dirname(path), saved)) > lastChange(db)) throw behind(path, saved);
}
function lastChangeIn(path: string): number {
  const db = open(path);
  try {
    return lastChange(db);
  } catch {
    return 0; // no database, or a damaged one: there is nothing in it to go on from
  } finally {
    db.close();
  }
}
const lastChange = (db: Database): number =>
  db.query<{ last: number }, []>(`select coalesce(max("id"), 0) as "last" from "_feed"`).get()?.last ?? 0;

const behind = (path: string, saved: string): Error => {
  const name = basename(path);
  return cannotUse(path, {
    why: `${saved} beside it holds what was written last, and ${name} does not`,
    remedy: `Stop every gateway of this folder, then put ${saved} in the place of ${name} (without ${name}-wal and ${name}-shm) to go on from there, or move it away to go on from ${name} as it is`,
  });
};
