/** A key pinned to a config (`allow_config_override: false`): whatever a request says, no other stored credential leaves. */
import { beforeAll, describe, expect, test } from "bun:test";
import { jsonAnswer, type Received } from "../kit/replay.ts";
import { verifies } from "../requirements/verifies.ts";
import { at, bodyOf, forAll, type Json, newKey } from "./endpoints/api.ts";
import { type Answer, ask } from "./process.ts";

const api = forAll({ GATEWAY_HEADER_ALIASES: "x-acme-" });
type Headers = Readonly<Record<string, string>>;
const MINE = "sk-mine-0123456789abcdef";
const OTHER = "sk-other-canary-0123456789";

const ANSWER: Json = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  data: [],
};
const save = async (slug: string, key: string): Promise<void> =>
  void bodyOf(
    await api.admin("POST", "/admin/v2/integrations", {
      ...{ name: slug, slug, ai_provider_id: "openai", key, workspace_id: "default" },
      configurations: { custom_host: `${api.upstream.url}/${slug}` },
    }),
  );
const configOf = async (config: Json): Promise<string> =>
  String(at(bodyOf(await api.admin("POST", "/v2/configs", { name: "Pin", workspace_id: "default", config })), "data", "slug"));
const pinnedTo = async (config: Json): Promise<string> => {
  const config_id = await configOf(config);
  return newKey(api, { defaults: { config_id, allow_config_override: false } });
};

const keys = new Map<string, string>();
let otherConfig = "";
/** Pinned configs, by how they name their provider. */
const PINS: Readonly<Record<string, Json>> = {
  "its provider": { provider: "@mine" },
  "the older virtual_key": { virtual_key: "mine" },
  "targets": { strategy: { mode: "fallback" }, targets: [{ provider: "@mine" }, { provider: "@mine" }] },
  "override_params": { override_params: { model: "@mine/m" } },
  "default_params": { default_params: { model: "@mine/m" } },
};
beforeAll(async () => {
  api.upstream.answer(jsonAnswer(ANSWER));
  await save("mine", MINE);
  await save("other", OTHER);
  otherConfig = await configOf({ provider: "@other" });
  for (const [name, config] of Object.entries(PINS)) keys.set(name, await pinnedTo(config));
}, 20_000);

/** What a request says in order to get elsewhere. */
interface Way {
  readonly headers?: Headers;
  /** Member `model` of the body. */
  readonly model?: unknown;
  readonly path?: string;
  readonly method?: string;
  readonly body?: Json | FormData | null;
}
async function sent(key: string, { headers = {}, model = "m", path = "/chat/completions", method = "POST", body }: Way): Promise<Answer> {
  const json = body === undefined ? { model, messages: [{ role: "user", content: "x" }] } : body;
  const form = json instanceof FormData;
  const response = await fetch(`${api.gateway.base}/v1${path}`, {
    method,
    headers: { "x-gateway-api-key": key, ...(!form && json !== null && { "content-type": "application/json" }), ...headers },
    ...(json !== null && { body: form ? json : JSON.stringify(json) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: text.startsWith("{") ? JSON.parse(text) : {} };
}
const seenBy = async (key: string, way: Way): Promise<{ answer: Answer; received: readonly Received[] }> => {
  const before = api.upstream.received.length;
  return { answer: await sent(key, way), received: api.upstream.received.slice(before) };
};
const saysOther = ({ path, headers }: Received): boolean =>
  path.startsWith("/other") || [...headers.values()].some((value) => value.includes(OTHER));

const form = (fields: Readonly<Record<string, string>>): FormData => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  data.append("image", new Blob(["x"]), "x.png");
  return data;
};
const BATCH: Json = { input_file_id: "file-1", endpoint: "/v1/chat/completions", completion_window: "24h" };

/** Refused with the error CONFIG_OVERRIDE, naming what was sent; else ignored: the pinned provider answers. */
const WAYS: Readonly<Record<string, { readonly way: () => Way; readonly refused?: string }>> = {
  "a prefix of the model": { way: () => ({ model: "@other/m" }), refused: "model" },
  "a prefix of the model, twice": { way: () => ({ model: "@other/@mine/m" }), refused: "model" },
  "a prefix of a model in another route's query": {
    way: () => ({ path: "/vector_stores/vs_1/files?model=@other/m", body: null, method: "GET" }),
    refused: "model",
  },
  "a prefix of a model in a batch": { way: () => ({ path: "/batches", body: { ...BATCH, model: "@other/m" } }), refused: "model" },
  "a prefix of a model in the query": { way: () => ({ path: "/batches?model=@other/m", body: null, method: "GET" }), refused: "model" },
  "a prefix of a model in a form's query": {
    way: () => ({ path: "/images/edits?model=@other/m", body: form({ prompt: "x" }) }),
    refused: "model",
  },
  "a prefix of a model in a form's field": { way: () => ({ path: "/images/edits", body: form({ prompt: "x", model: "@other/m" }) }) },
  "a prefix in an id of the path": { way: () => ({ path: "/batches/@other%2Fbatch_1", body: null, method: "GET" }) },
  "a saved config": { way: () => ({ headers: { "x-gateway-config": otherConfig } }), refused: "x-gateway-config" },
  "an inline config": { way: () => ({ headers: { "x-gateway-config": '{"provider":"@other"}' } }), refused: "x-gateway-config" },
  "an inline config after white space": {
    way: () => ({ headers: { "x-gateway-config": ' \t{"provider":"@other"}' } }),
    refused: "x-gateway-config",
  },
  "a config by an alias": { way: () => ({ headers: { "x-acme-config": otherConfig } }), refused: "x-gateway-config" },
  "a provider header": { way: () => ({ headers: { "x-gateway-provider": "@other" } }) },
  "a provider header and a plain model prefix": { way: () => ({ headers: { "x-gateway-provider": "@other" }, model: "other/m" }) },
  "a virtual key": { way: () => ({ headers: { "x-gateway-virtual-key": "other" } }) },
  "a provider by an alias": { way: () => ({ headers: { "x-acme-provider": "@other" } }) },
  "override_params in the body": {
    way: () => ({
      body: { model: "m", messages: [{ role: "user", content: "x" }], override_params: { model: "@other/m" }, provider: "@other" },
    }),
  },
  "the models list of another provider": {
    way: () => ({ path: "/models?provider=other", body: null, method: "GET", headers: { "x-gateway-provider": "@other" } }),
  },
  "files of another provider": {
    way: () => ({ path: "/batches", body: null, method: "GET", headers: { "x-gateway-provider": "@other" } }),
  },
  "a credential of the request's own": { way: () => ({ headers: { authorization: "Bearer sk-of-the-request" } }) },
  "a credential that is forwarded": {
    way: () => ({ headers: { authorization: "Bearer sk-of-the-request", "x-gateway-forward-headers": "authorization" } }),
  },
  "a header of another provider's": {
    way: () => ({ headers: { "x-gateway-azure-resource-name": "other", "x-gateway-openai-organization": "org-x" } }),
  },
};

describe.each(Object.keys(PINS))("a pin that names its provider by %s", (pin) => {
  const key = (): string => keys.get(pin) ?? expect.unreachable();
  // Where the model itself is the author's, what the client says under `model` does not get there.
  const byModel = pin === "override_params";
  const byDefault = pin === "default_params";
  test("is used as it is", async () => {
    const { answer, received } = await seenBy(key(), byDefault ? { body: { messages: [{ role: "user", content: "x" }] } } : {});
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
    expect(received.map(({ path, headers }) => [path, headers.get("authorization")])).toEqual([
      ["/mine/chat/completions", `Bearer ${MINE}`],
    ]);
  });
  test.each(Object.keys(WAYS))(verifies("E3.defaults-override", "holds against %s"), async (name) => {
    const { way, refused } = WAYS[name] ?? expect.unreachable();
    const { answer, received } = await seenBy(key(), way());
    expect({ name, leaks: received.filter(saysOther).map(({ path }) => path), leaked: answer.text.includes(OTHER) }).toEqual({
      name,
      leaks: [],
      leaked: false,
    });
    expect(received.every(({ headers }) => headers.get("authorization") === `Bearer ${MINE}`)).toBe(true);
    if (refused === "x-gateway-config" || (refused !== undefined && !byModel && !byDefault)) {
      expect({ name, status: answer.status, error: answer.json["error"], asked: received.length }).toMatchObject({
        ...{ name, status: 400, error: { param: refused, message: expect.stringContaining("pinned") }, asked: 0 },
      });
    } else if (!byModel && !byDefault) expect({ name, asked: received.length, text: answer.text }).toMatchObject({ name, asked: 1 });
  });
});

test("a prefix that names the pinned provider itself is its author's own", async () => {
  const { answer, received } = await seenBy(keys.get("its provider") ?? "", { model: "@mine/gpt-x" });
  expect([answer.status, received[0]?.json()]).toMatchObject([200, { model: "gpt-x" }]);
});

test("a custom host does not move a pinned config that has no credential of its own", async () => {
  const key = await pinnedTo({ provider: "openai", custom_host: `${api.upstream.url}/mine` });
  const { received } = await seenBy(key, {
    headers: { "x-gateway-custom-host": `${api.upstream.url}/other`, authorization: "Bearer sk-client" },
  });
  expect(received.map(({ path }) => path)).toEqual(["/mine/chat/completions"]);
});

test("a stored credential under a pin is not taken to a custom host either", async () => {
  for (const pin of ["its provider", "targets"]) {
    const { answer, received } = await seenBy(keys.get(pin) ?? "", { headers: { "x-gateway-custom-host": `${api.upstream.url}/other` } });
    expect([answer.status, received.length]).toEqual([400, 0]);
  }
});

test("a pinned config that names no provider leaves that to the request, and holds in all else", async () => {
  const key = await pinnedTo({ input_guardrails: [{ "default.wordCount": { maxWords: 3 }, deny: true }] });
  for (const way of [{ headers: { "x-gateway-provider": "@mine" } }, { model: "@mine/m" }]) {
    expect((await seenBy(key, way)).received.map(({ path }) => path)).toEqual(["/mine/chat/completions"]);
    const long = { ...way, body: { model: way.model ?? "m", messages: [{ role: "user", content: "one two three four five" }] } };
    expect((await seenBy(key, long)).answer.status).toBe(446);
  }
  expect((await seenBy(key, { headers: { "x-gateway-config": otherConfig } })).answer.status).toBe(400);
});

test("a pinned key writes nothing that decides where its config leads", async () => {
  const config_id = await configOf({ provider: "@mine" });
  const scopes = [
    "completions.write",
    ...["configs", "providers"].flatMap((of) => ["create", "update", "delete"].map((deed) => `${of}.${deed}`)),
  ];
  const key = await newKey(api, { scopes, defaults: { config_id, allow_config_override: false } });
  const as = (method: string, path: string, body?: Json): Promise<Answer> => ask(`${api.gateway.base}${path}`, method, key, body);
  for (const [method, path, body] of [
    ["PUT", `/v2/configs/${config_id}`, { config: { provider: "@other" } }],
    ["POST", "/v2/configs", { name: "x", config: { provider: "@other" } }],
    ["DELETE", `/v2/configs/${config_id}`, undefined],
    ["POST", "/v2/providers", { name: "x", slug: "mine-too", integration_id: "other" }],
    ["PUT", "/v2/providers/mine", { name: "x" }],
    ["DELETE", "/v2/providers/mine", undefined],
  ] as const)
    expect([path, (await as(method, path, body)).json]).toMatchObject([path, { error: { code: "AB03" } }]);
  expect((await seenBy(key, {})).received[0]?.headers.get("authorization")).toBe(`Bearer ${MINE}`);
});

test("a config is not deleted while it is a key's: each of its requests would be refused", async () => {
  const slug = await configOf({ provider: "sandbox" });
  const key = await newKey(api, { name: "Counts on it", defaults: { config_id: slug } });
  const refused = await api.admin("DELETE", `/v2/configs/${slug}`);
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining("it is the config of the key Counts on it")]);
  expect(key).toEqual(expect.any(String));
});
