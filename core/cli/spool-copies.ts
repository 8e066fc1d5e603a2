import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { PreparedRestore } from "#contract";
import { makePrivate, syncPath } from "../kernel/secrets/private-file.ts";
import { SUFFIX } from "../pipeline/settle/spool/spool.ts";
import { SPOOL_FOLDER } from "../pipeline/settle/spool/spools.ts";
import { refused } from "./key-copies.ts";

/**
 * Copies the records that wait on disk, while processes write more, take files from dead ones, and delete what they have
 * written to the store. Files are only appended: what a copy lacks came after it was begun, and of a line that is half
 * there the reader takes none. Called again it copies what there is by then. Returns how many files the copy holds.
 */
export function copySpool(dataDir: string, to: string): number {
  const from = join(dataDir, SPOOL_FOLDER);
  const done = new Set<string>();
  for (let left = filesIn(from); left.length > 0; left = filesIn(from).filter((file) => !done.has(placeOf(file)))) {
    const copied = left.filter((file) => copyOne(join(from, file), join(to, placeOf(file))));
    for (const file of copied) done.add(placeOf(file));
    if (copied.length === left.length) break; // else one was deleted, or is another process's now: looked for again
  }
  syncFolders(to);
  return filesIn(to).length;
}
/** The names of copied files survive a loss of power too, and those of their folders. */
function syncFolders(root: string): void {
  if (!existsSync(root)) return;
  const exporters = filesIn(root).map((file) => dirname(join(root, file)));
  for (const folder of new Set([...exporters, ...exporters.map(dirname), root])) syncPath(folder);
}
/** A folder that vanishes meanwhile is another process's now: looked for again. */
function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  try {
    return (readdirSync(folder, { recursive: true }) as string[]).filter((file) => file.endsWith(SUFFIX));
  } catch (error) {
    return isGone(error) ? filesIn(folder) : rethrown(error);
  }
}
/** A file's exporter and name: whose process wrote it is of no matter any more. */
const placeOf = (file: string): string => join(basename(dirname(file)), basename(file));

/** `false` when it is not there any more. */
function copyOne(from: string, to: string): boolean {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  if (!existsSync(to)) makePrivate(to);
  try {
    copyFileSync(from, to);
  } catch (error) {
    if (!isGone(error)) throw error;
    if (statSync(to).size === 0) rmSync(to);
    return false;
  }
  chmodSync(to, 0o600);
  syncPath(to);
  return true;
}
const isGone = (error: unknown): boolean => (error as { readonly code?: unknown }).code === "ENOENT"; // the runtime throws system errors
const rethrown = (error: unknown): never => {
  throw error;
};

/** Makes the copied records ready. The ones that wait now are of the data that is replaced, and go where it goes. */
export function restoreSpool(backup: string, dataDir: string, files: number): PreparedRestore {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const staged = mkdtempSync(join(dataDir, "restoring-spool-"));
  const discard = async (): Promise<void> => rmSync(staged, { recursive: true, force: true });
  try {
    const left = join(staged, LEFT);
    mkdirSync(left, { mode: 0o700 });
    const copied = filesIn(join(backup, SPOOL_FOLDER)).filter((file) => copyOne(join(backup, SPOOL_FOLDER, file), join(left, file)));
    if (copied.length < files) throw refused(`the backup is not whole: it holds ${copied.length} of ${files} files of its ${SPOOL_FOLDER}`);
    syncFolders(staged);
    utimesSync(left, 0, 0); // nobody writes it: the first process takes it
  } catch (error) {
    void discard();
    throw error;
  }
  return { replace: async (aside) => replace(dataDir, staged, aside), discard };
}
/** Like the folder of a process that has ended. */
const LEFT = "restored";

function replace(dataDir: string, staged: string, aside: string): string {
  const kept = join(dataDir, aside);
  mkdirSync(kept, { recursive: true, mode: 0o700 });
  const spool = join(dataDir, SPOOL_FOLDER);
  if (existsSync(spool)) renameSync(spool, join(kept, SPOOL_FOLDER));
  renameSync(staged, spool);
  for (const folder of [kept, dataDir]) syncPath(folder);
  return kept;
}
