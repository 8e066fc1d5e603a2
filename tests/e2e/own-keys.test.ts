/**
 * A gateway key never leaves: several of them, put into every header, field and parameter that could carry one out, are
 * looked for in what a provider and a webhook receive.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type ReplayServer, jsonAnswer, replayServer } from "../kit/replay.ts";
import { ADMIN_KEY, type Answer, ask, GATEWAY_KEY, type GatewayProcess, startGateway } from "./process.ts";

type Json = Readonly<Record<string, unknown>>;
type Headers = Readonly<Record<string, string>>;

let gateway: GatewayProcess;
let provider: ReplayServer;
let webhook: ReplayServer;
/** The caller's, the admin's, one that was used in this process, one that never was, and one of the process before. */
const keys: Record<"caller" | "admin" | "used" | "unused" | "restarted", string> = {
  caller: GATEWAY_KEY,
  admin: ADMIN_KEY,
  used: "",
  unused: "",
  restarted: "",
};
/** By the gateway, and not chosen by an operator: such a key is known by its form, and refused where it is no use. */
const isMade = (key: string): boolean => key !== keys.caller && key !== keys.admin;
const PROVIDER_KEY = "sk-provider-key-of-these-tests";

const admin = (path: string, body: Json): Promise<Answer> => ask(gateway.base + path, "POST", ADMIN_KEY, body);
async function newKey(): Promise<string> {
  const body = { name: "k", workspace_id: "default", scopes: ["completions.write"] };
  return String((await admin("/v2/api-keys/service", body)).json["key"]);
}
const CHAT = { model: "m", messages: [{ role: "user", content: "Hello" }] };
const chat = (headers: Headers, key: string | null = GATEWAY_KEY): Promise<Answer> =>
  ask(`${gateway.base}/v1/chat/completions`, "POST", key, CHAT, headers);

beforeAll(async () => {
  provider = replayServer();
  webhook = replayServer();
  const hosts = [provider, webhook].map(({ url }) => new URL(url).host).join(",");
  const env = { GATEWAY_TRUSTED_HOSTS: hosts, GATEWAY_HEADER_ALIASES: "x-acme-" };
  gateway = await startGateway({ env });
  keys.restarted = await newKey();
  await gateway.stop();
  gateway = await startGateway({ env, dataDir: gateway.dataDir });
  keys.used = await newKey();
  keys.unused = await newKey();
  await chat({ "x-gateway-provider": "sandbox" }, keys.used);
}, 30_000);
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await Promise.all([provider.close(), webhook.close()]);
});
/** How much each had received when the test began. */
const seen = new Map<ReplayServer, number>();
beforeEach(() => {
  for (const server of [provider, webhook]) seen.set(server, server.received.length);
  provider.answer(jsonAnswer({ id: "c", object: "chat.completion", created: 1, model: "m", choices: [] }));
  webhook.answer(jsonAnswer({ verdict: true }));
});

/** What it received in this test. */
const receivedBy = (server: ReplayServer) => server.received.slice(seen.get(server));
/** Names of the keys that a recorded request's headers hold, in any form. */
const heldBy = (server: ReplayServer): readonly string[] =>
  receivedBy(server).flatMap(({ headers }) =>
    [...headers].flatMap(([name, value]: [string, string]) => {
      const text = value + Buffer.from(value.replace(/^(basic|bearer) +/i, ""), "base64").toString("latin1");
      return Object.entries(keys).flatMap(([of, key]) => (text.includes(key) ? [`${of} in ${name}`] : []));
    }),
  );
const direct = (more: Headers = {}): Headers => ({
  "x-gateway-provider": "openai",
  "x-gateway-custom-host": `${provider.url}/v1`,
  ...more,
});
const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;
const FORMS: Readonly<Record<string, (key: string) => string>> = {
  bearer: (key) => `Bearer ${key}`,
  "lower case": (key) => `bearer ${key}`,
  spaced: (key) => `BEARER    ${key}  `,
  twice: (key) => `Bearer Bearer ${key}`,
  raw: (key) => key,
  "basic user": (key) => basic(`${key}:`),
  "basic password": (key) => basic(`user:${key}`),
  quoted: (key) => `Token token="${key}"`,
  "part of a word": (key) => `x_${key}`,
  "percent-encoded": (key) => `Bearer%20${encodeURIComponent(`a:${key}`)}`,
  base64: (key) => Buffer.from(key).toString("base64"),
  "bearer base64": (key) => `Bearer ${Buffer.from(`user:${key}`).toString("base64url")}`,
};

/** This gateway's own mark. */
const own = "[0-9a-f]{16}";
const inAnyForm = (key: string): Headers => Object.fromEntries(Object.values(FORMS).map((form, i) => [`x-form-${i}`, form(key)]));

describe.each(Object.keys(keys) as (keyof typeof keys)[])("the key %s", (of) => {
  test.each(Object.keys(FORMS))("in Authorization as %s is no provider's key", async (form) => {
    const value = FORMS[form]?.(keys[of]) ?? "";
    for (const name of ["openai", "anthropic", "google", "azure-openai", "bedrock"])
      await chat(direct({ "x-gateway-provider": name, authorization: value }));
    for (const name of ["authorization", "x-api-key", "api-key", "x-goog-api-key", "x-tenant"])
      await chat(direct({ [name]: value, "x-gateway-forward-headers": name }));
    expect(heldBy(provider)).toEqual([]);
  });
  test("in a provider's field, a config or an integration is none, either", async () => {
    const key = keys[of];
    const host = `${provider.url}/v1`;
    for (const field of ["openai-organization", "openai-project", "openai-beta", "anthropic-beta", "anthropic-version"])
      for (const name of ["openai", "anthropic"])
        await chat(
          direct({
            "x-gateway-provider": name,
            authorization: `Bearer ${PROVIDER_KEY}`,
            [`x-gateway-${field}`]: key,
            [`x-acme-${field}`]: key,
          }),
        );
    for (const config of [
      { provider: "openai", api_key: key, custom_host: host },
      { provider: "openai", api_key: `Bearer ${key}`, custom_host: host },
      { provider: "openai", api_key: PROVIDER_KEY, openai_organization: key, openai_project: key, custom_host: host },
      { provider: "anthropic", api_key: key, custom_host: host },
    ]) {
      await chat({ "x-gateway-config": JSON.stringify(config) });
      const saved = await admin("/v2/configs", { name: "own", workspace_id: "default", config });
      await chat({ "x-gateway-config": String(saved.json["data"]?.["slug"]) });
    }
    const slug = `own-${of}`;
    const configurations = { custom_host: host, openai_organization: key };
    const integration = { name: "Own", slug, ai_provider_id: "openai", workspace_id: "default", configurations };
    const withOwn = await admin("/admin/v2/integrations", { ...integration, key });
    expect(withOwn).toMatchObject(isMade(key) ? { status: 400, json: { error: { param: "key" } } } : { status: 200 });
    const made = isMade(key) ? await admin("/admin/v2/integrations", { ...integration, key: PROVIDER_KEY }) : withOwn;
    expect(made.status).toBe(200);
    await chat({ "x-gateway-provider": `@${slug}` });
    expect(receivedBy(provider).length).toBeGreaterThan(10);
    expect(heldBy(provider)).toEqual([]);
  });
  test("in the address of a custom host is refused, and in the path and the query of a request", async () => {
    const key = keys[of];
    const escaped = [...key].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join("");
    const parts = [key, `hook_${key}`, escaped, Buffer.from(key).toString("base64url"), Buffer.from(`u:${key}`).toString("base64")];
    const addresses = parts.flatMap((part) => [`${provider.url}/${part}/v1`, `${provider.url}/v1?code=${part}`]);
    const authorization = `Bearer ${PROVIDER_KEY}`;
    for (const host of addresses) {
      const config = JSON.stringify({ provider: "openai", api_key: PROVIDER_KEY, custom_host: host });
      for (const headers of [direct({ "x-gateway-custom-host": host, authorization }), { "x-gateway-config": config }]) {
        const { status, text } = await chat(headers);
        expect({ status, says: text.includes("holds a key of this gateway"), shows: text.includes(key) }).toEqual({
          status: 400,
          says: true,
          shows: false,
        });
      }
    }
    for (const part of parts) {
      const path = `/v1/chat/completions?code=${part}`;
      expect((await ask(gateway.base + path, "POST", GATEWAY_KEY, CHAT, direct({ authorization }))).status).toBe(400);
    }
    expect((await ask(`${gateway.base}/v1/batches/${key}`, "GET", GATEWAY_KEY, undefined, direct({ authorization }))).status).toBe(400);
    expect(receivedBy(provider)).toEqual([]);
  });
  test("as a mark of a loop goes to no trusted host", async () => {
    const key = keys[of];
    const real = "0123456789abcdef";
    for (const value of [key, `${real}, ${key}`, `Bearer ${key}`, Buffer.from(key).toString("base64")])
      await chat(direct({ authorization: `Bearer ${PROVIDER_KEY}`, "x-gateway-hop": value }));
    expect(heldBy(provider)).toEqual([]);
    const marks = receivedBy(provider).map(({ headers }) => headers.get("x-gateway-hop"));
    expect(marks).toEqual([own, `${real}, ${own}`, own, own].map((end) => expect.stringMatching(new RegExp(`^${end}$`))));
  });
  test("in the address of a webhook is not called", async () => {
    const key = keys[of];
    for (const webhookURL of [`${webhook.url}/${key}`, `${webhook.url}?code=${Buffer.from(key).toString("base64url")}`]) {
      const config = { provider: "sandbox", input_guardrails: [{ "default.webhook": { webhookURL }, deny: true }] };
      const { text } = await chat({ "x-gateway-config": JSON.stringify(config) });
      expect({ says: text.includes("holds a key of this gateway"), shows: text.includes(key) }).toEqual({ says: true, shows: false });
    }
    expect(receivedBy(webhook)).toEqual([]);
  });
  test("in a webhook's headers, or forwarded to it, is not sent", async () => {
    const key = keys[of];
    const headers = { authorization: `Bearer ${key}`, "x-token": key, "x-api-key": key, "x-basic": basic(`${key}:`), ...inAnyForm(key) };
    for (const given of [headers, JSON.stringify(headers)]) {
      const parameters = { webhookURL: webhook.url, headers: given, forwardHeaders: ["x-tenant", "x-gateway-trace-id"] };
      const config = { provider: "sandbox", input_guardrails: [{ "default.webhook": parameters, deny: true }] };
      await chat({ "x-gateway-config": JSON.stringify(config), "x-tenant": `Bearer ${key}`, "x-gateway-trace-id": key });
    }
    expect(receivedBy(webhook).length).toBe(2);
    expect(heldBy(webhook)).toEqual([]);
  });
});

describe("a provider's own key", () => {
  test("is sent as before, whatever it looks like", async () => {
    for (const key of [PROVIDER_KEY, "A".repeat(48), "0123456789abcdefABCDEFGHIJKLMNOPQRSTUVWXYZabcdef", "a.b.c", GATEWAY_KEY.slice(1)]) {
      await chat(direct({ authorization: `Bearer ${key}` }));
      expect(provider.received.at(-1)?.headers.get("authorization")).toBe(`Bearer ${key}`);
    }
  });
});
