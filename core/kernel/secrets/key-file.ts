import { randomUUID } from "node:crypto";
import { existsSync, linkSync, lstatSync, readFileSync, renameSync, type Stats, statSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { GatewayError, messageOf } from "#contract";
import { syncPath } from "./private-file.ts";
import { flawOf, type SettingRow } from "../settings/settings.ts";

/**
 * Makes a secret file (mode 0600) unless it is there; says whether it made it. The file appears whole, so that of two
 * processes starting at once both read the same secret.
 */
export function createOnce(file: string, content: string): boolean {
  if (existsSync(file)) return false;
  const draft = `${file}.${randomUUID()}`;
  write(draft, content);
  try {
    linkSync(draft, file); // unlike a rename, fails when another process was first
    syncPath(dirname(file));
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
  write(draft, content);
  renameSync(draft, file);
  syncPath(dirname(file));
}

/** On the disk before it gets its name: records that a lost secret sealed would survive a loss of power, and be of no use. */
function write(draft: string, content: string): void {
  writeFileSync(draft, `${content}\n`, { mode: 0o600, flag: "wx" });
  syncPath(draft);
}

export interface KeyFile {
  readonly path: string;
  /** The setting that the file stands for: its content obeys the same rule. */
  readonly setting: SettingRow;
  /** What an operator can do about a file that is refused, as a sentence. */
  readonly remedy: string;
}

/** The secret in the file, which is made when it is not there. Anything but a strong secret in a file of one's own is refused. */
export function secretIn(file: KeyFile, newSecret: () => string): { readonly secret: string; readonly made: boolean } {
  const made = attempted(file, "cannot be made", () => createOnce(file.path, newSecret()));
  const flaw = accessFlaw(attempted(file, "cannot be read", () => statSync(file.path)));
  if (flaw !== undefined) throw refused(file, flaw);
  const secret = attempted(file, "cannot be read", () => readFileSync(file.path, "utf8")).trim();
  const weakness = flawOf(file.setting, secret);
  if (weakness !== undefined) throw refused(file, weakness);
  return { secret, made };
}

function accessFlaw(stats: Stats): string | undefined {
  if (!stats.isFile()) return "it is not a file";
  if (process.platform === "win32" || (stats.mode & 0o077) === 0) return undefined;
  return `it can be read by others (mode ${(stats.mode & 0o777).toString(8)}); if nobody has, run: chmod 600 on it`;
}

function attempted<T>(file: KeyFile, cannot: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw refused(file, isDangling(file.path) ? "it is a link to a file that is not there" : `it ${cannot}: ${messageOf(thrown)}`);
  }
}
const isDangling = (path: string): boolean => !existsSync(path) && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

const refused = ({ path, setting, remedy }: KeyFile, flaw: string): GatewayError =>
  new GatewayError("SETTING_INVALID", { name: setting.env, value: `(the file ${path})`, why: `${flaw}. ${remedy}` });
