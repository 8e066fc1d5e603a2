/**
 * Writes the README's generated parts: the configuration reference (from the settings table and the manifests) and the
 * status table (from the requirement rows). With `--check` it only compares.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Manifest, pluginName } from "#contract";
import { REQUIREMENTS } from "../../tests/requirements/index.ts";
import { statusTable } from "../../tests/requirements/status.ts";
import { SETTINGS, type SettingRow } from "../kernel/settings.ts";

const root = join(import.meta.dir, "../..");
const readme = join(root, "README.md");

const manifests = [...new Bun.Glob("{providers,guardrails,storage,plugins}/**/manifest.json").scanSync({ cwd: root })]
  .filter((file) => !file.includes("node_modules"))
  .map((file) => JSON.parse(readFileSync(join(root, file), "utf8")) as Manifest)
  .sort((a, b) => pluginName(a).localeCompare(pluginName(b)));

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

function settingsTable(): string {
  const rows = Object.values<SettingRow>(SETTINGS).map(({ env, also, schema, secret }) => {
    const fallback =
      secret || schema.default === undefined ? "" : `\`${Array.isArray(schema.default) ? schema.default.join(",") : schema.default}\``;
    return `| \`${env}\`${(also ?? []).map((name) => ` (\`${name}\`)`).join("")} | ${fallback === "``" ? "" : fallback} | ${cell(schema.description ?? "")} |`;
  });
  return ["| Variable | Default | Meaning |", "| :- | :- | :- |", ...rows].join("\n");
}

function pluginSettingsTable(): string {
  const rows = manifests.flatMap((manifest) => [
    ...(manifest.flag
      ? [
          `| \`${manifest.flag.env}\` | \`${pluginName(manifest)}\` | ${manifest.flag.when === "set" ? "Switches the plugin on when it is set." : "`OFF` switches the plugin off."} |`,
        ]
      : []),
    ...Object.entries(manifest.env ?? {})
      .filter(([env]) => env !== manifest.flag?.env)
      .map(([env, member]) => `| \`${env}\` | \`${pluginName(manifest)}\` | Sets its configuration member \`${member}\`. |`),
  ]);
  return ["| Variable | Plugin | Effect |", "| :- | :- | :- |", ...new Set(rows)].join("\n");
}

function providersList(): string {
  return manifests
    .filter(({ kind }) => kind === "provider")
    .map(({ id }) => `\`${id}\``)
    .join(" ");
}

const PARTS: Readonly<Record<string, () => string>> = {
  settings: settingsTable,
  "plugin-settings": pluginSettingsTable,
  providers: providersList,
  status: () => statusTable(REQUIREMENTS),
};

const before = readFileSync(readme, "utf8");
let after = before;
for (const [name, make] of Object.entries(PARTS)) {
  const between = new RegExp(`(<!-- generated:${name} -->\n)[\\s\\S]*?(<!-- /generated:${name} -->)`);
  if (!between.test(after)) throw new Error(`README.md has no part <!-- generated:${name} -->`);
  after = after.replace(between, (_, open: string, close: string) => `${open}${make()}\n${close}`);
}
if (process.argv.includes("--check")) {
  if (after !== before) {
    console.error("README.md is stale: run `npm run gen`.");
    process.exit(1);
  }
} else if (after !== before) writeFileSync(readme, after);
