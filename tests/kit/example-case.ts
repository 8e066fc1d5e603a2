import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Example } from "./check.ts";

/**
 * A `.case` file of a remote check: a title line, then three parts, separated by lines of dashes: the example (text,
 * params, verdict), the request that the vendor must get, and the vendor's answer.
 */
export function exampleCase(path: string): Example {
  const [head, request, reply, ...more] = readFileSync(path, "utf8").split(/^-{8,}\n/m);
  if (head === undefined || request === undefined || reply === undefined || more.length > 0)
    throw new Error(`${path} is no case: a title and an example, the request, the answer`);
  const example = JSON.parse(head.replace(/^# .*\n/, "")) as Example; // a fixture is written by hand and judged by running it
  return { ...example, vendor: { request: JSON.stringify(JSON.parse(request)), body: JSON.parse(reply) } };
}

/** Every case of a folder. */
export const exampleCases = (folder: string): readonly Example[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".case"))
    .sort()
    .map((name) => exampleCase(join(folder, name)));
