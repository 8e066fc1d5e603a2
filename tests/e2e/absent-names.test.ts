/** What saved records name and the deployment lacks: `gateway check` tells each, with its place and what would put it right. */
import { Database } from "bun:sqlite";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { ADMIN_KEY, ask, type GatewayProcess, SOURCE, startGateway } from "./process.ts";

type Json = Record<string, unknown>;

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGateway();
}, 30_000);
afterAll(() => rmSync(gateway.dataDir, { recursive: true, force: true }));

async function made(path: string, body: Json): Promise<string> {
  const { status, json, text } = await ask(gateway.base + path, "POST", ADMIN_KEY, body);
  expect({ status, text }).toMatchObject({ status: 200 });
  return String(((json["data"] ?? json) as Json)["slug"]); // configs answer inside `data`
}
const saveConfig = (config: Json) => made("/v2/configs", { name: "c", workspace_id: "default", config });
function write(table: string, column: string, slug: string, value: unknown): void {
  const database = new Database(join(gateway.dataDir, "main.db"));
  database.run(`UPDATE ${table} SET ${column} = ? WHERE slug = ?`, [JSON.stringify(value), slug]);
  database.close();
}

/** The warnings of `gateway check` over the gateway's data folder, with some plugins off. */
async function warnings(off: readonly string[]): Promise<{ readonly lines: readonly string[]; readonly code: number }> {
  const profile = join(gateway.dataDir, "profile.json");
  const plugins = Object.fromEntries(off.map((name) => [name, { enabled: false }]));
  writeFileSync(profile, JSON.stringify({ title: "p", extends: "default", plugins }));
  const env = { PATH: process.env["PATH"], GATEWAY_DATA_DIR: gateway.dataDir, GATEWAY_PROFILE: profile };
  const child = Bun.spawn([...SOURCE, "check"], { env, stdout: "pipe", stderr: "pipe" });
  const [errors, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  return { lines: errors.split("\n").filter((line) => line.startsWith("Warning: ")), code };
}

const CONTAINS = { id: "default.contains", parameters: { words: ["x"] } };
const feedback = { feedback: { value: 1, weight: 1, metadata: "" } };
const GUARDRAIL = {
  name: "g",
  workspace_id: "default",
  checks: [CONTAINS],
  actions: { deny: true, async: false, on_success: feedback, on_fail: feedback },
};

test("a provider or a check that is misspelt or off is told, with the record, the place and what would be right", async () => {
  await made("/admin/v2/integrations", { name: "Mine", slug: "mine", ai_provider_id: "openai", key: "sk-1234567890" });
  await made("/v2/providers", { name: "Mine", slug: "mine", workspace_id: "default", integration_id: "mine" });
  await made("/admin/v2/integrations", { name: "Away", slug: "away", ai_provider_id: "cerebras", key: "sk-1234567890" });
  await made("/v2/providers", { name: "Away", slug: "away", workspace_id: "default", integration_id: "away" });
  const fine = await saveConfig({ targets: [{ provider: "sandbox" }, { provider: "@mine" }, { virtual_key: "mine" }] });
  const routed = await saveConfig({ provider: "sandbox" });
  const guarded = await saveConfig({ provider: "sandbox", input_guardrails: [{ "default.contains": CONTAINS.parameters }] });
  const hooked = await saveConfig({ provider: "sandbox", before_request_hooks: [{ checks: [CONTAINS, CONTAINS] }] });
  const [saved, healthy] = [await made("/v2/guardrails", GUARDRAIL), await made("/v2/guardrails", GUARDRAIL)];
  await gateway.stop();
  // As a build with further plugins would have saved it.
  write("configs", "config", routed, {
    targets: [
      { provider: "groqq" },
      { targets: [{ provider: "groq" }, { provider: "@mime" }] },
      { provider: "nothing-like-it" },
      { virtual_key: "gone-for-good" },
      { provider: "@away" },
    ],
  });
  write("guardrails", "checks", saved, [
    CONTAINS,
    { id: "default.wordCont", parameters: {} },
    { id: "partner_c.scanPrompt", parameters: {} },
  ]);
  write("configs", "config", hooked, { provider: "sandbox", before_request_hooks: [{ checks: [CONTAINS, { id: "containsCod" }] }] });

  const { lines, code } = await warnings(["provider/groq", "provider/cerebras", "guardrail/partner_c"]);
  const about = (slug: string) => lines.filter((line) => line.includes(slug)).map((line) => line.replace(/^.*?(?=config\.|checks\[)/, ""));
  const off = (name: string) =>
    expect.stringMatching(new RegExp(`which ${name} provides; it is off: the profile .*profile\\.json disables it\\.`));
  expect(about(routed)).toEqual([
    "config.targets[0].provider names groqq, which there is not; groq was probably meant.",
    "config.targets[2].provider names nothing-like-it, which there is not.",
    "config.targets[3].virtual_key names @gone-for-good, which is not saved in this workspace.",
    expect.stringMatching(/^config\.targets\[4\]\.provider names @away \(cerebras\), which provider\/cerebras provides; it is off: /),
    off("provider/groq"),
    "config.targets[1].targets[1].provider names @mime, which is not saved in this workspace; @mine was probably meant.",
  ]);
  expect(about(hooked)).toEqual([
    "config.before_request_hooks[0].checks[1].id names containsCod, which there is not; containsCode was probably meant.",
  ]);
  expect(about(saved)).toEqual([
    "checks[1].id names default.wordCont, which there is not; default.wordCount was probably meant.",
    off("guardrail/partner_c"),
  ]);
  expect([about(fine), about(guarded), about(healthy), code]).toEqual([[], [], [], 0]);

  const without = await warnings(["guardrail/default"]);
  expect(without.lines.filter((line) => line.includes(guarded))).toEqual([
    expect.stringContaining(
      "config.input_guardrails[0].default.contains names default.contains, which guardrail/default provides; it is off",
    ),
  ]);
}, 60_000);
