import { writeSync } from "node:fs";
import { StallWatch } from "./stall-watch.ts";

/*
 * Looks after the main thread from outside of it: when that stands still, nothing of its own can say so.
 */

/** The first message begins the watch; the others name plugins as they come. */
export type WatchdogMessage =
  | { readonly kind: "begin"; readonly memory: SharedArrayBuffer; readonly of: Readonly<Record<string, unknown>>; readonly lateMs: number }
  | { readonly kind: "name"; readonly number: number; readonly name: string };

const EVERY_MS = 50;
const STDERR = 2;
const names = new Map<number, string>();

self.onmessage = ({ data }: MessageEvent<WatchdogMessage>) => {
  if (data.kind === "name") return void names.set(data.number, data.name);
  const { memory, of, lateMs } = data;
  const watch = new StallWatch(new Int32Array(memory), names, { lateMs }, performance.now());
  setInterval(() => {
    const report = watch.tick(performance.now(), Math.floor(Date.now() / 1000));
    if (report) say({ time: new Date().toISOString(), level: "error", ...of, ...report });
  }, EVERY_MS);
};

/** A line like those of the process log, written here and now. */
function say(line: Readonly<Record<string, unknown>>): void {
  try {
    writeSync(STDERR, `${JSON.stringify(line)}\n`);
  } catch {
    // nobody reads the log, or it is full: metrics and health tell all the same
  }
}
