import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { messageOf, type StreamEvent } from "#contract";

/** A `.case` file: a title line, a wire, a line of dashes, and the events it must give, one a line. */
export interface StreamCase {
  readonly name: string;
  readonly wire: string;
  readonly events: readonly StreamEvent[];
}

export function streamCase(path: string): StreamCase {
  const text = readFileSync(path, "utf8");
  const [, title, wire, events] = /^# (.*)\n([\s\S]*)^-{8,}\n([\s\S]*)$/m.exec(text) ?? [];
  if (title === undefined || wire === undefined || events === undefined)
    throw new Error(`${path} is no case: a title line, a wire, a line of dashes, events`);
  const lines = events.split("\n").filter((line) => line !== "");
  return {
    name: `${basename(path, ".case")}: ${title}`,
    wire,
    events: lines.map((line, at) => eventIn(line, `${path}: its event ${at + 1}`)),
  };
}
function eventIn(line: string, what: string): StreamEvent {
  try {
    return JSON.parse(line) as StreamEvent; // judged by the comparison
  } catch (thrown) {
    throw new Error(`${what} is no JSON: ${messageOf(thrown)}`, { cause: thrown });
  }
}

/** Every case of a folder. */
export const streamCases = (folder: string): readonly StreamCase[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".case"))
    .sort()
    .map((name) => streamCase(join(folder, name)));
