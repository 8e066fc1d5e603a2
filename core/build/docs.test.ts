import { expect, test } from "bun:test";
import { pluginName } from "#contract";
import { pageOf } from "./docs.ts";
import { scan } from "./gen-registry.ts";

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
    "| `days` | integer | `90` | Days that records are kept. Variable: `LOG_RETENTION_DISPLAY`. |",
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
