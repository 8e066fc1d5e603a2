/**
 * `bun core/build/docs.ts [kind/id | folder …]`: the reference page of every plugin of the tree and of the profile's
 * `pluginsDir`, or of those named, as Markdown on standard output. A folder is that of a plugin that no profile names.
 * Everything comes from manifests and schemas; there is nothing to keep up to date.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type TSchema, Type } from "@sinclair/typebox";
import {
  type Check,
  type ConfigMembers,
  isJson,
  type Kind,
  type Kinds,
  messageOf,
  type Plugin,
  pluginName,
  type Strategy,
} from "#contract";
import { discover, readPlugins } from "../kernel/external.ts";
import { readProfile } from "../kernel/settings/profile.ts";
import { type Environment, readSettings } from "../kernel/settings/settings.ts";
import { scan, type Scanned } from "./gen-registry.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/** The page of one plugin. */
export async function pageOf({ manifest, folder }: Scanned): Promise<string> {
  const plugin = await codeOf({ manifest, folder });
  return [
    `# ${manifest.title} (\`${pluginName(manifest)}\`)`,
    manifest.description ?? "",
    list("Needs", manifest.needs ?? []),
    list("Provides", manifest.provides ?? []),
    manifest.flag
      ? `Switched by the variable \`${manifest.flag.env}\` (${manifest.flag.when === "set" ? "on when it is set" : "off when it is `OFF`"}).`
      : "",
    manifest.declare
      ? `Interpreted by \`${manifest.kind}/${manifest.extends}\`:\n\n\`\`\`json\n${JSON.stringify(manifest.declare, null, 2)}\n\`\`\``
      : "",
    plugin
      ? section(
          "## Configuration",
          table(plugin.config, Object.fromEntries(Object.entries(manifest.env ?? {}).map(([variable, member]) => [member, variable]))),
        )
      : "",
    ...(plugin ? await parts(plugin) : []),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** None where the manifest says it all. */
async function codeOf({ manifest, folder }: Scanned): Promise<Plugin | undefined> {
  if (manifest.entry === undefined) return undefined;
  const file = resolve(ROOT, folder, manifest.entry);
  if (!existsSync(file)) throw new Error(`The plugin ${pluginName(manifest)} has no ${manifest.entry} yet: build it first, in ${folder}.`);
  return ((await import(file)) as { default: Plugin }).default;
}

const list = (name: string, ids: readonly string[]): string =>
  ids.length === 0 ? "" : `${name}: ${ids.map((id) => `\`${id}\``).join(", ")}.`;
const section = (heading: string, body: string): string => (body === "" ? "" : `${heading}\n\n${body}`);

/** Kinds that say what they provide without doing anything: their host's handles are used later, by requests. */
const TOLD: ReadonlySet<Kind> = new Set(["guardrail", "policy", "cache", "api"]);

async function parts(plugin: Plugin): Promise<readonly string[]> {
  const provides = TOLD.has(plugin.kind) ? await providedBy(plugin) : {};
  return [
    ...("checks" in provides ? provides.checks.map(checkPage) : []),
    ...("strategies" in provides ? Object.entries(provides.strategies ?? {}).map(strategyPage) : []),
    ...("modes" in provides && provides.settings ? [section("## Members of `cache`", table(provides.settings))] : []),
    ...("obeys" in provides ? obeysPages(provides.obeys ?? {}) : []),
  ];
}

/** A plugin that asks its host while it is set up has nothing of this to tell. */
async function providedBy(plugin: Plugin): Promise<Partial<Kinds[Kind]>> {
  const host = { log: () => undefined, now: () => 0 } as unknown as Parameters<Plugin["setup"]>[0];
  try {
    return (await plugin.setup(host, {})).provides;
  } catch {
    return {}; // a handle is missing that the page has no use for
  }
}

const strategyPage = ([mode, { settings }]: [string, Strategy]): string =>
  section(`## Strategy \`${mode}\``, table(settings) || "It has no settings beside `mode`.");
const obeysPages = ({ config, strategy }: ConfigMembers): string[] => [
  ...(config ? [section("## Members of configs and targets", table(Type.Partial(Type.Object({ ...config }))))] : []),
  ...(strategy ? [section("## Members of `strategy`", table(Type.Partial(Type.Object({ ...strategy }))))] : []),
];

function checkPage({ id, title, on, params }: Check): string {
  return section(`## \`${id}\``, [`${title}. Runs on ${on.join(" and ")}.`, table(params)].filter((part) => part !== "").join("\n\n"));
}

/** Members of an object schema, one a row. */
function table({ properties, required }: TSchema, variables: Readonly<Record<string, string>> = {}): string {
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const rows = Object.entries(isJson(properties) ? properties : {}).map(([name, schema]) => {
    const { description, default: fallback } = isJson(schema) ? schema : {};
    const shown = fallback === undefined ? (needed.includes(name) ? "(required)" : "") : `\`${JSON.stringify(fallback)}\``;
    const variable = variables[name] === undefined ? "" : ` Variable: \`${variables[name]}\`.`;
    return `| \`${name}\` | ${cell(typeOf(schema))} | ${shown} | ${cell(String(description ?? ""))}${variable} |`;
  });
  return rows.length === 0 ? "" : ["| Member | Type | Default | Meaning |", "| :- | :- | :- | :- |", ...rows].join("\n");
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

function typeOf(schema: unknown): string {
  if (!isJson(schema)) return "";
  if (Array.isArray(schema.enum)) return schema.enum.map((word) => `\`${String(word)}\``).join(" | ");
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(typeOf).join(" | ");
  if ("const" in schema) return `\`${String(schema.const)}\``;
  return schema.type === "array" ? `array of ${typeOf(schema.items) || "any"}` : String(schema.type ?? "any");
}

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
