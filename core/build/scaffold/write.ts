import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { refused } from "./template.ts";

export interface Words {
  readonly id: string;
  readonly title: string;
}
/** A plugin that is to be written. */
export interface Scaffold {
  /** The folder of its template. */
  readonly template: string;
  /** Where it goes: a folder that is empty, or not there. */
  readonly folder: string;
  readonly words: Words;
  /** Further files of a package of its own, by name; none in the tree. */
  readonly further?: Readonly<Record<string, string>>;
  /** Modules that are called otherwise there: `#contract` by the name of a package. */
  readonly modules?: Readonly<Record<string, string>>;
}

/** Writes the files, and tells their names. */
export async function writeScaffold({ template, folder, words, further = {}, modules = {} }: Scaffold): Promise<readonly string[]> {
  if (existsSync(folder) && (await readdir(folder)).length > 0) throw refused(`The folder ${folder} is not empty.`);
  const files = new Map<string, string>();
  for (const name of await readdir(template, { recursive: true })) {
    if (!/\.(json|ts|case)$/.test(name)) continue; // folders
    const text = tidied(named(await readFile(join(template, name), "utf8"), words, "text"));
    files.set(named(name, words, "path"), withModules(text, modules));
  }
  for (const [name, text] of Object.entries(further)) files.set(name, text);
  if ("package.json" in further) standAlone(files);
  for (const [name, text] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return [...files.keys()].sort();
}

/**
 * Templates are plugins that work: the linter, the compiler and the tests see them like any other code. The word they
 * are called by is replaced by the new plugin's.
 */
const named = (text: string, { id, title }: Words, form: "text" | "path"): string =>
  text.replace(/SPROCKET|Sprocket|sprocket/g, (word) => {
    if (word === "SPROCKET") return id.toUpperCase().replaceAll("-", "_");
    if (word === "Sprocket") return form === "text" ? title.replace(/["\\`$]/g, "") : id;
    return id;
  });

/** Names whose rules are narrower than an id's: host names know no `_`, table names no `-`. */
const tidied = (text: string): string =>
  text
    .replace(/[\w-]+(?:\.[\w-]+)*\.example\b/g, (host) => host.replaceAll("_", "-"))
    .replace(/"[\w-]+_records"/g, (table) => table.replaceAll("-", "_"));

const withModules = (text: string, modules: Readonly<Record<string, string>>): string =>
  text.replace(/(?<= from )"([^"]+)"/g, (quoted, name: string) => (Object.hasOwn(modules, name) ? JSON.stringify(modules[name]) : quoted));

/** What is different outside the tree: the entry is the bundle, and no generator keeps the list of checks. */
function standAlone(files: Map<string, string>): void {
  const change = (name: string, from: string | RegExp, to: string): void => {
    const text = files.get(name);
    if (text !== undefined) files.set(name, text.replace(from, to));
  };
  change("manifest.json", '"entry": "index.ts"', '"entry": "dist/index.js"');
  change("checks/index.ts", /^\/\/ Generated.*\n/, "");
}
