/** Secrets of guardrails, of accounts with vendors and of integrations that are kept elsewhere, through the running gateway. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonAnswer, type ReplayServer, replayServer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { at, bodyOf, type Json } from "../endpoints/api.ts";
import { ADMIN_KEY, type Answer, ask, GATEWAY_KEY, type GatewayProcess, startGateway, until } from "../process.ts";
import { errorOf } from "./api.ts";

const TOKEN = "hvs.mappings-token-0123456789";
const HOOK_KEY = "Bearer hook-key-0123456789";
const VENDOR_KEY = "vendor-key-in-vault-0123456789";
const FILE_KEY = "sk-kept-in-a-file-0123456789";
const VARIABLE_KEY = "sk-kept-in-a-variable-0123456789";
const files = mkdtempSync(join(tmpdir(), "mapped-files-"));
writeFileSync(join(files, "openai"), `${FILE_KEY}\n`);

let vault: ReplayServer;
let hook: ReplayServer;
let gateway: GatewayProcess;
beforeAll(async () => {
  [vault, hook] = [replayServer(), replayServer()];
  vault.answer(({ path }) => {
    const api_key = KEPT[path];
    return api_key === undefined
      ? jsonAnswer({ errors: ["sealed"] }, { status: 503 })
      : jsonAnswer({ data: { data: { api_key }, metadata: { version: 1 } } });
  });
  gateway = await startGateway({
    env: {
      GATEWAY_TRUSTED_HOSTS: [vault, hook].map(({ url }) => new URL(url).host).join(","),
      FILE_SECRETS_DIR: files,
      ENV_SECRETS_PREFIX: "TENANT_SECRET_",
      TENANT_SECRET_OPENAI: VARIABLE_KEY,
    },
  });
}, 60_000);
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await Promise.all([vault.close(), hook.close()]);
  rmSync(files, { recursive: true });
});
/** What the Vault keeps, by path; it is away for everything else. */
const KEPT: Record<string, string> = {
  "/v1/secret/data/hook": JSON.stringify({ Authorization: HOOK_KEY }),
  "/v1/secret/data/vendor": VENDOR_KEY,
  "/v1/secret/data/unfit": "no JSON of headers",
};

const admin = (method: string, path: string, body?: Json): Promise<Answer> => ask(gateway.base + path, method, ADMIN_KEY, body);
async function reference(slug: string, more: Json = {}): Promise<void> {
  const body = {
    name: slug,
    slug,
    manager_type: "hashicorp_vault",
    auth_config: { vault_auth_type: "token", vault_addr: vault.url, vault_token: TOKEN },
    secret_path: `secret/data/${slug}`,
    secret_key: "api_key",
    ...more,
  };
  bodyOf(await admin("POST", "/admin/v2/secret-references", body));
}
const mapped = (secret_reference_id: string, target_field: string, more: Json = {}): Json => ({
  target_field,
  secret_reference_id,
  ...more,
});
const webhook = (more: Json = {}): Json => ({ id: "default.webhook", parameters: { webhookURL: `${hook.url}/judge`, ...more } });
const guardrail = (name: string, checks: readonly Json[], secret_mappings?: readonly Json[]): Promise<Answer> =>
  admin("POST", "/v2/guardrails", {
    name,
    workspace_id: "default",
    checks,
    actions: { deny: true, on_success: { feedback: {} }, on_fail: { feedback: {} } },
    ...(secret_mappings && { secret_mappings }),
  });
const chatted = (config: Json): Promise<Answer> =>
  ask(
    `${gateway.base}/v1/chat/completions`,
    "POST",
    GATEWAY_KEY,
    { model: "echo", messages: [{ role: "user", content: "Hello" }] },
    { "x-gateway-config": JSON.stringify({ provider: "sandbox", ...config }) },
  );
const firstCheck = (answer: Answer): Json => at(answer.json, "hook_results", "before_request_hooks", 0, "checks", 0) as Json;

describe("secret mappings of a guardrail", () => {
  test(verifies("A.mappings.guardrails", "give its check the parameter, and nobody else sees it"), async () => {
    await reference("hook");
    hook.answer(({ headers }) => jsonAnswer({ verdict: true, data: { heard: headers.get("authorization") } }));
    const made = bodyOf(await guardrail("Mapped", [webhook()], [mapped("hook", "headers")]));
    const traces: (string | null)[] = [];
    for (let i = 0; i < 2; i += 1) {
      const answer = await chatted({ input_guardrails: [made["slug"]] });
      expect(answer.status).toBe(200);
      expect(hook.received.at(-1)?.headers.get("authorization")).toBe(HOOK_KEY);
      expect(firstCheck(answer)).toMatchObject({ verdict: true });
      expect(answer.text).not.toContain(HOOK_KEY);
      traces.push(answer.headers.get("x-gateway-trace-id"));
    }
    expect(vault.received.filter(({ path }) => path.endsWith("/hook"))).toHaveLength(1);
    const shown = await admin("GET", `/v2/guardrails/${String(made["slug"])}`);
    expect(bodyOf(shown)["secret_mappings"]).toEqual([
      { target_field: "checks[0].parameters.headers", secret_reference_id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    ]);
    const logs = await until("its log", async () => {
      const of = (query: string) => ask(`${gateway.base}/v1/logs/${traces[0]}${query}`, "GET", GATEWAY_KEY);
      const found = await Promise.all(["", "?type=hooks"].map(of));
      return found.every(({ status }) => status === 200) && found.map(({ text }) => text).join("");
    });
    expect(shown.text + logs + gateway.output()).not.toMatch(/hook-key-0123456789|hvs\.mappings/);
    const deleted = await admin("DELETE", "/admin/v2/secret-references/hook");
    expect(errorOf(deleted)).toMatchObject({ status: 400 });
    expect(deleted.text).toContain(`the guardrail ${String(made["slug"])} maps it`);
  });
  test.each<[string, readonly Json[]]>([
    ["a manager that is away, with nothing kept", [mapped("hook-away", "headers")]],
    ["what does not fit the parameter", [mapped("unfit", "headers")]],
  ])(verifies("A.mappings.guardrails", "that give %s leave a guardrail that denies shut"), async (name, mappings) => {
    const slug = String(mappings[0]?.["secret_reference_id"]);
    await reference(slug);
    const made = bodyOf(await guardrail(name, [webhook()], mappings));
    const before = hook.received.length;
    const answer = await chatted({ input_guardrails: [made["slug"]] });
    expect(answer.status).toBe(446);
    expect(firstCheck(answer)).toMatchObject({ error: { name: "Authentication error" } });
    expect(answer.text).not.toContain("no JSON of headers");
    expect(hook.received.length).toBe(before);
  });
  test(verifies("A.mappings.rules", "are of secret parameters of its own checks alone, each said by its check's place"), async () => {
    await reference("rules");
    const wrong = (field: string) => guardrail("Rules", [webhook(), webhook()], [mapped("rules", field)]);
    for (const field of ["webhookURL", "checks[0].parameters.webhookURL", "checks[2].parameters.headers", "headers"])
      expect(errorOf(await wrong(field))).toMatchObject({ status: 400, param: "secret_mappings[0].target_field" });
    const made = bodyOf(await guardrail("Rules", [webhook(), webhook()], [mapped("rules", "checks[1].parameters.headers")]));
    const path = `/v2/guardrails/${String(made["slug"])}`;
    const elsewhere = await admin("PUT", path, { checks: [webhook()] });
    expect(elsewhere).toMatchObject({ status: 400, json: { error: { param: "secret_mappings" } } });
    expect((await admin("PUT", path, { checks: [webhook()], secret_mappings: null })).status).toBe(200);
    expect((await admin("DELETE", "/admin/v2/secret-references/rules")).status).toBe(200);
  });
});

test(verifies("A.mappings.accounts", "an account with a vendor has the key that the Vault keeps"), async () => {
  await reference("vendor");
  hook.answer(jsonAnswer({ violations_detected: false, deputies: {}, findings: {} }));
  const account = { plugin_id: "partner_i", workspace_id: "default", credentials: { apiEndpoint: hook.url } };
  expect((await admin("POST", "/v2/plugins", account)).status).toBe(400);
  const made = await admin("POST", "/v2/plugins", { ...account, secret_mappings: [mapped("vendor", "apiKey")] });
  const answer = await chatted({ input_guardrails: [{ "partner_i.classify": { apiVersion: "v3" }, deny: true, id: "g" }] });
  expect(answer.status).toBe(200);
  expect(hook.received.at(-1)?.headers.get("lasso-api-key")).toBe(VENDOR_KEY);
  const shown = await admin("GET", `/v2/plugins/${String(bodyOf(made)["id"])}`);
  expect(bodyOf(shown)).toMatchObject({ credentials: {}, secret_mappings: [{ target_field: "credentials.apiKey" }] });
  expect(shown.text + answer.text + gateway.output()).not.toContain(VENDOR_KEY);
  const deleted = await admin("DELETE", "/admin/v2/secret-references/vendor");
  expect(deleted).toMatchObject({ status: 400 });
  expect(deleted.text).toContain("of the plugin partner_i maps it");
});

test.each([
  ["file", "openai", FILE_KEY],
  ["environment", "TENANT_SECRET_OPENAI", VARIABLE_KEY],
])(
  verifies("A.mappings.used", "a key that the operator keeps for tenants (%s) goes to the provider"),
  async (manager_type, secret_path, key) => {
    await reference(`of-${manager_type}`, { manager_type, auth_config: {}, secret_path, secret_key: null });
    const integration = {
      name: manager_type,
      slug: `by-${manager_type}`,
      ai_provider_id: "openai",
      workspace_id: "default",
      configurations: { custom_host: `${hook.url}/v1` },
      secret_mappings: [mapped(`of-${manager_type}`, "key")],
    };
    bodyOf(await admin("POST", "/admin/v2/integrations", integration));
    const message = { role: "assistant", content: "Hi" };
    hook.answer(
      jsonAnswer({ id: "c", object: "chat.completion", created: 1, model: "m", choices: [{ index: 0, message, finish_reason: "stop" }] }),
    );
    expect((await chatted({ provider: `@by-${manager_type}` })).status).toBe(200);
    expect(hook.received.at(-1)?.headers.get("authorization")).toBe(`Bearer ${key}`);
    expect(gateway.output()).not.toContain(key);
  },
);

test(verifies("A.mappings.used", "a credential that is mapped goes to another host no more than one that is stored"), async () => {
  await reference("bound-elsewhere", {
    manager_type: "environment",
    auth_config: {},
    secret_path: "TENANT_SECRET_OPENAI",
    secret_key: null,
  });
  const [slug, host] = ["bound-mapping", `${hook.url}/v1`];
  const secret_mappings = [mapped("bound-elsewhere", "key")];
  const whole = {
    name: slug,
    slug,
    ai_provider_id: "openai",
    workspace_id: "default",
    configurations: { custom_host: host },
    secret_mappings,
  };
  bodyOf(await admin("POST", "/admin/v2/integrations", whole));
  const put = (body: Json) => admin("PUT", `/admin/v2/integrations/${slug}`, body);
  const away = `${vault.url}/v1`;
  const moved = await put({ configurations: { custom_host: away } });
  expect(errorOf(moved)).toMatchObject({ status: 400, param: "secret_mappings" });
  expect(moved.text).toContain("to change custom_host, give secret_mappings again");
  const model = (custom_host: string) =>
    admin("PUT", `/admin/v2/integrations/${slug}/models`, {
      models: [{ slug: "mine", enabled: true, is_custom: true, configurations: { custom_host } }],
    });
  for (const elsewhere of [away, `${hook.url}/mine`])
    expect(errorOf(await model(elsewhere))).toMatchObject({ status: 400, param: "models[0].configurations.custom_host" });
  expect((await model(host)).status).toBe(200);
  expect((await put({ configurations: { custom_host: host }, name: "again" })).status).toBe(200);
  expect((await put({ configurations: { custom_host: away }, secret_mappings })).status).toBe(200);
});

test(
  verifies("A.mappings.used", "an integration of the organisation uses a reference that its workspaces may not use themselves"),
  async () => {
    const own = { manager_type: "environment", auth_config: {}, secret_path: "TENANT_SECRET_OPENAI", secret_key: null };
    const other = bodyOf(await admin("POST", "/v2/admin/workspaces", { name: "Of mapped references" }));
    await reference("of-nobody", { ...own, allow_all_workspaces: false, allowed_workspaces: [other["id"]] });
    const [slug, configurations] = ["by-organisation", { custom_host: `${hook.url}/v1` }];
    const body = { name: slug, slug, ai_provider_id: "openai", configurations, secret_mappings: [mapped("of-nobody", "key")] };
    bodyOf(await admin("POST", "/admin/v2/integrations", body));
    const grant = { workspaces: [{ id: "default", enabled: true }], create_default_provider: true };
    bodyOf(await admin("PUT", `/admin/v2/integrations/${slug}/workspaces`, grant));
    hook.answer(jsonAnswer({ id: "c", object: "chat.completion", created: 1, model: "m", choices: [] }));
    const answer = await chatted({ provider: `@${slug}` });
    expect([answer.status, hook.received.at(-1)?.headers.get("authorization")]).toEqual([200, `Bearer ${VARIABLE_KEY}`]);
  },
);

test(verifies("A.managers.environment", "the gateway's own environment and files are nobody's secret"), async () => {
  const stolen: readonly [string, string][] = [
    ["environment", "GATEWAY_ADMIN_KEY"],
    ["environment", "TENANT_SECRET_ABSENT"],
    ["file", "../../etc/passwd"],
  ];
  for (const [index, [manager_type, secret_path]] of stolen.entries()) {
    const slug = `stolen-${index}`;
    await reference(slug, { manager_type, auth_config: {}, secret_path, secret_key: null });
    const secret_mappings = [mapped(slug, "key")];
    const integration = { name: slug, slug, ai_provider_id: "openai", workspace_id: "default", secret_mappings };
    bodyOf(await admin("POST", "/admin/v2/integrations", { ...integration, configurations: { custom_host: `${hook.url}/v1` } }));
    const before = hook.received.length;
    const answer = await chatted({ provider: `@${slug}` });
    expect(answer.status).toBe(500);
    expect(answer.text).toContain(slug);
    expect(hook.received.length).toBe(before);
  }
});
