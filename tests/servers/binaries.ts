import { accessSync, constants, readdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/** A folder that holds all of these programs: on PATH, or where package managers put them; newest version first. */
export const findFolder = (programs: readonly string[]): string | undefined =>
  [...onPath(), ...PLACES.flatMap(expand)].find((folder) => programs.every((program) => runnable(join(folder, program))));

const onPath = (): string[] => (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");

/** `*` stands for one path segment, or the rest of one. */
const PLACES = [
  "/usr/lib/postgresql/*/bin",
  "/usr/pgsql-*/bin",
  "/usr/libexec/postgresql*",
  "/usr/local/pgsql/bin",
  "/usr/local/bin",
  "/usr/local/sbin",
  "/usr/sbin",
  "/usr/local/opt/postgresql*/bin",
  "/opt/homebrew/opt/postgresql*/bin",
  "/opt/homebrew/bin",
];

function expand(place: string): string[] {
  const star = place.indexOf("*");
  if (star < 0) return [place];
  const parent = dirname(`${place.slice(0, star)}x`);
  const prefix = place.slice(parent.length + 1, star);
  const found = entries(parent).filter((name) => name.startsWith(prefix));
  return found.sort(newestFirst).map((name) => join(parent, name, place.slice(star + 2)));
}

const newestFirst = (a: string, b: string): number => b.localeCompare(a, "en", { numeric: true });

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // the folder is not there on this system
  }
}

function runnable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // not there, or not ours to run: look further
  }
}
