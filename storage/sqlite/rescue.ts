import { mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import { messageOf } from "#contract";
import { type Database, open } from "./driver.ts";
import { makePrivateFile, syncFile } from "./private-file.ts";
import { nameOfSaved } from "./saved.ts";
import { isWhole } from "./whole.ts";

/** What became of a file that this process lost. */
export interface Loss {
  /** For whoever asks the gateway: what happened, what was saved, what to do. */
  readonly sentence: string;
  /** The file with all that this process still saw; `null` when it could not be written. */
  readonly saved: string | null;
}

/** Writes all that the connection still sees to a file beside the one it lost, once, before anything of it is gone. */
export function rescue(db: Database, path: string, why: string): Loss {
  const name = basename(path);
  const saved = nameOfSaved(path);
  const begun = `${path}.saving`; // under its own name once it is whole: this process may be ended at any moment
  const stopped = `${name} takes no more writes, because ${why}.`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 }); // the folder may be gone too
    rmSync(begun, { force: true });
    makePrivateFile(begun);
    db.run("vacuum into ?", [begun]);
    refuseHollow(begun);
    syncFile(begun);
    renameSync(begun, saved);
    syncFile(dirname(saved));
  } catch (error) {
    rmSync(begun, { force: true });
    const rest = isWhole(path)
      ? `Restart the gateway to go on from ${name} as it is on disk`
      : 'Stop the gateway, and put a backup back with "gateway restore <folder>"';
    const sentence = `${stopped} What this process still saw could not be saved (${messageOf(error)}). ${rest}`;
    return { sentence, saved: null };
  }
  const sentence =
    `${stopped} What this process still saw was saved to ${basename(saved)}, beside it. ` +
    `Stop the gateway, put that file in the place of ${name} (without ${name}-wal and ${name}-shm), and start it again`;
  return { sentence, saved };
}

/** A database whose first page is gone reads as an empty one: a copy of that is no rescue. */
function refuseHollow(saved: string): void {
  const copy = open(saved);
  try {
    copy.query(`select 1 from "_migrations" limit 1`).get();
  } finally {
    copy.close();
  }
}
