import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";

/*
 * SQLite's locks are those of POSIX: whoever in this process opens and closes a database file beside SQLite drops them,
 * and network disks may lose them. Then any other program that closes the file takes itself for the last one and removes
 * the journal, and what is written into the removed journal is gone when the process ends. So the process looks whether
 * it still holds what it opened.
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
  const file = inodeOf(path);
  const journal = inodeOf(`${path}-wal`);
  const locked = isLocked(file);
  let lost: string | undefined;

  const lose = (why: string | undefined): void => {
    if (why === undefined || lost !== undefined) return;
    clearInterval(timer);
    lost = why;
    lost = onLoss(why);
  };
  const look = (): void => lose(replaced(path, file) ?? replaced(`${path}-wal`, journal));
  const timer = setInterval(() => {
    look();
    if (locked && !isLocked(file)) lose(`this process's lock on ${basename(path)} is gone: something in it opened and closed the file`);
  }, everyMs);
  timer.unref();
  return {
    get lost() {
      return lost;
    },
    get lock() {
      if (!locked) return "not shown";
      return isLocked(file) ? "held" : "lost";
    },
    look,
    close: () => clearInterval(timer),
  };
}

/** A file in memory only: there is nothing to lose. */
export const UNWATCHED: Watch = { lost: undefined, lock: "not shown", look: () => undefined, close: () => undefined };

/** `undefined` when there is none; `null` when the folder does not let one see. */
function inodeOf(path: string): bigint | undefined | null {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
  } catch {
    return null;
  }
}

function replaced(path: string, before: bigint | undefined | null): string | undefined {
  const now = inodeOf(path);
  if (now === before || now === null) return undefined;
  return `another program has ${now === undefined ? "removed" : "replaced"} ${basename(path)} while it was open`;
}

/** Linux lists all locks, of this process under its own number; elsewhere, and where they are hidden, nothing is listed. */
function isLocked(inode: bigint | undefined | null): boolean {
  return inode !== undefined && inode !== null && lockHolders(inode).includes(process.pid);
}

const LOCK = /POSIX +\S+ +(?:READ|WRITE) +(\d+) +[^ :]+:[^ :]+:(\d+) /g;

/** The processes that the system shows with a lock on the file. */
export function lockHolders(inode: bigint): readonly number[] {
  const holders = [...locksListed().matchAll(LOCK)].filter(([, , of]) => of === String(inode)).map(([, pid]) => Number(pid));
  return [...new Set(holders)];
}

function locksListed(): string {
  try {
    return readFileSync("/proc/locks", "utf8");
  } catch {
    return ""; // not Linux
  }
}
