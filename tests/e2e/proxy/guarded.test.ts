/** What passes is judged where somebody can read it, and refused where a guardrail that denies cannot. */
import { describe, expect, test } from "bun:test";
import { jsonAnswer, type Received, sseAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { forAll, type Json, newKey } from "../endpoints/api.ts";
import { type Answer, ask } from "../process.ts";

const api = forAll();
const contains = (deny: boolean): Json => ({ "default.contains": { words: ["forbidden"], operator: "none" }, deny });
const target = (): Json => ({ provider: "openai", custom_host: `${api.upstream.url}/v1`, api_key: "sk-own" });
const OTHER_TYPE = { "content-type": "text/plain" };

interface Asked {
  readonly method?: string;
  readonly body?: Json | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly config?: Json;
}
async function send(path: string, { method = "POST", body, headers = {}, config = {} }: Asked): Promise<Response> {
  const text = typeof body === "string" ? body : body && JSON.stringify(body);
  return fetch(`${api.gateway.base}${path}`, {
    method,
    headers: {
      "x-gateway-api-key": api.gateway.gatewayKey,
      "x-gateway-config": JSON.stringify({ ...target(), ...config }),
      ...(text !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(text !== undefined && { body: text }),
  });
}
const statusOf = async (path: string, asked: Asked): Promise<number> => {
  const answer = await send(path, asked);
  await answer.text();
  return answer.status;
};
const chat = (content: string, more: Json = {}): Json => ({ model: "gpt-4o", messages: [{ role: "user", content }], ...more });
const answering = (content: string): Json => ({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "gpt-4o",
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
const input = { input_guardrails: [contains(true)] };
const output = { output_guardrails: [contains(true)] };

describe("a mounted operation below /v1/proxy", () => {
  test(verifies("D7.15.guarded", "is judged by its own reading, before and behind the provider"), async () => {
    api.upstream.answer(jsonAnswer(answering("a forbidden word")));
    expect(await statusOf("/v1/proxy/chat/completions", { body: chat("fine"), config: input })).toBe(200);
    expect(await statusOf("/v1/proxy/chat/completions", { body: chat("a forbidden word"), config: input })).toBe(446);
    expect(await statusOf("/v1/proxy/chat/completions", { body: chat("fine"), config: output })).toBe(446);
    for (const path of [
      "/v1/proxy/Chat/Completions",
      "/v1/proxy/chat/completions/",
      "/v1/proxy/ch%61t/completions",
      "/v1/CHAT/completions",
    ])
      expect([path, await statusOf(path, { body: chat("a forbidden word"), config: input })]).toEqual([path, 446]);
  });
  test("a stream's too, which is held until it is judged", async () => {
    const wire = ["a for", "bidden word"].map((content) => `data: {"choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`).join("");
    api.upstream.answer(sseAnswer(`${wire}data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`));
    const body = chat("fine", { stream: true });
    expect(await statusOf("/v1/proxy/chat/completions", { body })).toBe(200);
    const denied = await send("/v1/proxy/chat/completions", { body, config: output });
    expect([denied.status, (await denied.text()).includes("delta")]).toEqual([446, false]);
  });
  test("is granted by that operation's scope, and no other", async () => {
    const key = await newKey(api, { scopes: ["models.list"] });
    const get = (path: string): Promise<Answer> => ask(`${api.gateway.base}${path}`, "GET", key, undefined, api.replayed);
    api.upstream.answer(jsonAnswer({ object: "list", data: [] }));
    expect((await get("/v1/proxy/models")).status).toBe(200);
    const refused = [await get("/v1/proxy/files"), await get("/v1/proxy/anything"), await get("/v1/anything")];
    for (const answer of refused) expect([answer.status, answer.text]).toEqual([403, expect.stringContaining("completions.write")]);
  });
  test("has the content type of that operation", async () => {
    expect(await statusOf("/v1/proxy/chat/completions", { body: JSON.stringify(chat("x")), headers: OTHER_TYPE })).toBe(400);
  });
});

describe("a body that no guardrail reads", () => {
  const UNREAD: readonly (readonly [string, string, Asked])[] = [
    ["of a path that nobody mounts", "/v1/proxy/own/chat", { body: chat("fine") }],
    ["of an unknown path", "/v1/own/chat", { body: chat("fine") }],
    ["that is no JSON", "/v1/proxy/own", { body: "fine", headers: OTHER_TYPE }],
    ["of a mounted path, and not its own", "/v1/proxy/chat/completions", { body: { model: "m", messages: "a forbidden word" } }],
    ["of another method", "/v1/chat/completions", { method: "PUT", body: chat("fine") }],
  ];
  test.each(UNREAD)(verifies("D7.15.guarded", "%s is refused where one denies, and passes where none does"), async (_, path, asked) => {
    api.upstream.answer(jsonAnswer({ ok: true }));
    const before = api.upstream.received.length;
    for (const config of [input, output]) {
      const refused = await send(path, { ...asked, config });
      expect([refused.status, await refused.json()]).toMatchObject([
        403,
        { error: { message: expect.stringContaining("default.contains") } },
      ]);
    }
    expect(api.upstream.received.length).toBe(before);
    expect(await statusOf(path, asked)).toBe(200);
    expect(await statusOf(path, { ...asked, config: { input_guardrails: [contains(false)] } })).toBeLessThan(300);
  });
  test("there is none in a request without a body", async () => {
    api.upstream.answer(jsonAnswer({ ok: true }));
    expect(await statusOf("/v1/proxy/own", { method: "GET", config: input })).toBe(200);
    expect(await statusOf("/v1/proxy/own", { method: "GET", config: output })).toBe(403);
  });
});

describe("checks of any request", () => {
  const types = (parameters: Json): Json => ({ input_guardrails: [{ "default.allowedRequestTypes": parameters, deny: true }] });
  test(verifies("D7.15.types", "allowed and blocked request types know what passes as proxy"), async () => {
    api.upstream.answer(jsonAnswer(answering("fine")));
    for (const path of ["/v1/proxy/own", "/v1/own", "/v1/proxy/chat/completions"]) {
      const body = chat("fine");
      expect([path, await statusOf(path, { body, config: types({ allowedTypes: ["proxy"] }) })]).toEqual([path, 200]);
      expect([path, await statusOf(path, { body, config: types({ allowedTypes: ["chatComplete"] }) })]).toEqual([path, 446]);
      expect([path, await statusOf(path, { body, config: types({ blockedTypes: ["proxy"] }) })]).toEqual([path, 446]);
    }
  });
  test(verifies("D7.15.webhook", "a webhook with executeOnProxy is asked with method, path and content type"), async () => {
    const hooks = (): readonly Received[] => api.upstream.received.filter(({ path }) => path === "/hook");
    const hooked = (executeOnProxy: boolean): Json => ({
      input_guardrails: [{ "default.webhook": { webhookURL: `${api.upstream.url}/hook`, executeOnProxy }, deny: true }],
    });
    const asked = { method: "PATCH", body: "fine", headers: OTHER_TYPE };
    let verdict = true;
    api.upstream.answer(({ path }) => jsonAnswer(path === "/hook" ? { verdict } : { ok: true }));
    expect(await statusOf("/v1/proxy/own/thing?x=1", { ...asked, config: hooked(false) })).toBe(403);
    expect(hooks().length).toBe(0);
    expect(await statusOf("/v1/proxy/own/thing?x=1", { ...asked, config: hooked(true) })).toBe(200);
    expect(hooks().at(-1)?.json()).toMatchObject({
      requestType: "proxy",
      request: { method: "PATCH", path: "/own/thing", contentType: "text/plain" },
    });
    verdict = false;
    expect(await statusOf("/v1/proxy/own/thing", { ...asked, config: hooked(true) })).toBe(446);
  });
});

describe("what no check can know of a request that passes", () => {
  const models = (deny: boolean): Json => ({ input_guardrails: [{ "default.modelWhitelist": { models: ["gpt-4o"] }, deny }] });
  test.each([
    "/v1/proxy/deployments/forbidden/chat/completions",
    "/v1/proxy/model/forbidden/converse",
    "/v1/proxy/models/forbidden:generateContent",
    "/v1/deployments/forbidden/chat/completions",
  ])(verifies("D7.15.guarded", "is its model, which its path may name: %s"), async (path) => {
    api.upstream.answer(jsonAnswer({ ok: true }));
    const before = api.upstream.received.length;
    const refused = await send(path, { body: chat("fine"), config: models(true) });
    expect([refused.status, await refused.json()]).toMatchObject([
      403,
      { error: { message: expect.stringContaining("default.modelWhitelist") } },
    ]);
    expect(api.upstream.received.length).toBe(before);
    expect(await statusOf(path, { body: chat("fine"), config: models(false) })).toBe(200);
  });
  test("is not the model of a mounted operation, unless its body is another one", async () => {
    api.upstream.answer(jsonAnswer(answering("fine")));
    const asked = (body: Json) => statusOf("/v1/proxy/chat/completions", { body, config: models(true) });
    expect(await asked(chat("fine"))).toBe(200);
    expect(await asked(chat("fine", { model: "forbidden" }))).toBe(446);
    expect(await asked({ model: ["gpt-4o"], messages: "x" })).toBe(403);
  });
  test(verifies("D7.15.guarded", "is what a guardrail would change, also where it does not deny"), async () => {
    const hooked = (executeOnProxy: boolean, more: Json = {}): Json => ({
      input_guardrails: [{ "default.webhook": { webhookURL: `${api.upstream.url}/hook`, executeOnProxy }, ...more }],
    });
    const changed = { verdict: true, transformedData: { request: { json: { a: 2 } } } };
    api.upstream.answer(({ path }) => jsonAnswer(path === "/hook" ? changed : { ok: true }));
    const raw = { body: "fine", headers: OTHER_TYPE };
    const refused = await send("/v1/proxy/own", { ...raw, config: hooked(false) });
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("may change what it reads")]);
    expect(await statusOf("/v1/proxy/own", { ...raw, config: hooked(false, { async: true }) })).toBe(200);
    const asked = { ...raw, config: hooked(true) };
    const passed = await send("/v1/proxy/own", { ...asked, headers: { ...OTHER_TYPE, "x-gateway-strict-openai-compliance": "false" } });
    expect([passed.status, await passed.json()]).toMatchObject([246, { ok: true }]);
    expect(api.upstream.received.at(-1)?.text()).toBe("fine");
    expect(await statusOf("/v1/proxy/own", { ...raw, config: hooked(true, { deny: true }) })).toBe(446);
    expect(await statusOf("/v1/proxy/own", { body: { a: 1 }, config: hooked(true) })).toBe(200);
    expect(api.upstream.received.at(-1)?.json()).toEqual({ a: 2 });
  });
});

const FORM = '--b\r\nContent-Disposition: form-data; name="x"\r\n\r\ny\r\n--b--\r\n';

describe("retries and fallbacks", () => {
  const twice = (): Json => ({
    strategy: { mode: "fallback" },
    targets: [{ ...target(), retry: { attempts: 1, on_status_codes: [503] } }, target()],
  });
  const tries = async (body: string, type: string): Promise<number> => {
    api.upstream.answer(jsonAnswer({ error: { message: "busy" } }, { status: 503, headers: { "retry-after-ms": "1" } }));
    const before = api.upstream.received.length;
    const answer = await fetch(`${api.gateway.base}/v1/proxy/own`, {
      method: "POST",
      headers: { "x-gateway-api-key": api.gateway.gatewayKey, "x-gateway-config": JSON.stringify(twice()), "content-type": type },
      body,
    });
    expect(answer.status).toBe(503);
    return api.upstream.received.length - before;
  };
  test(verifies("D7.15.once", "JSON is sent again and to the next target, a streamed body is not"), async () => {
    expect(await tries("{}", "application/json")).toBe(3);
    expect(await tries("bytes", "application/octet-stream")).toBe(1);
    expect(await tries(FORM, "multipart/form-data; boundary=b")).toBe(1);
  });
  test("the rate limit of a key counts what passes", async () => {
    const key = await newKey(api, { rate_limits: [{ type: "requests", unit: "rph", value: 1 }] });
    api.upstream.answer(jsonAnswer({ ok: true }));
    const get = (path: string): Promise<Answer> => ask(`${api.gateway.base}${path}`, "GET", key, undefined, api.replayed);
    expect((await get("/v1/proxy/own")).status).toBe(200);
    expect((await get("/v1/proxy/own")).status).toBe(429);
    expect((await get("/v1/own")).status).toBe(429);
  });
});
