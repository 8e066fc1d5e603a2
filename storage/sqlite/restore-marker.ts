import { existsSync } from "node:fs";
import { join } from "node:path";
import { cannotUse } from "./unusable.ts";

/** Lies in the folder while a restore puts files in place: between two of them nothing there belongs together. */
export const markerIn = (dir: string): string => join(dir, "restore-under-way");

export function refuseHalfRestored(dir: string): void {
  if (!existsSync(markerIn(dir))) return;
  throw cannotUse(dir, {
    why: `a restore into it goes on, or was interrupted (${markerIn(dir)} says so)`,
    remedy: 'Wait for it, or run "gateway restore <folder>" again',
  });
}
