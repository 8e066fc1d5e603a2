import { closeSync, openSync, readSync, statSync } from "node:fs";
import { basename } from "node:path";
import { isWhole } from "./whole.ts";

/*
 * SQLite's locks are those of POSIX: whoever in this process opens and closes a database file beside SQLite drops them,
 * and network disks may lose them. Then any other program that closes the file takes itself for the last one and removes
 * the journal, and what is written into the removed journal is gone when the process ends. So the process looks whether
 * it still holds what it opened, and whether that is still as long as it was.
 */

export interface Watch {
  /** What whoever wants to write is told; `undefined` while all is well. */
  readonly lost: string | undefined;
  /** Whether the system shows this process's lock on the file. */
  readonly lock: "held" | "lost" | "not shown";
  /** Looks at the paths only: cheap enough before a write is acknowledged. */
  look(): void;
  close(): void;
}

const EVERY_MS = 1_000;

/**
 * To be called once the connection has read something: its lock and journal are there then. `onLoss` is called once, and
 * says what whoever wants to write is told from then on.
 */
export function watchFile(path: string, onLoss: (why: string) => string, everyMs = EVERY_MS): Watch {
  const [file, journal] = [look(path), look(`${path}-wal`)];
  const locked = isLocked(file?.inode);
  let lost: string | undefined;

  const lose = (why: string | undefined): void => {
    if (why === undefined || lost !== undefined) return;
    clearInterval(timer);
    lost = why;
    lost = onLoss(why);
  };
  const lookAtBoth = (): void => lose(noteChange(path, path, file) ?? noteChange(path, `${path}-wal`, journal));
  const timer = setInterval(() => {
    lookAtBoth();
    if (locked && !isLocked(file?.inode))
      lose(`this process's lock on ${basename(path)} is gone: something in it opened and closed the file`);
  }, everyMs);
  timer.unref();
  return {
    get lost() {
      return lost;
    },
    get lock() {
      if (!locked) return "not shown";
      return isLocked(file?.inode) ? "held" : "lost";
    },
    look: lookAtBoth,
    close: () => clearInterval(timer),
  };
}

/** A file in memory only: there is nothing to lose. */
export const UNWATCHED: Watch = { lost: undefined, lock: "not shown", look: () => undefined, close: () => undefined };

/** A file as it was looked at last. */
interface Looked {
  readonly inode: bigint;
  bytes: bigint;
}
/** `undefined` when there is none; `null` when the folder does not let one see. */
function look(path: string): Looked | undefined | null {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found && { inode: found.ino, bytes: found.size };
  } catch {
    return null;
  }
}

/**
 * A file may shrink by SQLite's own doing; it is lost only when the database is no longer whole. Remembers the size for the
 * next look.
 */
function noteChange(database: string, path: string, before: Looked | undefined | null): string | undefined {
  const now = look(path);
  if (now === null) return undefined;
  if (now?.inode !== before?.inode) return `another program has ${now ? "replaced" : "removed"} ${basename(path)} while it was open`;
  if (!now || !before) return undefined;
  if (now.bytes < before.bytes && !isWhole(database)) return `another program has cut ${basename(path)} short while it was open`;
  before.bytes = now.bytes;
  return undefined;
}

/** Linux lists all locks, of this process under its own number; elsewhere, and where they are hidden, nothing is listed. */
function isLocked(inode: bigint | undefined): boolean {
  return inode !== undefined && lockHolders(inode).includes(process.pid);
}

const LOCK = /POSIX +\S+ +(?:READ|WRITE) +(\d+) +[^ :]+:[^ :]+:(\d+) /g;

/** The processes that the system shows with a lock on the file. */
export function lockHolders(inode: bigint): readonly number[] {
  const holders = [...locksListed().matchAll(LOCK)].filter(([, , of]) => of === String(inode)).map(([, pid]) => Number(pid));
  return [...new Set(holders)];
}

/**
 * Read in large pieces: between two of them others take and leave locks, and one that stood on the seam is passed over.
 * `readFileSync` does not know how long the list is; Deno begins with 32 bytes.
 */
function locksListed(): string {
  let file: number | undefined;
  try {
    file = openSync("/proc/locks", "r");
    let text = "";
    for (let read = readSync(file, PIECE); read > 0; read = readSync(file, PIECE)) text += PIECE.toString("latin1", 0, read);
    return text;
  } catch {
    return ""; // not Linux
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
const PIECE = Buffer.alloc(64 * 1024);
