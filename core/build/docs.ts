/**
 * `bun core/build/docs.ts [kind/id | folder …]`: the reference page of every plugin of the tree and of the profile's
 * `pluginsDir`, or of those named, as Markdown on standard output. A folder is that of a plugin that no profile names.
 * Everything comes from manifests and schemas; there is nothing to keep up to date.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { messageOf, pluginName } from "#contract";
import { discover, readPlugins } from "../kernel/discovery/external.ts";
import { readProfile } from "../kernel/settings/profile.ts";
import { type Environment, readSettings } from "../kernel/settings/settings.ts";
import { scan, type Scanned } from "./gen-registry.ts";
import { pageOf as pageFrom } from "./plugin-page.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/** The page of one plugin. */
export const pageOf = ({ manifest, folder }: Scanned): Promise<string> => pageFrom(manifest, resolve(ROOT, folder));

/** The plugins of these names and folders, in their order; all there are when none is named. */
export async function pluginsNamed(words: readonly string[], env: Environment = process.env): Promise<readonly Scanned[]> {
  const all = [...(await scan()), ...(await installed(env))];
  return words.length === 0 ? all : (await Promise.all(words.map((word) => pluginsOf(word, all)))).flat();
}

/** The plugins of the profile's folder. */
async function installed(env: Environment): Promise<readonly Scanned[]> {
  const { pluginsDir } = await readProfile(readSettings(env).profile, env);
  if (pluginsDir === null) return [];
  const { found, unreadable } = await discover(pluginsDir);
  for (const { error } of unreadable) console.error(error.message);
  return found.map(({ manifest, origin }) => ({ manifest, folder: origin }));
}

async function pluginsOf(word: string, all: readonly Scanned[]): Promise<readonly Scanned[]> {
  const ofName = all.filter(({ manifest }) => pluginName(manifest) === word);
  if (ofName.length > 0) return ofName;
  const file = resolve(word, "manifest.json");
  if (!existsSync(file))
    throw new Error(`There is no plugin ${word} in the tree or in the profile's pluginsDir, and no folder ${word} with a manifest.json.`);
  return (await readPlugins(file)).map(({ manifest, origin }) => ({ manifest, folder: origin }));
}

const HELP = `Print the reference pages of plugins, as Markdown: of those named, or of all of the tree and of the profile's pluginsDir.

  npm run docs -- [kind/id | folder]...

Example
  npm run docs -- guardrail/default

Exit codes: 0 done, 1 a plugin that is named is not there, or could not be read.`;

if (import.meta.main) {
  const words = process.argv.slice(2);
  try {
    if (words.includes("--help") || words.includes("-h")) console.log(HELP);
    else for (const plugin of await pluginsNamed(words)) console.log(`${await pageOf(plugin)}\n`);
  } catch (error) {
    console.error(messageOf(error));
    process.exit(1);
  }
}
