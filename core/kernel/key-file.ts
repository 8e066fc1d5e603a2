import { randomUUID } from "node:crypto";
import { existsSync, linkSync, renameSync, unlinkSync, writeFileSync } from "node:fs";

/**
 * Makes a secret file (mode 0600) unless it is there; says whether it made it. The file appears whole, so that of two
 * processes starting at once both read the same secret.
 */
export function createOnce(file: string, content: string): boolean {
  if (existsSync(file)) return false;
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, `${content}\n`, { mode: 0o600, flag: "wx" });
  try {
    linkSync(draft, file); // unlike a rename, fails when another process was first
    return true;
  } catch (error) {
    if (existsSync(file)) return false;
    throw error;
  } finally {
    unlinkSync(draft);
  }
}

/** Puts another secret in the file's place, whole. */
export function replace(file: string, content: string): void {
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, `${content}\n`, { mode: 0o600, flag: "wx" });
  renameSync(draft, file);
}
