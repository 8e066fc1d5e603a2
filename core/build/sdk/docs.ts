import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readCommandLine } from "../../cli/command-line.ts";
import { CommandFailed, UsageError } from "../../cli/usage.ts";
import { parseManifests } from "../../kernel/discovery/manifest.ts";
import { pageOf } from "../plugin-page.ts";
import { SDK } from "./name.ts";

export const HELP = `Print the reference page of a plugin as Markdown, made from its manifest and its schemas. Build the plugin first.

  npx ${SDK} docs [<folder>]

  <folder>  Where its manifest.json is. Default: this one.
  --help    Show this.

Example
  npx ${SDK} docs . > REFERENCE.md

Exit codes: 0 done, 1 the plugin could not be read, 2 wrong command line.`;

/** `docs [folder]`: the page of each plugin whose manifest is there. */
export async function run(args: readonly string[]): Promise<number> {
  const { values, words } = readCommandLine("docs", args, { help: { about: "Show this." } }, SDK);
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const [folder = ".", ...more] = words;
  if (more.length > 0) throw new UsageError(`"${more.join(" ")}" is one word too many.`, "docs");
  const file = resolve(folder, "manifest.json");
  if (!existsSync(file)) throw new CommandFailed(`There is no manifest.json in ${dirname(file)}.`);
  for (const manifest of parseManifests(jsonIn(file), file)) console.log(`${await pageOf(manifest, join(file, ".."))}\n`);
  return 0;
}

function jsonIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (thrown) {
    throw new CommandFailed(`${file} is no JSON: ${(thrown as Error).message}`); // JSON.parse and readFile throw errors
  }
}
