import { accessSync, constants } from "node:fs";
import { GatewayError, type StorageHandle } from "#contract";
import type { SqlWork } from "../tables/sql-work.ts";
import type { Fault } from "../tables/records.ts";
import { type Database, driver } from "./driver.ts";
import { isFilled } from "./emptied.ts";
import { makePrivate } from "./private-file.ts";
import { reasonOf } from "./unusable.ts";
import { UNWATCHED, type Watch } from "./watch.ts";

interface Pages {
  readonly bytes: number;
  /** Pages the journal holds before they are moved into the file. */
  readonly perCheckpoint: number;
}
const SMALL_PAGES: Pages = { bytes: 4_096, perCheckpoint: 1_000 };
/** For rows of many kilobytes that are only appended: half the CPU of small pages. */
export const LARGE_PAGES: Pages = { bytes: 32_768, perCheckpoint: 400 };

/**
 * When a commit is on the disk itself: `full` before it is acknowledged; `normal` some commits later, so that a loss of
 * power may take the last ones, and nothing else may.
 */
export type Synchronous = "full" | "normal";

/** Opens a database file, making it when missing; any number of processes may do so at once. */
export const openDatabase = (path: string, busyTimeoutMs: number, pages = SMALL_PAGES, synchronous: Synchronous = "normal"): Database => {
  makePrivate(path);
  const db = driver.open(path, { create: true });
  // First of all: switching to WAL needs a lock, and without the timeout a race of first starts fails at once.
  db.run(`pragma busy_timeout = ${busyTimeoutMs}`);
  if (isFilled(path))
    accessSync(path, constants.W_OK); // SQLite would open it to be read, and say so at the first write
  else {
    db.run(`pragma page_size = ${pages.bytes}`);
    // Lets pruned space be given back in small steps. On a filled file it would be a write, before anybody has judged the file.
    db.run("pragma auto_vacuum = incremental");
  }
  db.run("pragma journal_mode = wal");
  db.run(`pragma synchronous = ${synchronous}`);
  if (synchronous === "full") db.run("pragma fullfsync = on"); // macOS answers before the disk has it, unless told otherwise
  db.run(`pragma wal_autocheckpoint = ${pages.perCheckpoint}`);
  db.run("pragma journal_size_limit = 67108864");
  db.run("pragma cache_size = -16384"); // 16 MB once they are read: the indexes of a hundred thousand records, which lists count
  return db;
};

/** Runs migration work in one transaction, on a connection of its own and without giving way to other code. */
export const runUnderLock = (path: string, busyTimeoutMs: number, work: SqlWork, pages = SMALL_PAGES): void =>
  guardSync("records", () => {
    const db = openDatabase(path, busyTimeoutMs, pages, "full");
    try {
      inTransaction(db, () => drive(db, work));
    } finally {
      db.close();
    }
  });

/** `begin immediate`: the write lock is taken at once, so that nothing read in between can have changed. */
export const inTransaction = <R>(db: Database, work: () => R): R => {
  db.query("begin immediate").run(); // kept prepared by the connection
  try {
    const result = work();
    db.query("commit").run();
    return result;
  } catch (error) {
    // SQLite has rolled back by itself after some errors, a full disk for one.
    if (db.inTransaction) db.run("rollback");
    throw error;
  }
};

const drive = (db: Database, work: SqlWork): void => {
  let step = work.next();
  while (step.done !== true) {
    const { sql, parameters } = step.value;
    let rows: Readonly<Record<string, unknown>>[] = [];
    try {
      if (parameters === undefined) db.run(sql);
      else rows = db.query<Record<string, unknown>, (string | number)[]>(sql).all(...parameters);
    } catch (error) {
      step = work.throw(faultOf(error) === "unavailable" ? unavailable("records", error) : error);
      continue;
    }
    step = work.next(rows);
  }
};

const TAKEN: ReadonlySet<string> = new Set(["SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY"]);
/** Result codes that mean the file cannot be used just now, not that a statement was wrong. */
const AWAY = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|CORRUPT|NOTADB|NOMEM|PROTOCOL|PERM|AUTH)/;

export const faultOf = (error: unknown): Fault => {
  const code = driver.codeOf(error) ?? "";
  if (TAKEN.has(code)) return "conflict";
  return AWAY.test(code) ? "unavailable" : "other";
};

/** A database with a door: prepared statements would go on answering after `close`. */
export interface Connection {
  readonly db: Database;
  /** Throws STORAGE_UNAVAILABLE once the connection is closed. */
  alive(handle: StorageHandle): void;
  /** Throws STORAGE_UNAVAILABLE once the file is lost to this process; asked before and after each write. */
  writable(handle: StorageHandle): void;
  /** Reads; says STORAGE_UNAVAILABLE where SQLite says that the file cannot be used. */
  run<R>(handle: StorageHandle, work: () => R): R;
  /** Writes, and answers only for a file that is still this process's. */
  write<R>(handle: StorageHandle, work: () => R): R;
  close(): void;
}

export const connect = (path: string, busyTimeoutMs: number): Connection =>
  connectionTo(openAndRead(path, busyTimeoutMs, "full"), "full", UNWATCHED);

/** Once a database was read, this process holds its lock on the file. */
export const openAndRead = (path: string, busyTimeoutMs: number, synchronous: Synchronous): Database =>
  guardSync("records", () => {
    const db = openDatabase(path, busyTimeoutMs, SMALL_PAGES, synchronous);
    db.query(`select 1 from "sqlite_master"`).get();
    return db;
  });

/** With `full`, the paths of the file are looked at before each write is acknowledged; else the watch's timer has to do. */
export const connectionTo = (db: Database, synchronous: Synchronous, watch: Watch): Connection => {
  let open = true;
  const alive = (handle: StorageHandle): void => {
    if (!open) throw unavailable(handle, new Error("the database was closed"));
  };
  const writable = (handle: StorageHandle): void => {
    if (synchronous === "full") watch.look();
    if (watch.lost !== undefined) throw new GatewayError("STORAGE_UNAVAILABLE", { handle, why: watch.lost });
  };
  return {
    db,
    alive,
    writable,
    run: (handle, work) => {
      alive(handle);
      return guardSync(handle, work);
    },
    write: (handle, work) => {
      alive(handle);
      writable(handle);
      const result = guardSync(handle, work);
      writable(handle);
      return result;
    },
    close: () => {
      open = false;
      db.close();
    },
  };
};

const unavailable = (handle: StorageHandle, cause: unknown): GatewayError =>
  new GatewayError("STORAGE_UNAVAILABLE", { handle, why: reasonOf(cause) }, { cause });

const guardSync = <R>(handle: StorageHandle, work: () => R): R => {
  try {
    return work();
  } catch (error) {
    throw faultOf(error) === "unavailable" ? unavailable(handle, error) : error;
  }
};
