/**
 * Writes the README's generated parts: the configuration reference (from the settings table and the manifests) and the
 * status table (from the requirement rows). With `--check` it only compares.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TObject } from "@sinclair/typebox";
import { type Manifest, type Operation, OPERATIONS, type Plugin, pluginName, wholePath } from "#contract";
import { REQUIREMENTS } from "../../tests/requirements/index.ts";
import { statusTable } from "../../tests/requirements/status.ts";
import { parseManifests } from "../kernel/discovery/manifest.ts";
import { codeOf, providedBy } from "./plugin-page.ts";
import { SETTINGS, type SettingRow } from "../kernel/settings/settings.ts";

const root = join(import.meta.dir, "../..");
const readme = join(root, "README.md");

const folders = [...new Bun.Glob("{providers,guardrails,storage,plugins}/**/manifest.json").scanSync({ cwd: root })]
  .filter((file) => !file.includes("node_modules"))
  .flatMap((file) =>
    parseManifests(JSON.parse(readFileSync(join(root, file), "utf8")), file).map((manifest) => ({ folder: dirname(file), manifest })),
  )
  .sort((a, b) => pluginName(a.manifest).localeCompare(pluginName(b.manifest)));
const manifests = folders.map(({ manifest }) => manifest);

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

function settingsTable(): string {
  const rows = Object.values<SettingRow>(SETTINGS).map(({ env, also, schema, secret }) => {
    const fallback =
      secret || schema.default === undefined ? "" : `\`${Array.isArray(schema.default) ? schema.default.join(",") : schema.default}\``;
    return `| \`${env}\`${(also ?? []).map((name) => ` (\`${name}\`)`).join("")} | ${fallback === "``" ? "" : fallback} | ${cell(schema.description ?? "")} |`;
  });
  return ["| Variable | Default | Meaning |", "| :- | :- | :- |", ...rows].join("\n");
}

async function pluginSettingsTable(): Promise<string> {
  const rows = (await Promise.all(folders.map(variablesOf))).flat();
  return ["| Variable | Plugin | Effect |", "| :- | :- | :- |", ...new Set(rows)].join("\n");
}

/** A row for the plugin's flag, and one for each variable that sets a member of its configuration. */
async function variablesOf({ folder, manifest }: (typeof folders)[number]): Promise<string[]> {
  const row = (env: string, effect: string): string => `| \`${env}\` | \`${pluginName(manifest)}\` | ${effect} |`;
  const { flag, env: mapped = {} } = manifest;
  const members = Object.entries(mapped).filter(([env]) => env !== flag?.env);
  const describe = members.length > 0 ? await descriptionsOf(folder, manifest) : () => "";
  return [
    ...(flag ? [row(flag.env, flag.when === "set" ? "Switches the plugin on when it is set." : "`OFF` switches the plugin off.")] : []),
    ...members.map(([env, member]) => row(env, `Sets its configuration member \`${member}\`.${describe(member)}`)),
  ];
}

/** What a plugin's schema says of a member; a plugin without code of its own says nothing. */
async function descriptionsOf(folder: string, { entry }: Manifest): Promise<(member: string) => string> {
  if (entry === undefined) return () => "";
  const { default: plugin } = (await import(join(root, folder, entry))) as { default: Plugin }; // every entry's default export
  return (member) => {
    const { description } = plugin.config.properties[member] ?? {};
    return description === undefined ? "" : ` ${cell(description)}`;
  };
}

function providersList(): string {
  return manifests
    .filter(({ kind }) => kind === "provider")
    .map(({ id }) => `\`${id}\``)
    .join(" ");
}

/** The operations that some plugin mounts, by group. */
function operationsTable(): string {
  const mounted = new Set(manifests.filter(({ kind }) => kind === "api").flatMap(({ provides }) => provides ?? []));
  const byTag = new Map<string, string[]>();
  for (const [id, row] of Object.entries<Operation>(OPERATIONS))
    if (mounted.has(id)) byTag.set(row.tag, [...(byTag.get(row.tag) ?? []), `\`${row.method} ${wholePath(row, row.path)}\``]);
  return ["| Group | Operations |", "| :- | :- |", ...[...byTag].map(([tag, paths]) => `| ${tag} | ${paths.join(", ")} |`)].join("\n");
}

/** The checks of each pack. */
const checksList = (): string =>
  manifests
    .filter(({ kind }) => kind === "guardrail")
    .map((manifest) => `- \`${pluginName(manifest)}\`: ${(manifest.provides ?? []).map((id) => `\`${id}\``).join(" ")}`)
    .join("\n");

/** Managers of secrets, with the members of `auth_config` of each way to sign in. */
async function managersTable(): Promise<string> {
  const secrets = folders.filter(({ manifest }) => manifest.kind === "secret");
  const rows = await Promise.all(secrets.map(managerRow));
  return ["| `manager_type` | `auth_config`, one of | Members in full |", "| :- | :- | :- |", ...rows.flat()].join("\n");
}
async function managerRow({ folder, manifest }: (typeof folders)[number]): Promise<string[]> {
  const plugin = await codeOf(manifest, join(root, folder));
  const provides = plugin ? await providedBy(plugin) : {};
  if (!("auth" in provides) || !provides.auth) return [];
  const ways = provides.auth.map(wayIn).join("; ");
  return [`| \`${provides.manager}\` | ${ways} | \`npm run docs -- ${pluginName(manifest)}\` |`];
}
/** A question mark stands behind what may be left out. */
const wayIn = ({ properties, required = [] }: TObject): string =>
  Object.entries(properties)
    .map(
      ([name, of]) =>
        (of["const"] === undefined ? `\`${name}\`` : `\`${name}: ${String(of["const"])}\``) + (required.includes(name) ? "" : "?"),
    )
    .join(", ") || "`{}`";

const PARTS: Readonly<Record<string, () => string | Promise<string>>> = {
  settings: settingsTable,
  "plugin-settings": pluginSettingsTable,
  providers: providersList,
  operations: operationsTable,
  checks: checksList,
  managers: managersTable,
  status: () => statusTable(REQUIREMENTS),
};

const before = readFileSync(readme, "utf8");
let after = before;
for (const [name, make] of Object.entries(PARTS)) {
  const between = new RegExp(`(<!-- generated:${name} -->\n)[\\s\\S]*?(<!-- /generated:${name} -->)`);
  if (!between.test(after)) throw new Error(`README.md has no part <!-- generated:${name} -->`);
  const made = await make();
  after = after.replace(between, (_, open: string, close: string) => `${open}${made}\n${close}`);
}
if (process.argv.includes("--check")) {
  if (after !== before) {
    console.error("README.md is stale: run `npm run gen`.");
    process.exit(1);
  }
} else if (after !== before) writeFileSync(readme, after);
