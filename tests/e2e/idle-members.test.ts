/** A member of a config or a guardrail that nothing obeys is refused by name; what was saved before is served, and told of. */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Answer, ADMIN_KEY, ask, chat, type GatewayProcess, SOURCE, startGateway } from "./process.ts";

type Json = Record<string, unknown>;
let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
});

const save = (config: Json): Promise<Answer> =>
  ask(`${gateway.base}/v2/configs`, "POST", ADMIN_KEY, { name: "c", workspace_id: "default", config });
const asked = (config: Json): Promise<Answer> => chat(gateway, {}, { "x-gateway-config": JSON.stringify(config) });

const SANDBOX = { provider: "sandbox" };
const BREAKER = { failure_threshold: 3, cooldown_interval: 30_000 };
const routed = (strategy: Json, more: Json = {}): Json => ({ strategy, targets: [SANDBOX, SANDBOX], ...more });
const guarded = (guardrail: Json): Json => ({ ...SANDBOX, input_guardrails: [guardrail] });
const WEBHOOK = { webhookURL: "https://hooks.example.com/x" };

/** What stands there, where, and who is said to obey it. */
const IDLE: readonly [what: string, config: Json, at: string, says: string][] = [
  ["a circuit breaker", { ...SANDBOX, cb_config: BREAKER }, "config.cb_config", "a circuit breaker (kind policy)"],
  ["one inside a strategy", routed({ mode: "fallback", cb_config: BREAKER }), "config.strategy.cb_config", "a circuit breaker"],
  ["stickiness", routed({ mode: "loadbalance", sticky: { enabled: true } }), "config.strategy.sticky", "sticky load balancing"],
  ["conditions", routed({ mode: "single", conditions: [] }), "config.strategy.conditions", "the strategy mode conditional"],
  ["a default target", routed({ mode: "single", default: "a" }), "config.strategy.default", "the strategy mode conditional"],
  [
    "statuses of another mode",
    routed({ mode: "loadbalance", on_status_codes: [429] }),
    "config.strategy.on_status_codes",
    "fallback would",
  ],
  ["their older place", routed({ mode: "loadbalance" }, { on_status_codes: [429] }), "config.on_status_codes", "fallback would"],
  ["statuses without targets", { ...SANDBOX, on_status_codes: [429] }, "config.on_status_codes", "needs targets"],
  ["a strategy without targets", { ...SANDBOX, strategy: { mode: "fallback" } }, "config.strategy", "needs targets"],
  ["a prompt", { ...SANDBOX, prompt_id: "pp-1" }, "config.prompt_id", "saved prompts (kind api)"],
  ["pass-through", { passthrough: true }, "config.passthrough", "pass-through routing"],
  ["an unknown cache mode", { ...SANDBOX, cache: { mode: "magic" } }, "config.cache.mode", "magic"],
  ["an unknown member of a cache", { ...SANDBOX, cache: { mode: "simple", size: 3 } }, "config.cache.size", "obeyed by no cache"],
  ["an unknown member", { ...SANDBOX, surprise: 1 }, "config.surprise", "no member of a config"],
  ["a field of another provider", { provider: "openai", anthropic_beta: "x" }, "config.anthropic_beta", "Anthropic"],
  ["a provider beside targets", routed({ mode: "single" }, { provider: "openai" }), "config.provider", "write it in each of them"],
  ["a field beside targets", { targets: [SANDBOX], openai_project: "p" }, "config.openai_project", "write it in each of them"],
  [
    "one deep inside",
    { targets: [SANDBOX, { targets: [{ ...SANDBOX, cb_config: BREAKER }] }] },
    "config.targets[1].targets[0].cb_config",
    "circuit",
  ],
  [
    "a check's parameter",
    guarded({ "default.webhook": { ...WEBHOOK, colour: "red" } }),
    "config.input_guardrails[0].default.webhook.parameters",
    "colour",
  ],
  [
    "a nested member of one",
    { ...SANDBOX, before_request_hooks: [{ checks: [{ id: "default.webhook", parameters: WEBHOOK, mode: "x" }] }] },
    "config.before_request_hooks[0].checks[0].mode",
    "no such member",
  ],
  [
    "an action",
    guarded({ checks: [{ id: "default.contains", parameters: { words: ["x"] } }], soft_denial: true }),
    "config.input_guardrails[0].soft_denial",
    "no such member",
  ],
  ["a guardrail without a check", guarded({ id: "pg-x", deny: true }), "config.input_guardrails[0]", "names no check"],
  [
    "a check of the other side",
    { ...SANDBOX, output_guardrails: [{ "default.modelWhitelist": { models: ["x"] }, deny: true }] },
    "config.output_guardrails[0].default.modelWhitelist",
    "input side",
  ],
  [
    "an action that is no boolean",
    guarded({ "default.contains": { words: ["x"] }, deny: "yes" }),
    "config.input_guardrails[0].deny",
    "expected boolean",
  ],
];

describe("a member that nothing obeys is refused, with its place and who would obey it", () => {
  test.each(IDLE)("%s, in a config that is saved", async (_, config, at, says) => {
    const answer = await save(config);
    expect(answer).toMatchObject({ status: 400, json: { error: { code: "AB01", message: expect.stringContaining(says) } } });
    expect(answer.text).toContain(at.split(".parameters")[0] ?? at);
  });
  test.each(IDLE)("%s, in a config of a request", async (_, config, at, says) => {
    const answer = await asked(config);
    expect(answer).toMatchObject({ status: 400, json: { error: { param: at, message: expect.stringContaining(says) } } });
  });
  test("a parameter of a saved guardrail's check", async () => {
    const feedback = { feedback: { value: 1, weight: 1, metadata: "" } };
    const answer = await ask(`${gateway.base}/v2/guardrails`, "POST", ADMIN_KEY, {
      name: "g",
      workspace_id: "default",
      checks: [{ id: "default.webhook", parameters: { ...WEBHOOK, colour: "red" } }],
      actions: { deny: true, async: false, on_success: feedback, on_fail: feedback },
    });
    expect(answer).toMatchObject({
      status: 400,
      json: { error: { param: "checks[0].parameters.colour", message: expect.stringContaining("colour") } },
    });
  });
});

describe("what is obeyed is taken, saved and in a request", () => {
  test.each<[string, Json]>([
    ["a strategy with a setting of its mode", routed({ mode: "fallback", on_status_codes: [429] })],
    ["the older place of that setting", routed({ mode: "fallback" }, { on_status_codes: [429] })],
    ["a field of its provider", { targets: [SANDBOX, { provider: "anthropic", anthropic_beta: ["a", "b"] }] }],
    ["a field of a saved provider, whichever that is", { targets: [SANDBOX, { provider: "@x", openai_project: "p" }] }],
    ["a member of the models plugin", { ...SANDBOX, fetch_integrated_models: true }],
    [
      "parameters that every check has",
      guarded({ "default.contains": { words: ["Hello"], operator: "any", timeout: 50, failOnError: true, scope: "turn" } }),
    ],
    [
      "an inline guardrail with everything",
      guarded({
        checks: [{ id: "default.contains", name: "n", is_enabled: true, parameters: { words: ["Hello"] } }],
        deny: true,
        async: false,
        sequential: true,
        type: "guardrail",
        id: "mine",
        name: "Mine",
        on_fail: { feedback: { value: -1 } },
      }),
    ],
  ])("%s", async (_, config) => {
    expect(await save(config)).toMatchObject({ status: 200 });
    expect(await asked(config)).toMatchObject({ status: 200 });
  });
  test.each(["simple", "semantic"])("a cache with the mode %s, which answers that it is disabled until there is one", async (mode) => {
    const config = { ...SANDBOX, cache: { mode, max_age: 60 } };
    expect((await save(config)).status).toBe(200);
    const answer = await asked(config);
    expect([answer.status, answer.headers.get("x-gateway-cache-status")]).toEqual([200, "DISABLED"]);
  });
});

test("the document shows what is claimed, and nothing else", async () => {
  const { json } = await ask(`${gateway.base}/openapi.json`, "GET", null);
  const config = (
    json["components"] as unknown as { schemas: { Config: { additionalProperties: boolean; properties: Record<string, Json> } } }
  ).schemas.Config;
  expect(config.additionalProperties).toBe(false);
  expect(Object.keys(config.properties)).toEqual(
    expect.arrayContaining(["targets", "strategy", "fetch_integrated_models", "anthropic_beta"]),
  );
  expect(Object.keys(config.properties)).not.toEqual(expect.arrayContaining(["cb_config"]));
  expect(config.properties["strategy"]).toMatchObject({
    properties: { mode: { enum: expect.arrayContaining(["fallback"]) }, on_status_codes: {} },
  });
});

describe("records that were saved before", () => {
  /** Writes into the database what an earlier version had accepted. */
  function saveAsBefore(slug: string, config: Json): void {
    const database = new Database(join(gateway.dataDir, "main.db"));
    database.run("UPDATE configs SET config = ? WHERE slug = ?", [JSON.stringify(config), slug]);
    database.close();
  }
  test("are served without the member, and `gateway check` names each", async () => {
    const slug = String((((await save(SANDBOX)).json["data"] ?? {}) as Json)["slug"]);
    await gateway.stop();
    saveAsBefore(slug, {
      strategy: { mode: "fallback", cb_config: BREAKER },
      targets: [{ ...SANDBOX, prompt_id: "pp-1", cache: { mode: "magic" } }],
      input_guardrails: [{ "default.contains": { words: ["Hello"], executeOnProxy: true } }],
    });
    gateway = await startGateway({ dataDir: gateway.dataDir });
    expect((await chat(gateway, {}, { "x-gateway-config": slug })).status).toBe(200);

    const { printed, code } = await check(gateway.dataDir);
    const lines = printed.split("\n").filter((line) => line.includes(slug));
    for (const at of ["config.strategy.cb_config", "config.targets[0].prompt_id", "config.targets[0].cache.mode", "executeOnProxy"])
      expect(lines.filter((line) => line.includes(at))).toHaveLength(1);
    expect({ lines: lines.length, code }).toEqual({ lines: 4, code: 0 });
    expect((await chat(gateway, {}, { "x-gateway-config": slug })).status).toBe(200);
  }, 60_000);
  test("are not looked at where their tables are of an earlier build, which could not go on with what a check would make of them", async () => {
    await gateway.stop();
    const database = new Database(join(gateway.dataDir, "main.db"));
    const applied = database.query(`select * from "_migrations"`).all();
    database.run(`delete from "_migrations"`);
    const { printed, code } = await check(gateway.dataDir);
    expect(printed).toContain("Not judged: the storage, and the configs and guardrails saved in it");
    expect(printed).toContain("a start of this build runs");
    expect([code, applied.length > 0, database.query(`select * from "_migrations"`).all()]).toEqual([0, true, []]);
    for (const row of applied as { id: string; checksum: string; applied_at: number }[])
      database.run(`insert into "_migrations" values (?, ?, ?)`, [row.id, row.checksum, row.applied_at]);
    database.close();
    gateway = await startGateway({ dataDir: gateway.dataDir });
  }, 60_000);
});

async function check(dataDir: string): Promise<{ readonly printed: string; readonly code: number }> {
  const child = Bun.spawn([...SOURCE, "check"], {
    env: { PATH: process.env["PATH"], GATEWAY_DATA_DIR: dataDir },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [printed, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  return { printed, code };
}
