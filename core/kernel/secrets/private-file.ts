/* The embedded store has these two of its own: a plugin imports nothing of the core, and the contract does no I/O. */

import { closeSync, fsyncSync, openSync } from "node:fs";

/** Makes an empty file that only this user may read; fails when there is one. */
export const makePrivate = (path: string): void => closeSync(openSync(path, "wx", 0o600));

/** What a file or folder holds survives a loss of power from here on. */
export function syncPath(path: string): void {
  if (process.platform === "win32") return; // it opens no folders, and syncs only what was opened to be written
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
