import type { EndedWork, Json, Usage } from "#contract";
import { objectsIn } from "../content/ids.ts";
import { usageOf } from "../content/usage.ts";

/** What a run used, it says when it has ended. */
export const runUsage = ({ usage }: Json): Usage | undefined => usageOf(usage);

export function endedRun(run: Json): readonly EndedWork[] {
  const { id, model } = run;
  const usage = runUsage(run);
  if (run["object"] !== "thread.run" || typeof id !== "string" || usage === undefined) return [];
  return [{ id, usage, model: typeof model === "string" ? model : null }];
}
/** The same of a page of them. */
export const runsEnded = ({ data }: Json): readonly EndedWork[] => objectsIn(data).flatMap(endedRun);

/*
 * The run that a stream was of, given the stream's end: its last event says it. The beginning of that may be missing, since
 * it repeats the instructions and tools, so that its members are read from the end.
 */

export function runUsageAtEnd(tail: string): Usage | undefined {
  return usageOf(parsed(memberAtEnd(lastRun(tail), "usage")));
}

/** A request need not name the model: its assistant has one. */
export function runModelAtEnd(tail: string): string | undefined {
  const model = parsed(memberAtEnd(lastRun(tail), "model"));
  return typeof model === "string" ? model : undefined;
}

const RUN_EVENT = /^event: ?thread\.run\.[a-z_]+$/;
/** The data of the last event of a run itself, or the end of it. */
function lastRun(tail: string): string {
  const lines = tail.split(/\r?\n/);
  const isOfRun = (line: string, index: number): boolean => line.endsWith("}") && (index === 0 || RUN_EVENT.test(lines[index - 1] ?? ""));
  return lines.findLast(isOfRun) ?? "";
}

function parsed(json: string | undefined): unknown {
  try {
    return json === undefined ? undefined : JSON.parse(json);
  } catch {
    return undefined; // an event that was cut in its middle
  }
}

/**
 * The value of a member of the outermost object, found from that one's end: what is inside other members is not it. A value
 * is an object or a text.
 */
function memberAtEnd(line: string, name: string): string | undefined {
  const isNamed = (from: number): boolean => new RegExp(`"${name}"\\s*:\\s*$`).test(line.slice(Math.max(0, from - NEAR), from));
  let depth = 0;
  let end = 0;
  for (let at = line.length - 1; at >= 0; at -= 1) {
    const char = line[at];
    if (char === "}" || char === "]") {
      if (depth === 1) end = at;
      depth += 1;
    } else if (char === "{" || char === "[") {
      depth -= 1;
      if (depth === 1 && isNamed(at)) return line.slice(at, end + 1);
    } else if (char === '"') {
      const from = beginOfText(line, at);
      if (depth === 1 && isNamed(from)) return line.slice(from, at + 1);
      at = from;
    }
  }
  return undefined;
}
/** Characters before a value in which its name stands. */
const NEAR = 32;

/** Where the text begins that ends there: at the first quote before it that no backslash takes back; before the line where there is none. */
function beginOfText(line: string, end: number): number {
  let at = line.lastIndexOf('"', end - 1);
  while (at > 0 && isTakenBack(line, at)) at = line.lastIndexOf('"', at - 1);
  return at;
}
function isTakenBack(line: string, quote: number): boolean {
  let slashes = 0;
  while (line[quote - 1 - slashes] === "\\") slashes += 1;
  return slashes % 2 === 1;
}
