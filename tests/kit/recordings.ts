import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** Recorded provider answers, which are not part of the repository: RECORDINGS_DIR, else a folder beside it. */
const DIR = process.env["RECORDINGS_DIR"] ?? join(import.meta.dir, "../../../shared/recordings");
export const haveRecordings = existsSync(DIR);

let told = false;
/** Says once why the tests over recordings are skipped. */
export function sayIfMissing(): void {
  if (haveRecordings || told) return;
  told = true;
  console.warn("skipped: tests over recorded provider answers; set RECORDINGS_DIR to their folder");
}

export const recording = (path: string): string => readFileSync(join(DIR, path), "utf8");
/** A recorded stream: one event's JSON a line. */
export const recordedLines = (path: string): string[] =>
  recording(path)
    .split("\n")
    .filter((line) => line.trim() !== "");

/** Recordings below these folders whose name ends so, as paths from the recordings' folder. */
export function recordings(folders: readonly string[], suffix: string): string[] {
  if (!haveRecordings) return [];
  return folders.flatMap((folder) =>
    readdirSync(join(DIR, folder), { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(suffix))
      .map((entry) => relative(DIR, join(entry.parentPath, entry.name))),
  );
}

export interface Framing {
  /** `event:` line before each `data:` line: the event's `type`. */
  readonly named?: boolean;
  /** `data: [DONE]` at the end. */
  readonly done?: boolean;
}
/** The SSE wire of recorded lines. */
export function sseWire(lines: readonly string[], { named = false, done = false }: Framing = {}): string {
  const frames = lines.map((line) => `${named ? `event: ${typeOf(line)}\n` : ""}data: ${line}\n\n`);
  return frames.join("") + (done ? "data: [DONE]\n\n" : "");
}
const typeOf = (line: string): string => String((JSON.parse(line) as { type?: unknown }).type);
