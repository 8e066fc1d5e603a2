import { statSync } from "node:fs";
import { open } from "./driver.ts";
import { isFilled } from "./emptied.ts";
import { codeOf, firstFlaw, isDamage } from "./unusable.ts";

/** Larger files are not read whole while requests wait. */
const READ_BYTES = 64 * 1024 * 1024;

/**
 * Is all of the database there, in the file and its journal? Asked through a connection of its own, whose cache holds
 * nothing yet; an empty file is never opened, for SQLite would throw its journal away.
 */
export function isWhole(path: string): boolean {
  if (!isFilled(path)) return false;
  if (statSync(path).size > READ_BYTES) return true; // not known; whoever reads what is missing is told
  const db = open(path);
  try {
    return firstFlaw(db, "quick_check") === undefined;
  } catch (error) {
    return !isDamage(codeOf(error));
  } finally {
    db.close();
  }
}
