import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Plugin, pluginName } from "#contract";
import { pluginsNamed, pageOf } from "./docs.ts";
import { scan } from "./gen-registry.ts";
import { undescribed } from "./schema-table.ts";

const pages = new Map(
  await Promise.all((await scan()).map(async (plugin) => [pluginName(plugin.manifest), await pageOf(plugin)] as const)),
);

test("every plugin has a page with its name and what it needs", async () => {
  for (const { manifest } of await scan()) {
    const page = pages.get(pluginName(manifest)) ?? "";
    for (const part of [manifest.title, pluginName(manifest), ...(manifest.needs ?? [])]) expect(page).toContain(part);
    expect(page).not.toMatch(/undefined|\[object/);
  }
});
test("a page has the configuration with defaults and variables, and the parameters of checks", () => {
  expect(pages.get("exporter/logs")).toContain(
    "| `days` | integer | `90` | 1 to 3650 | Days that records are kept. Variable: `LOG_RETENTION_DISPLAY`. |",
  );
  expect(pages.get("guardrail/default")).toContain("## `default.contains`");
  expect(pages.get("provider/groq")).toContain("https://api.groq.com/openai/v1");
});
test("a page has the members of configs that the plugin obeys", () => {
  expect(pages.get("policy/fallback")).toContain("## Strategy `fallback`\n\n| Member |");
  expect(pages.get("policy/fallback")).toContain("| `on_status_codes` | array of integer |");
  expect(pages.get("api/models")).toContain("## Members of configs and targets\n\n| Member |");
  expect(pages.get("api/models")).toContain("| `fetch_integrated_models` | boolean |");
});
test("a page has what stands inside members: in records, lists and choices, with limits and meaning", () => {
  const page = pages.get("guardrail/default") ?? "";
  for (const row of [
    "| `rules.metadata.<name>.<name>` | array of string |  | at most 1000 items; each: at most 1000 characters | Models for requests that have",
    "| `params.values.<name>.allowedValues` | array of string \\| number \\| boolean \\| null |",
    "| `tools.blockedTypes` | array of string |  | at most 1000 items; each: at most 500 characters |",
    "| `jwks.keys` | array of object | (required) | at most 100 items |",
  ])
    expect(page).toContain(row);
  expect(page).toContain("Runs on input and output. Looks at text of `last_message`.");
});
test("a page of a manager of secrets has its ways to sign in, member by member", () => {
  const page = pages.get("secret/hashicorp-vault") ?? "";
  expect(page).toContain("## Members of `auth_config`\n\nReferences say `manager_type` `hashicorp_vault`");
  expect(page).toContain("| `vault_auth_type` | `token` | (required) |");
  expect(page).toContain("| `vault_secret_id` | string | (required) | 1 to 4096 characters | Secret id. |");
  expect(pages.get("secret/environment")).toContain("nothing (`{}`)");
  for (const manager of ["aws-secrets-manager", "azure-key-vault", "google-secret-manager"])
    expect(pages.get(`secret/${manager}`)).toMatch(/_auth_(type|mode)` \| `\w+` \| \(required\)/);
});
test("no member of a configuration is without its meaning", async () => {
  for (const { manifest, folder } of await scan()) {
    if (manifest.entry === undefined) continue;
    const { default: plugin } = (await import(join(import.meta.dir, "../..", folder, manifest.entry))) as { default: Plugin };
    expect([pluginName(manifest), undescribed(plugin.config)]).toEqual([pluginName(manifest), []]);
  }
});
test("a plugin from outside the tree has its page, by its folder or out of the profile's; a name that is nothing is told", async () => {
  const home = mkdtempSync(join(tmpdir(), "gateway-docs-"));
  const folder = join(home, "plugins/away");
  mkdirSync(folder, { recursive: true });
  try {
    const manifest = { id: "away", kind: "policy", version: "1.0.0", contract: "^1.0.0", title: "From elsewhere", entry: "plugin.mjs" };
    writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
    const config = `{ type: "object", properties: { days: { type: "integer", description: "How long." } }, required: ["days"] }`;
    writeFileSync(
      join(folder, "plugin.mjs"),
      `export default { kind: "policy", config: ${config}, needs: [], setup: () => ({ provides: {} }) };`,
    );
    const [plugin] = await pluginsNamed([folder]);
    const page = await pageOf(plugin ?? expect.unreachable());
    for (const part of ["# From elsewhere (`policy/away`)", "| `days` | integer | (required) |  | How long. |"])
      expect(page).toContain(part);
    await expect(pluginsNamed(["provider/absent"])).rejects.toThrow("provider/absent");

    const profile = join(home, "profile.json");
    writeFileSync(profile, JSON.stringify({ title: "p", extends: "default", pluginsDir: "./plugins" }));
    const env = { GATEWAY_PROFILE: profile };
    expect((await pluginsNamed(["policy/away"], env)).map(({ manifest: { title } }) => title)).toEqual(["From elsewhere"]);
    expect((await pluginsNamed([], env)).map(({ manifest: of }) => pluginName(of))).toEqual([...pages.keys(), "policy/away"]);

    rmSync(join(folder, "plugin.mjs"));
    await expect(pageOf(plugin ?? expect.unreachable())).rejects.toThrow("policy/away has no plugin.mjs yet: build it first");
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
