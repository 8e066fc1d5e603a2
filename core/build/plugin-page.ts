import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import {
  type Check,
  type ConfigMembers,
  isJson,
  type Json,
  type Kind,
  type Kinds,
  type Manifest,
  type Plugin,
  pluginName,
  type StreamMode,
  type Strategy,
} from "#contract";
import { schemaTable } from "./schema-table.ts";

/** The reference page of one plugin, as Markdown: everything comes from its manifest and its schemas. */
export async function pageOf(manifest: Manifest, folder: string): Promise<string> {
  const plugin = await codeOf(manifest, folder);
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
          schemaTable(
            plugin.config,
            Object.fromEntries(Object.entries(manifest.env ?? {}).map(([variable, member]) => [member, variable])),
          ),
        )
      : "",
    ...(plugin ? await parts(plugin) : []),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** None where the manifest says it all. */
export async function codeOf(manifest: Manifest, folder: string): Promise<Plugin | undefined> {
  if (manifest.entry === undefined) return undefined;
  const file = resolve(folder, manifest.entry);
  if (!existsSync(file)) throw new Error(`The plugin ${pluginName(manifest)} has no ${manifest.entry} yet: build it first, in ${folder}.`);
  return ((await import(pathToFileURL(file).href)) as { default: Plugin }).default;
}

const list = (name: string, ids: readonly string[]): string =>
  ids.length === 0 ? "" : `${name}: ${ids.map((id) => `\`${id}\``).join(", ")}.`;
const section = (heading: string, body: string): string => (body === "" ? "" : `${heading}\n\n${body}`);

/** Kinds that say what they provide without doing anything: their host's handles are used later, by requests. */
const TOLD: ReadonlySet<Kind> = new Set(["guardrail", "policy", "cache", "api", "secret"]);

async function parts(plugin: Plugin): Promise<readonly string[]> {
  const provides = TOLD.has(plugin.kind) ? await providedBy(plugin) : {};
  return [
    ...("credentials" in provides && provides.credentials ? [section("## Credentials", credentialsTable(provides.credentials))] : []),
    ...("auth" in provides && provides.auth && provides.manager ? waysPages(provides.manager, provides.auth) : []),
    ...("checks" in provides && provides.checks.length > 0 ? [GENERAL] : []),
    ...("checks" in provides ? provides.checks.map(checkPage) : []),
    ...("strategies" in provides ? Object.entries(provides.strategies ?? {}).map(strategyPage) : []),
    ...("modes" in provides && provides.settings ? [section("## Members of `cache`", schemaTable(provides.settings))] : []),
    ...("obeys" in provides ? obeysPages(provides.obeys ?? {}) : []),
  ];
}

/** Set up with its defaults. A plugin that asks its host meanwhile has nothing of this to tell. */
export async function providedBy(plugin: Plugin): Promise<Partial<Kinds[Kind]>> {
  const records = { lookup: () => () => undefined }; // prepared while setting up, and asked by requests alone
  const host = { log: () => undefined, now: () => 0, records } as unknown as Parameters<Plugin["setup"]>[0];
  try {
    return (await plugin.setup(host, Value.Default(plugin.config, {}) as Json)).provides;
  } catch {
    return {}; // a handle is missing that the page has no use for
  }
}

/** How references of this manager say whom to sign in as. */
function waysPages(manager: string, ways: readonly TSchema[]): readonly string[] {
  const tables = ways.map((way) => schemaTable(way)).filter((table) => table !== "");
  const intro = `References say \`manager_type\` \`${manager}\`, and in \`auth_config\` ${tables.length === 0 ? "nothing (`{}`)" : "the members of one of these ways to sign in, and no others"}.`;
  return [section("## Members of `auth_config`", intro), ...tables];
}
/** With what the environment gives where no tenant keeps any. */
function credentialsTable(schema: TSchema): string {
  const members = Object.entries<unknown>(schema["properties"] ?? {});
  return schemaTable(
    schema,
    Object.fromEntries(members.flatMap(([name, of]) => (isJson(of) && typeof of["env"] === "string" ? [[name, of["env"]]] : []))),
  );
}
const strategyPage = ([mode, { settings }]: [string, Strategy]): string =>
  section(`## Strategy \`${mode}\``, schemaTable(settings) || "It has no settings beside `mode`.");
const obeysPages = ({ config, strategy }: ConfigMembers): string[] => [
  ...(config ? [section("## Members of configs and targets", schemaTable(Type.Partial(Type.Object({ ...config }))))] : []),
  ...(strategy ? [section("## Members of `strategy`", schemaTable(Type.Partial(Type.Object({ ...strategy }))))] : []),
];

const GENERAL =
  "Every check also takes `scope` (which messages it looks at: `last_message`, `user_messages`, `turn` or `all_messages`), `timeout` (milliseconds) and `failOnError` (whether it counts as failed when it cannot judge).";

function checkPage({ params, ...check }: Check): string {
  return section(
    `## \`${check.id}\``,
    [`${check.title}. ${behaviourOf(check)}`, schemaTable(params)].filter((part) => part !== "").join("\n\n"),
  );
}
/** How it runs, where nobody says otherwise. */
function behaviourOf({ on, wants = ["text"], scope = "last_message", stream = "final", ...check }: Omit<Check, "params">): string {
  return [
    `Runs on ${on.join(" and ")}.`,
    wants.length === 0 ? "Does not look at content." : `Looks at ${wants.join(", ")} of \`${scope}\`.`,
    on.includes("output") ? onStreams(stream) : "",
    check.transforms ? "May change what it looks at." : "",
    check.operations ? `For ${check.operations.map((id) => `\`${id}\``).join(", ")} only.` : "",
    `Has ${check.timeoutMs ?? 5_000} ms.`,
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}
function onStreams(stream: StreamMode): string {
  if (stream === "none") return "Does not run on streams.";
  if (stream === "final") return "Judges a streamed answer as a whole, before its first byte is released.";
  return `Judges a streamed answer in windows of ${stream.window.chars} characters, ${stream.window.overlap} of which it sees again.`;
}
