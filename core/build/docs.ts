/**
 * `bun core/build/docs.ts [kind/id …]`: the reference page of every built-in plugin, or of those named, as Markdown on
 * standard output. Everything comes from manifests and schemas; there is nothing to keep up to date.
 */
import { join, resolve } from "node:path";
import type { TSchema } from "@sinclair/typebox";
import { type Check, isJson, type Plugin, pluginName } from "#contract";
import { scan, type Scanned } from "./gen-registry.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/** The page of one plugin. */
export async function pageOf({ manifest, folder }: Scanned): Promise<string> {
  const plugin =
    manifest.entry === undefined ? undefined : ((await import(join(ROOT, folder, manifest.entry))) as { default: Plugin }).default;
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
    ...(plugin?.kind === "guardrail" ? (await checksOf(plugin)).map(checkPage) : []),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

const list = (name: string, ids: readonly string[]): string =>
  ids.length === 0 ? "" : `${name}: ${ids.map((id) => `\`${id}\``).join(", ")}.`;
const section = (heading: string, body: string): string => (body === "" ? "" : `${heading}\n\n${body}`);

/** A pack says what its checks are without doing anything: its host's handles are used by `run` only. */
async function checksOf(plugin: Plugin): Promise<readonly Check[]> {
  const { provides } = await plugin.setup({ log: () => undefined, now: () => 0 } as unknown as Parameters<Plugin["setup"]>[0], {});
  return "checks" in provides ? provides.checks : [];
}

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
    return `| \`${name}\` | ${typeOf(schema)} | ${shown} | ${cell(String(description ?? ""))}${variable} |`;
  });
  return rows.length === 0 ? "" : ["| Member | Type | Default | Meaning |", "| :- | :- | :- | :- |", ...rows].join("\n");
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

function typeOf(schema: unknown): string {
  if (!isJson(schema)) return "";
  if (Array.isArray(schema.enum)) return cell(schema.enum.map((word) => `\`${String(word)}\``).join(" | "));
  if (Array.isArray(schema.anyOf)) return cell(schema.anyOf.map(typeOf).join(" | "));
  if ("const" in schema) return `\`${String(schema.const)}\``;
  return schema.type === "array" ? `array of ${typeOf(schema.items) || "any"}` : String(schema.type ?? "any");
}

if (import.meta.main) {
  const names = process.argv.slice(2);
  const all = await scan();
  const chosen = names.length === 0 ? all : all.filter(({ manifest }) => names.includes(pluginName(manifest)));
  const unknown = names.filter((name) => !all.some(({ manifest }) => pluginName(manifest) === name));
  if (unknown.length > 0) {
    console.error(`There is no plugin ${unknown.join(", ")}.`);
    process.exit(1);
  }
  for (const plugin of chosen) console.log(`${await pageOf(plugin)}\n`);
}
