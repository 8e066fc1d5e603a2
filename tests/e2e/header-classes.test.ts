/**
 * Every header of the table, and every name the gateway gives its own, sent to a running gateway: what a provider, a
 * webhook, the log and the client see of it. A value that must not be seen is a canary.
 */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ReplayServer, jsonAnswer, replayServer } from "../kit/replay.ts";
import { ADMIN_KEY, type Answer, ask, GATEWAY_KEY, type GatewayProcess, startGateway, until } from "./process.ts";
import { verifies } from "../requirements/verifies.ts";

type Headers = Readonly<Record<string, string>>;
/** Written down apart from the table that is tested. */
const PROVIDER_KEYS = [
  "authorization",
  "x-api-key",
  "api-key",
  "apikey",
  "x-goog-api-key",
  "ocp-apim-subscription-key",
  "x-auth-token",
  "x-access-token",
];
const SESSIONS = ["cookie", "cookie2", "set-cookie", "proxy-authorization"];
const METADATA = [
  "metadata",
  "metadata-flavor",
  "x-google-metadata-request",
  "x-aws-ec2-metadata-token",
  "x-aws-ec2-metadata-token-ttl-seconds",
];
/** Named in lists, but not sent: they would change the message they stand in. */
const CONNECTION = [
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
  "host",
  "content-length",
];
const PREFIXES = ["x-gateway-", "x-acme-", "x-other-"];
const OWN = [
  ...["config", "metadata", "virtual-key", "request-timeout", "debug", "forward-headers", "sensitive-headers", "span-name", "custom-host"],
  ...["aws-secret-access-key", "openai-organization", "anything", "hop"],
];
const INTERNAL = ["default-input-guardrails", "default-output-guardrails", "gateway-exception", "cache-status", "request-id"];
const FREE = ["trace-id", "span-id"];
const prefixed = (names: readonly string[]): string[] => PREFIXES.flatMap((prefix) => names.map((name) => prefix + name));
const KEYS = prefixed(["api-key"]);
const NEVER_SENT_ON = [...SESSIONS, ...METADATA, ...CONNECTION, ...KEYS, ...prefixed([...OWN, ...INTERNAL])];
/** Values that are not text are left as they must be: the name is what is tested. */
const SENT = [
  ...PROVIDER_KEYS,
  ...SESSIONS,
  ...METADATA,
  ...prefixed([...INTERNAL, ...FREE, "aws-secret-access-key", "openai-organization", "anything", "hop"]),
];
const canary = (name: string): string => `canary-of-${name}-4711`;

let gateway: GatewayProcess;
let provider: ReplayServer;
let webhook: ReplayServer;
beforeAll(async () => {
  const answer = jsonAnswer({ id: "c", object: "chat.completion", created: 1, model: "m", choices: [] });
  provider = replayServer(answer);
  webhook = replayServer(jsonAnswer({ verdict: true }));
  const hosts = [provider, webhook].map(({ url }) => new URL(url).host).join(",");
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: hosts, GATEWAY_HEADER_ALIASES: "X-Acme-,x-other-" } });
}, 30_000);
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await Promise.all([provider.close(), webhook.close()]);
});

const CHAT = { model: "m", messages: [{ role: "user", content: "Hello" }] };
const chat = (headers: Headers): Promise<Answer> => ask(`${gateway.base}/v1/chat/completions`, "POST", null, CHAT, headers);
/** The key by one of its names, and a provider that is played. */
const direct = (more: Headers, key = "x-gateway-api-key"): Headers => ({
  [key]: GATEWAY_KEY,
  authorization: "Bearer sk-provider",
  "x-gateway-provider": "openai",
  "x-gateway-custom-host": `${provider.url}/v1`,
  ...more,
});
const guarded = (forwardHeaders: readonly string[], more: Headers = {}): Headers => ({
  "x-gateway-api-key": GATEWAY_KEY,
  "x-gateway-config": JSON.stringify({
    provider: "sandbox",
    input_guardrails: [{ "default.webhook": { webhookURL: webhook.url, forwardHeaders }, deny: true }],
  }),
  ...more,
});
const admin = (path: string, body: Readonly<Record<string, unknown>>): Promise<Answer> => ask(gateway.base + path, "POST", ADMIN_KEY, body);
const seenBy = (server: ReplayServer): string => JSON.stringify(server.received.map(({ headers }) => [...headers]));

test.each(KEYS)(verifies("D2.own-key-stays", "%s is the key, and nobody sees it"), async (name) => {
  expect((await chat(direct({}, name))).status).toBe(200);
  expect((await chat({ ...guarded(["x-tenant"]), "x-gateway-api-key": GATEWAY_KEY, [name]: GATEWAY_KEY })).status).toBe(200);
  expect((await chat({ ...guarded([name]), "x-gateway-api-key": GATEWAY_KEY, [name]: GATEWAY_KEY })).status).toBe(400);
  expect([seenBy(provider), seenBy(webhook)].filter((text) => text.includes(GATEWAY_KEY))).toEqual([]);
});

describe("what may not be forwarded", () => {
  const answers = async (names: readonly string[], ask: (name: string) => Promise<Answer>): Promise<unknown> =>
    Object.fromEntries(await Promise.all(names.map(async (name) => [name, (await ask(name)).status] as const)));
  const all = (names: readonly string[], status: number) => Object.fromEntries(names.map((name) => [name, status]));
  const actions = {
    deny: true,
    async: false,
    on_success: { feedback: { value: 5, weight: 1, metadata: "" } },
    on_fail: { feedback: { value: -5, weight: 1, metadata: "" } },
  };

  test("to a provider is refused when a request asks for it, and when a config is saved that would", async () => {
    expect(await answers(NEVER_SENT_ON, (name) => chat(direct({ "x-gateway-forward-headers": name })))).toEqual(all(NEVER_SENT_ON, 400));
    const save = (name: string) =>
      admin("/v2/configs", { name: "c", workspace_id: "default", config: { provider: "openai", forward_headers: [name] } });
    expect(await answers(NEVER_SENT_ON, save)).toEqual(all(NEVER_SENT_ON, 400));
    expect(await answers([...PROVIDER_KEYS, "x-tenant"], save)).toEqual(all([...PROVIDER_KEYS, "x-tenant"], 200));
  });
  test("to a webhook is refused when a request asks for it, and when a guardrail is saved that would", async () => {
    const names = [...NEVER_SENT_ON, ...PROVIDER_KEYS];
    expect(await answers(names, (name) => chat(guarded([name])))).toEqual(all(names, 400));
    const save = (name: string) =>
      admin("/v2/guardrails", {
        name: "g",
        workspace_id: "default",
        actions,
        checks: [{ id: "default.webhook", parameters: { webhookURL: webhook.url, forwardHeaders: [name] } }],
      });
    expect(await answers(names, save)).toEqual(all(names, 400));
    expect(await answers([...prefixed(FREE), "x-tenant"], save)).toEqual(all([...prefixed(FREE), "x-tenant"], 200));
  });
});

describe("what was sent", () => {
  const texts: { provider: string; webhook: string; log: string; answers: string } = { provider: "", webhook: "", log: "", answers: "" };
  const found = (where: keyof typeof texts, names: readonly string[]) => names.filter((name) => texts[where].includes(canary(name)));
  beforeAll(async () => {
    const answered: Answer[] = [];
    for (const name of SENT) {
      const header = { [name]: canary(name) };
      answered.push(await chat(direct(header)));
      answered.push(await chat(guarded([...prefixed(FREE), "x-tenant"], header)));
    }
    texts.provider = seenBy(provider);
    texts.webhook = seenBy(webhook);
    const ids = answered
      .filter(({ status }) => status === 200)
      .map(({ headers }) => headers.get("x-gateway-request-id") ?? headers.get("x-gateway-trace-id"));
    expect(ids.length).toBe(SENT.length * 2);
    texts.log = await until("all are in the log", () => {
      const logs = new Database(join(gateway.dataDir, "logs.db"), { readonly: true });
      try {
        const text = JSON.stringify(logs.query("select * from logs").all());
        return ids.every((id) => text.includes(String(id))) && text;
      } finally {
        logs.close();
      }
    });
  }, 30_000);

  test("reaches a provider unasked only as a field of its own: not even a trusted host gets what only looks like the mark of a gateway", () =>
    expect(found("provider", SENT).toSorted()).toEqual(prefixed(["openai-organization"]).toSorted()));
  test("reaches a webhook only when it names a trace", () => expect(found("webhook", SENT)).toEqual(prefixed(FREE)));
  test("is in the log only when it is no credential, and not what only the gateway writes", () => {
    expect(found("log", [...PROVIDER_KEYS, ...SESSIONS, ...prefixed([...INTERNAL, "aws-secret-access-key"])])).toEqual([]);
    expect(found("log", prefixed(["anything", "span-id"])).length).toBe(6);
  });
});

test(
  verifies("D3.not-spoofed", "a provider's answer comes back without what it says in the gateway's name, whatever it calls it"),
  async () => {
    const names = [...SESSIONS, ...KEYS, ...prefixed([...OWN, ...INTERNAL, "trace-id", "provider"])];
    const body = JSON.stringify({ id: "c", object: "chat.completion", created: 1, model: "m", choices: [] });
    provider.answer({
      body,
      headers: { "content-type": "application/json", "x-kept": "1", ...Object.fromEntries(names.map((name) => [name, canary(name)])) },
    });
    const answer = await chat(direct({}));
    const values = JSON.stringify([...answer.headers]);
    expect({ kept: answer.headers.get("x-kept"), seen: names.filter((name) => values.includes(canary(name))) }).toEqual({
      kept: "1",
      seen: [],
    });
  },
);
