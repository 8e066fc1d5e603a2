import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isJson, type Json } from "#contract";

/** Parts of the README that tests follow as they stand there. */

export const ROOT = join(import.meta.dir, "..");

/** What stands between `<!-- kind:name -->` and `<!-- /kind -->`. */
export function readmePart(kind: string, name: string): string {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const part = new RegExp(`<!-- ${kind}:${name} -->([\\s\\S]*?)<!-- /${kind} -->`).exec(readme)?.[1];
  if (part === undefined) throw new Error(`README.md has no part <!-- ${kind}:${name} -->`);
  return part;
}

/** One step: a block of shell, a file to write, or members to add to a JSON file. */
export type Step =
  | { readonly shell: string }
  | { readonly write: string; readonly text: string }
  | { readonly add: string; readonly members: Json };

/** A block of shell is run; any other is for the file that the sentence before it tells to write or to add to. */
export function stepsIn(part: string): readonly Step[] {
  const blocks = [...part.matchAll(/([^`]*(?:`[^`\n]+`[^`]*)*)```(\w+)\n([\s\S]*?)```/g)];
  return blocks.map(([, before = "", language, text = ""]): Step => {
    if (language === "sh") return { shell: text };
    const [, verb, path = ""] = [...before.matchAll(/(Write|Add to) `([^`]+)`/g)].at(-1) ?? [];
    if (verb === "Write") return { write: path, text };
    const members: unknown = verb === "Add to" ? JSON.parse(text) : undefined;
    if (isJson(members)) return { add: path, members };
    throw new Error(`a block of ${language} belongs to no file: ${text.slice(0, 80)}`);
  });
}
