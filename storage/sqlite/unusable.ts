import { accessSync, constants, statfsSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { GatewayError, messageOf } from "#contract";
import { type Database, driver } from "./driver.ts";

/** What is wrong with a file, and what an operator can do about it. */
interface Fault {
  readonly why: string;
  readonly remedy: string;
}

/** Runs what opens a database file; what it fails with says which file, why and what to do. */
export function opening<R>(path: string, work: () => R): R {
  try {
    return work();
  } catch (error) {
    throw unusable(path, error);
  }
}

/** The error of a start that cannot use a file or folder. What is worded already passes. */
export function unusable(path: string, error: unknown): unknown {
  if (GatewayError.is(error) && error.code !== "STORAGE_UNAVAILABLE") return error;
  const cause = GatewayError.is(error) ? error.cause : error;
  const fault = faultOf({ path, code: codeOf(cause), systemMessage: messageOf(cause) });
  return fault === undefined ? error : cannotUse(path, fault, cause);
}

export const cannotUse = (file: string, fault: Fault, cause?: unknown): GatewayError =>
  new GatewayError("STORAGE_UNUSABLE", { file, ...fault }, { cause });

export const damaged = (path: string, why: string): Fault => ({ why, remedy: backToBackup(path) });

export const backToBackup = (path: string): string =>
  `Put a backup back with "gateway restore <folder>", or move ${journals(path)} away: the gateway then begins without what was in it`;

const journals = (path: string): string => ["", "-wal", "-shm"].map((end) => basename(path) + end).join(", ");

/** As SQLite and the system call it: `SQLITE_NOTADB`, `EACCES`. */
export function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { readonly code?: unknown }; // a system error has one
  return driver.codeOf(error) ?? (typeof code === "string" ? code : "");
}

interface Failure {
  readonly path: string;
  readonly code: string;
  /** The system's or SQLite's own words. */
  readonly systemMessage: string;
}
const ELSEWHERE = "Move it away, or name another folder in GATEWAY_DATA_DIR";
const FOLDER: Fault = { why: "it is a folder, where a file should be", remedy: ELSEWHERE };

const faultOf = (failure: Failure): Fault | undefined =>
  isFolder(failure.path) ? FOLDER : FAULTS.find(([pattern]) => pattern.test(failure.code))?.[1](failure);

/** Codes as SQLite and the system call them. */
const FAULTS: readonly (readonly [RegExp, (failure: Failure) => Fault])[] = [
  [/NOTADB/, ({ path }) => damaged(path, "it is not a SQLite database, or its beginning was overwritten")],
  [/CORRUPT|SHORT_READ/, ({ path, systemMessage: message }) => damaged(path, `its content is damaged (${message})`)],
  [/EEXIST|ENOTDIR/, () => ({ why: "there is a file where the folder should be", remedy: ELSEWHERE })],
  [/READONLY|CANTOPEN|PERM|AUTH|EACCES|EROFS/, ({ path, code }) => mayNot(path, refusal(path) ?? `the system refuses it (${code})`)],
  [/FULL|IOERR|ENOSPC|EDQUOT|EFBIG|EIO/, ({ path, code }) => noRoom(path, code)],
  [
    /BUSY|LOCKED|PROTOCOL/,
    () => ({
      why: "another program keeps it locked",
      remedy: "Stop that program (a backup, a database tool), then start the gateway again",
    }),
  ],
];

const isFolder = (path: string): boolean => path.endsWith(".db") && (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);

const mayNot = (path: string, why: string): Fault => ({
  why,
  remedy: `Give it to the user that runs the gateway (chown, chmod u+rw), with the folder ${dirname(path)}, and start again`,
});

/** What this user may not do with the file, or with the folder that must take its journal. */
function refusal(path: string): string | undefined {
  const user = `user ${process.getuid?.() ?? ""}`.trim();
  if (isThere(path) && !may(path, constants.R_OK)) return `${user} may not read it`;
  if (isThere(path) && !may(path, constants.W_OK)) return `${user} may not write to it`;
  return may(dirname(path), constants.W_OK | constants.X_OK) ? undefined : `${user} may not write to its folder ${dirname(path)}`;
}
const isThere = (path: string): boolean => may(path, constants.F_OK);
function may(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

function noRoom(path: string, code: string): Fault {
  const free = freeBytes(dirname(path));
  if (free !== undefined && free >= ROOM)
    return {
      why: `the disk refused to read or write it (${code})`,
      remedy: "Look at the disk, its quota and the limits of the process, then start again",
    };
  return { why: "the disk is full", remedy: "Free some space on it and start again" };
}
/** The least that a start needs. */
const ROOM = 1024 * 1024;
function freeBytes(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined; // no such folder, or a system without the call
  }
}

/** The file itself is spoilt: it will not be better at the next try. */
export const isDamage = (code: string): boolean => /NOTADB|CORRUPT|SHORT_READ/.test(code);

/** What a request is told while a file fails under a running gateway; `undefined` where asking again is all there is to do. */
export function reasonOf(error: unknown): string | undefined {
  const code = codeOf(error);
  if (isDamage(code)) return 'its file is damaged; stop the gateway and put a backup back with "gateway restore <folder>"';
  if (/FULL|ENOSPC/.test(code)) return "the disk is full; it goes on by itself once there is space";
  if (/READONLY|EROFS/.test(code)) return "its file can only be read; give it back to the user that runs the gateway";
  return undefined;
}

/** Larger files are not read whole at each start; SQLite itself finds a file that was cut short. */
const CHECKED_BYTES = 64 * 1024 * 1024;

/** Damage is found before anything is written, not by the request that meets it. */
export function refuseDamaged(db: Database, path: string): void {
  if (path === ":memory:" || statSync(path).size > CHECKED_BYTES) return;
  const found = firstFlaw(db, "quick_check");
  if (found !== undefined) throw cannotUse(path, damaged(path, `its content is damaged (${found})`));
}

/** The first thing SQLite finds wrong. */
export function firstFlaw(db: Database, check: "quick_check" | "integrity_check"): string | undefined {
  const result = String(Object.values(db.query<Record<string, unknown>, []>(`pragma ${check}(1)`).get() ?? {})[0]);
  return result === "ok" ? undefined : result.replace(/\s+/g, " ");
}
