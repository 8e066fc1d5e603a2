import { chmodSync, closeSync, fsyncSync, openSync, statSync } from "node:fs";

/** Makes an empty file that only the gateway's own user may read; fails when there is one. */
export const makePrivateFile = (path: string): void => closeSync(openSync(path, "wx", 0o600));

/**
 * Prompts and sealed keys are nobody else's to read, whatever folder the operator chose. SQLite gives its side files the
 * same mode. A file that is there is never opened: closing it again would drop the locks this process holds on it.
 */
export function makePrivate(path: string): void {
  if (path === ":memory:") return;
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) makePrivateFile(path);
    else if (found.isFile() && (found.mode & 0o077) !== 0) chmodSync(path, found.mode & 0o700);
  } catch {
    // of another user, made by another process just now, or none that can be made: opening it says what is wrong
  }
}

/** What is written survives a loss of power from here on; also for a folder, whose names are what it holds. */
export function syncFile(path: string): void {
  if (process.platform === "win32") return; // it opens no folders, and syncs only what was opened to be written
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
