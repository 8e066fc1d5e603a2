import { isJson, type Json, type Usage } from "#contract";
import { usageOf } from "../content/usage.ts";

/** A run that has just begun has used nothing; what it used, it says when it has ended. */
export const runUsage = ({ usage }: Json): Usage => usageOf(usage) ?? { input: 0, output: 0 };

const RUN_EVENT = /^event: ?thread\.run\.[a-z_]+$/;
const MEMBER = /"usage"\s*:\s*$/;

/**
 * The usage of the run that a stream was of, given its end: the last event of the run itself says it. Its beginning may be
 * missing, since it repeats the instructions and tools, so that its members are read from the end.
 */
export function runUsageAtEnd(tail: string): Usage | undefined {
  const lines = tail.split(/\r?\n/);
  const at = lines.findLastIndex((line, index) => line.endsWith("}") && (index === 0 || RUN_EVENT.test(lines[index - 1] ?? "")));
  const written = usageBefore(lines[at] ?? "");
  try {
    return written === undefined ? undefined : usageOf(parsed(written));
  } catch {
    return undefined; // an event that was cut in its middle
  }
}
function parsed(text: string): Json {
  const value: unknown = JSON.parse(text);
  return isJson(value) ? value : {};
}

/** The object that is the member `usage` of the outermost object, found from that one's end: what is inside other members is not it. */
function usageBefore(line: string): string | undefined {
  const ends: number[] = [];
  for (let at = line.length - 1; at >= 0; at -= 1) {
    const char = line[at];
    if (char === '"') at = beginOfText(line, at);
    else if (char === "}" || char === "]") ends.push(at);
    else if (char === "{" || char === "[") {
      const end = ends.pop();
      if (ends.length === 1 && char === "{" && MEMBER.test(line.slice(Math.max(0, at - NEAR), at))) return line.slice(at, (end ?? at) + 1);
    }
  }
  return undefined;
}
/** Characters before an object in which its name stands. */
const NEAR = 32;

/** Where the text begins that ends there: at the first quote before it that no backslash takes back. */
function beginOfText(line: string, end: number): number {
  for (let at = line.lastIndexOf('"', end - 1); at >= 0; at = line.lastIndexOf('"', at - 1)) {
    let slashes = 0;
    while (line[at - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return at;
    if (at === 0) break;
  }
  return -1;
}
