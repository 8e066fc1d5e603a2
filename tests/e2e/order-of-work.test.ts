/** Which step of a request comes before which, its statuses and what its answer's headers say of it. */
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "bun:test";
import { jsonAnswer } from "../kit/replay.ts";
import { verifies } from "../requirements/verifies.ts";
import { type Answer, ask, chat } from "./process.ts";
import { at, bodyOf, chatWith, forAll, type Json, newKey, SANDBOX } from "./endpoints/api.ts";
import { denies } from "./guarded.ts";

const api = forAll();
const COMPLETION: Json = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "said by the provider" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};
const target = (more: Json = {}): Json => ({ provider: "openai", api_key: "k", custom_host: `${api.upstream.url}/v1`, ...more });
const HOOK = "/asked-by-a-check";
/** A webhook on the provider's server: what it saw and how often the provider was asked can be told by their paths. */
const asksWebhook = (): Json[] => [{ "default.webhook": { webhookURL: `${api.upstream.url}${HOOK}` }, deny: true }];
const configured = (config: Json, body: Json = {}, key = api.gateway.gatewayKey): Promise<Answer> =>
  ask(
    `${api.gateway.base}/v1/chat/completions`,
    "POST",
    key,
    { model: "m", messages: [{ role: "user", content: "Hello" }], ...body },
    { "x-gateway-config": JSON.stringify(config) },
  );
/** Who was asked while this ran, one path after the other. */
async function asked<T>(run: () => Promise<T>, check: Json = { verdict: true }): Promise<{ readonly result: T; readonly paths: string[] }> {
  api.upstream.answer(({ path }) => jsonAnswer(path === HOOK ? check : COMPLETION));
  const before = api.upstream.received.length;
  const result = await run();
  return { result, paths: api.upstream.received.slice(before).map(({ path }) => path) };
}
const PROVIDER = "/v1/chat/completions";

describe("what a request passes through", () => {
  test(verifies("D5.key-first", "its key comes first: who is not known learns nothing of what else is wrong"), async () => {
    const { result, paths } = await asked(() => configured({ options: 5, input_guardrails: asksWebhook() }, { messages: 5 }, "nobody"));
    expect([result.status, paths]).toEqual([401, []]);
  });
  test(verifies("D5.limits-first", "its limits come before its guardrails: one that is refused is neither judged nor sent"), async () => {
    const key = await newKey(api, { rate_limits: [{ type: "requests", unit: "rpm", value: 1 }] });
    const config = target({ input_guardrails: asksWebhook() });
    const { paths } = await asked(() => configured(config, {}, key));
    expect(paths).toEqual([HOOK, PROVIDER]);
    const refused = await asked(() => configured(config, {}, key));
    expect([refused.result.status, refused.paths]).toEqual([429, []]);
  });
  test(verifies("D5.params-first", "its target's parameters come before its guardrails, which judge what will be sent"), async () => {
    const config = target({
      override_params: { model: "set", seed: 7 },
      default_params: { user: "nobody" },
      drop_params: ["stop"],
      input_guardrails: asksWebhook(),
    });
    const { paths } = await asked(() => configured(config, { stop: "x", seed: 1 }));
    expect(paths).toEqual([HOOK, PROVIDER]);
    const [judged, sent] = api.upstream.received.slice(-2).map((request) => request.json());
    const expected = { model: "set", seed: 7, user: "nobody", messages: [{ role: "user", content: "Hello" }] };
    expect(at(judged, "request", "json")).toEqual(expected);
    expect(sent).toEqual(expected);
  });
  test(verifies("D5.guardrails-first", "its input guardrails come before its provider, its output guardrails behind it"), async () => {
    const denied = await asked(() => configured(target({ input_guardrails: asksWebhook() })), { verdict: false });
    expect([denied.result.status, denied.paths]).toEqual([446, [HOOK]]);
    const judged = await asked(() => configured(target({ output_guardrails: asksWebhook() })), { verdict: false });
    expect([judged.result.status, judged.paths]).toEqual([446, [PROVIDER, HOOK]]);
  });
  test(verifies("D5.own-guardrails", "its target is chosen first: one that is not asked has its guardrails not asked either"), async () => {
    const [guarded, free] = [target({ input_guardrails: asksWebhook() }), target()];
    const config = (...targets: Json[]): Json => ({ strategy: { mode: "fallback" }, targets });
    expect((await asked(() => configured(config(free, guarded)))).paths).toEqual([PROVIDER]);
    expect((await asked(() => configured(config(guarded, free)))).paths).toEqual([HOOK, PROVIDER]);
  });
  test(verifies("D5.translated-first", "what a provider of another wire answers is translated before it is judged"), async () => {
    const message = {
      id: "m",
      type: "message",
      role: "assistant",
      model: "c",
      stop_reason: "end_turn",
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    api.upstream.answer(({ path }) =>
      jsonAnswer(path === HOOK ? { verdict: true } : { ...message, content: [{ type: "text", text: "said by the provider" }] }),
    );
    bodyOf(await configured(target({ provider: "anthropic", output_guardrails: asksWebhook() }), { max_tokens: 5 }));
    const shown = api.upstream.received.at(-1);
    expect(shown?.path).toBe(HOOK);
    expect(at(shown?.json(), "response", "json", "choices", 0, "message", "content")).toBe("said by the provider");
  });
});

describe("a status", () => {
  const failing = { input_guardrails: [{ id: "words", "default.contains": { words: ["Hello"], operator: "none" } }] };
  const fallback = (strategy: Json, first: Json): Json => ({
    strategy: { mode: "fallback", ...strategy },
    targets: [target(first), { provider: "sandbox" }],
  });
  const usedBy = ({ status, headers }: Answer): unknown[] => [status, headers.get("x-gateway-last-used-option-index")];
  const from = async (config: Json): Promise<unknown[]> => usedBy((await asked(() => configured(config))).result);
  test(verifies("D4.446-routing", "446 is none that is good: a fallback goes on, unless it lists others"), async () => {
    const denying = { input_guardrails: denies("Hello") };
    expect(await from(fallback({}, denying))).toEqual([200, "config.targets[1]"]);
    expect(await from(fallback({ on_status_codes: [446] }, denying))).toEqual([200, "config.targets[1]"]);
    expect(await from(fallback({ on_status_codes: [500] }, denying))).toEqual([446, "config.targets[0]"]);
  });
  test(verifies("D4.246-routing", "246 is a good one: a fallback stops, unless it lists it"), async () => {
    expect(await from(fallback({}, failing))).toEqual([246, "config.targets[0]"]);
    expect(await from(fallback({ on_status_codes: [246] }, failing))).toEqual([200, "config.targets[1]"]);
  });
  test.each([402, 409, 418, 451, 500, 502, 503, 529])(
    verifies("D4.provider-codes", "of the provider's is the answer's: %d, with its message"),
    async (status) => {
      api.upstream.answer(jsonAnswer({ error: { message: "words of the provider", type: "t", param: null, code: null } }, { status }));
      const answer = await configured(target());
      expect([answer.status, at(answer.json, "error", "message")]).toEqual([status, expect.stringContaining("words of the provider")]);
    },
  );
  test(verifies("D4.error-form", "of the gateway's comes with both documented forms of an error"), async () => {
    const limited = await newKey(api, { rate_limits: [{ type: "requests", unit: "rpm", value: 1 }] });
    await chatWith(api, limited);
    const refused = [
      [400, await chat(api.gateway, { messages: [] })],
      [401, await chatWith(api, "nobody")],
      [403, await chatWith(api, await newKey(api, { scopes: ["logs.view"] }))],
      [404, await api.data("GET", "/v1/nothing/here")],
      [405, await api.data("GET", "/v1/chat/completions")],
      [408, await chat(api.gateway, { sandbox: { latency_ms: 5_000 } }, { ...SANDBOX, "x-gateway-request-timeout": "20" })],
      [429, await chatWith(api, limited)],
    ] as const;
    for (const [status, answer] of refused) {
      const { error, ...flat } = bodyOf(answer, status);
      expect(Object.keys(error as Json).sort()).toEqual(["code", "message", "param", "type"]); // an object, by the line itself
      if (status !== 408) expect(flat).toEqual({ status: "failure", message: at(error, "message") });
    }
  });
  test(verifies("D4.too-many-targets", "of a config with more targets than a request may have is 400"), async () => {
    const among = (count: number): Promise<Answer> =>
      configured({ strategy: { mode: "fallback" }, targets: Array.from({ length: count }, () => ({ provider: "sandbox" })) });
    expect((await among(100)).status).toBe(200);
    expect(bodyOf(await among(101), 400)["message"]).toContain("at most 100");
  });
  test(verifies("D4.429-names", "429 names whose limit it is"), async () => {
    const made = { name: "Nightly import", rate_limits: [{ type: "requests", unit: "rpm", value: 1 }] };
    const key = await newKey(api, made);
    await chatWith(api, key);
    expect(bodyOf(await chatWith(api, key), 429)["message"]).toContain("Nightly import");
  });
});

describe("an answer's headers", () => {
  const headersOf = ({ headers }: Answer, ...names: string[]): (string | null)[] => names.map((name) => headers.get(`x-gateway-${name}`));
  test(verifies("D3.provider", "name the provider that answered, and none where the gateway answers itself"), async () => {
    const { result } = await asked(() =>
      configured({ strategy: { mode: "fallback" }, targets: [target({ input_guardrails: denies("Hello") }), { provider: "sandbox" }] }),
    );
    expect(headersOf(result, "provider")).toEqual(["sandbox"]);
    for (const own of [await api.data("GET", "/v1/models"), await chat(api.gateway, { messages: [] }), await chatWith(api, "nobody")])
      expect(headersOf(own, "provider")).toEqual([null]);
  });
  test(verifies("D3.cache-disabled", "say that the cache is disabled where there is none"), async () => {
    expect(headersOf(await chat(api.gateway, {}), "cache-status")).toEqual(["DISABLED"]);
    expect(
      headersOf(
        await chat(api.gateway, {}, { "x-gateway-cache-namespace": "mine", "x-gateway-cache-force-refresh": "true" }),
        "cache-status",
      ),
    ).toEqual(["DISABLED"]);
  });
  test(verifies("D3.not-told", "never hold what the gateway keeps for itself"), async () => {
    const failed = await asked(() => configured({ strategy: { mode: "fallback" }, targets: [{ provider: "nobody" }, target()] }));
    for (const answer of [failed.result, (await asked(() => configured(target()))).result])
      expect(headersOf(answer, "last-used-option-params", "gateway-exception")).toEqual([null, null]);
  });
  test.each([true, false])(verifies("D3.framing", "are not the provider's where they frame its bytes (packed: %p)"), async (packed) => {
    const text = JSON.stringify(COMPLETION);
    const body = packed ? gzipSync(text) : text;
    api.upstream.answer({ body, headers: { "content-type": "application/json", ...(packed && { "content-encoding": "gzip" }) } });
    const answer = await configured(target());
    expect({ text: answer.text, encoding: answer.headers.get("content-encoding") }).toEqual({ text, encoding: null });
    expect([null, String(Buffer.byteLength(text))]).toContain(answer.headers.get("content-length"));
  });
});

describe("whatever the operation,", () => {
  const words = (word: string, deny: boolean): Json => ({
    input_guardrails: [{ deny, "default.contains": { words: [word], operator: "none" } }],
  });
  const OPERATIONS: Readonly<Record<string, Json>> = {
    "/v1/chat/completions": { model: "m", messages: [{ role: "user", content: "word" }] },
    "/v1/completions": { model: "m", prompt: "word" },
    "/v1/embeddings": { model: "m", input: "word" },
    "/v1/rerank": { model: "m", query: "word", documents: ["a"] },
    "/v1/moderations": { input: "word" },
    "/v1/images/generations": { prompt: "word" },
    "/v1/decisions": { model: "m", state: "word", questions: { a: { type: "noul", instructions: "x" } } },
    "/v1/messages": { model: "m", max_tokens: 5, messages: [{ role: "user", content: "word" }] },
    "/v1/responses": { model: "m", input: "word" },
    "/v1beta/models/m:generateContent": { contents: [{ role: "user", parts: [{ text: "word" }] }] },
    "/v1/assistants": { model: "m", instructions: "word" },
  };
  test.each(Object.keys(OPERATIONS))(
    verifies("D6.hooks-whole", verifies("D4.246", "a whole answer tells its results: 200, 246 and 446 of %s")),
    async (path) => {
      const under = (more: Json): Promise<Answer> =>
        api.data("POST", path, { "x-gateway-config": JSON.stringify({ provider: "sandbox", ...more }) }, OPERATIONS[path]);
      for (const [status, guardrails, verdict] of [
        [200, words("nowhere", true), true],
        [246, words("word", false), false],
        [446, words("word", true), false],
      ] as const)
        expect(at(bodyOf(await under(guardrails), status), "hook_results", "before_request_hooks", 0, "verdict")).toBe(verdict);
      expect(bodyOf(await under({}))["hook_results"]).toBeUndefined();
    },
  );
  test.each<[string, string, string, () => BodyInit | undefined]>([
    ["a form", "POST", "/v1/images/edits", () => formOf({ prompt: "x", image: new File(["x"], "x.png") })],
    ["an upload", "POST", "/v1/files", () => formOf({ purpose: "batch", file: new File(["x"], "x.jsonl") })],
    ["a read", "GET", "/v1/files", () => undefined],
    ["what passes", "PUT", "/v1/proxy/things", () => "bytes"],
  ])(verifies("D2.forward-everywhere", "headers to forward go with %s"), async (_, method, path, body) => {
    api.upstream.answer(jsonAnswer({ object: "list", data: [] }));
    const headers = {
      ...api.replayed,
      "x-gateway-api-key": api.gateway.gatewayKey,
      "x-gateway-forward-headers": "x-team",
      "x-team": "red",
    };
    await fetch(api.gateway.base + path, { method, headers, ...(body() !== undefined && { body: body() as BodyInit }) });
    expect(api.upstream.received.at(-1)?.headers.get("x-team")).toBe("red");
  });
});
function formOf(fields: Readonly<Record<string, string | File>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}
