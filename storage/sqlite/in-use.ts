import { statSync } from "node:fs";
import { join } from "node:path";
import { GatewayError } from "#contract";
import { type Database, open } from "./driver.ts";
import { isFilled } from "./emptied.ts";
import { codeOf } from "./unusable.ts";
import { lockHolders } from "./watch.ts";

/** Files on which an open database holds a lock. */
const LOCKED = ["main.db", "main.db-shm", "logs.db", "logs.db-shm"] as const;

/** Throws while any process has the databases open; else holds them closed to others until `release`. */
export function holdFree(dir: string): { release(): void } {
  const held: Database[] = [];
  const release = (): void => {
    for (const db of held) db.close(true);
  };
  try {
    refuseHolders(
      dir,
      LOCKED.flatMap((name) => holdersOf(join(dir, name))),
    );
    for (const name of ["main.db", "logs.db"]) if (isDatabase(join(dir, name))) held.push(openAlone(dir, join(dir, name)));
  } catch (error) {
    release();
    throw error;
  }
  return { release };
}

/** An empty file is none: nobody can have it locked, and opening it would throw its journal away. */
const isDatabase = (path: string): boolean => isFilled(path) && statSync(path).isFile();
const holdersOf = (path: string): readonly number[] => {
  const inode = statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
  return inode === undefined ? [] : lockHolders(inode);
};

function refuseHolders(dir: string, holders: readonly number[]): void {
  if (holders.length === 0) return;
  throw inUse(dir, `process ${[...new Set(holders)].join(", ")}`);
}

const inUse = (dir: string, who: string): GatewayError =>
  new GatewayError("BACKUP_REFUSED", {
    why: `the data folder ${dir} is in use by ${who}; stop that gateway first, then run the command again`,
  });

/** In this mode SQLite opens a database only when nobody else has, on any system. A file it cannot read, nobody can have open. */
function openAlone(dir: string, path: string): Database {
  const db = open(path);
  db.run("pragma busy_timeout = 0");
  try {
    db.run("pragma locking_mode = exclusive");
    db.run("begin exclusive");
    db.run("rollback");
  } catch (error) {
    if (!/BUSY|LOCKED/.test(codeOf(error))) return db;
    db.close(true);
    throw inUse(dir, "another process");
  }
  return db;
}
