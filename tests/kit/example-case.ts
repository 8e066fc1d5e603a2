import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "#contract";
import type { Example } from "./check.ts";

/**
 * A `.case` file of a remote check: a title line, then three parts, separated by lines of dashes: the example (text,
 * params, verdict), the request that the vendor must get, and the vendor's answer.
 */
export function exampleCase(path: string): Example {
  const [head, request, reply, ...more] = readFileSync(path, "utf8").split(/^-{8,}\n/m);
  if (head === undefined || request === undefined || reply === undefined || more.length > 0)
    throw new Error(`${path}: it is no case: a title and an example, the request, the answer`);
  const example = parsed(head.replace(/^# .*\n/, ""), path, "example") as Example; // judged by the next line, and by running it
  const wrong = wrongWith(example);
  if (wrong !== undefined) throw new Error(`${path}: ${wrong}`);
  return { ...example, vendor: { request: JSON.stringify(parsed(request, path, "request")), body: parsed(reply, path, "answer") } };
}

function parsed(text: string, path: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new Error(`${path}: its ${what} is no JSON: ${messageOf(thrown)}`, { cause: thrown });
  }
}

const VERDICTS: readonly unknown[] = ["allow", "deny", "transform", "error"];
/** What keeps an example from being run, as it was written by hand. */
export function wrongWith(example: Partial<Example>): string | undefined {
  if (typeof example.text !== "string") return "its example has no text";
  return VERDICTS.includes(example.verdict) ? undefined : "its verdict is allow, deny, transform or error";
}

/** Every case of a folder. */
export const exampleCases = (folder: string): readonly Example[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".case"))
    .sort()
    .map((name) => exampleCase(join(folder, name)));
