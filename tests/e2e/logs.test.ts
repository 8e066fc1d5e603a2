/** One log record per request, and what stands in it. */
import { describe, expect, test } from "bun:test";
import { calcPrice } from "@pydantic/genai-prices";
import { jsonAnswer, sseAnswer } from "../kit/replay.ts";
import { verifies } from "../requirements/verifies.ts";
import { at, bodyOf, forAll, type Json, logOf, newKey, SANDBOX, UUID } from "./endpoints/api.ts";
import { ADMIN_KEY, type Answer, ask, chat, GATEWAY_KEY } from "./process.ts";

const api = forAll({ ORGANISATION_HEADERS_TO_MASK: "x-always-hashed" });
const idOf = (answer: Answer): string => String(answer.headers.get("x-gateway-trace-id"));
const USAGE = { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500, prompt_tokens_details: { cached_tokens: 200 } };
const completion = (more: Json = {}): Json => ({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "gpt-4o-2024-08-06",
  choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
  usage: USAGE,
  ...more,
});
const toUpstream = (body: Json, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  chat(api.gateway, { model: "gpt-4o", ...body }, { ...api.replayed, ...headers });
const logged = async (answer: Answer): Promise<Json> => logOf(api, idOf(answer));

describe("GET /v1/logs/{logId}", () => {
  test(verifies("1.control-logs", "gives the record of a request by the id the gateway gave it"), async () => {
    const answer = await chat(api.gateway, {});
    expect(await logged(answer)).toMatchObject({
      _id: idOf(answer),
      organisation_id: UUID,
      request: { method: "POST", url: `${api.gateway.base}/v1/chat/completions`, body: { model: "echo" } },
      response: { status: 200, body: { choices: [{ message: { content: "Hello" } }] } },
    });
  });
  test.each(["nobody", "00000000-0000-4000-8000-00000000dead", "..%2f", "%00", "' OR 1=1"])(
    "an unknown id is 404: %s",
    async (id) => void bodyOf(await api.data("GET", `/v1/logs/${encodeURIComponent(id)}`), 404),
  );
  test("needs the scope logs.view", async () => {
    const answer = await chat(api.gateway, {});
    await logged(answer);
    expect(
      (await ask(`${api.gateway.base}/v1/logs/${idOf(answer)}`, "GET", await newKey(api, { scopes: ["completions.write"] }))).status,
    ).toBe(403);
  });
});

describe("a record", () => {
  test("has tokens, and the cost where a price is known", async () => {
    api.upstream.answer(jsonAnswer(completion()));
    const { metrics } = await logged(await toUpstream({}));
    const price = calcPrice({ input_tokens: 1000, cache_read_tokens: 200, output_tokens: 500 }, "gpt-4o-2024-08-06", {
      providerId: "openai",
    });
    expect(metrics).toMatchObject({
      ai_org: "openai",
      ai_model: "gpt-4o-2024-08-06",
      req_units: 1000,
      res_units: 500,
      total_units: 1500,
      cost_currency: "USD",
    });
    expect(at(metrics, "cost")).toBeCloseTo((price?.total_price ?? Number.NaN) * 100, 8);
    expect(at(metrics, "cost")).toBeGreaterThan(0);
  });
  test("has no cost where no price is known, which is not a cost of nothing", async () => {
    api.upstream.answer(jsonAnswer(completion({ model: "my-own-model" })));
    expect(at(await logged(await toUpstream({ model: "my-own-model" })), "metrics", "cost")).toBeNull();
  });
  test("has latency: in all, at the provider, in the gateway", async () => {
    const { metrics, response } = await logged(await chat(api.gateway, { sandbox: { latency_ms: 80 } }));
    const [inAll, upstream] = [Number(at(response, "responseTime")), Number(at(metrics, "upstream_response_time"))];
    expect(inAll).toBeGreaterThanOrEqual(80);
    expect(at(metrics, "response_time")).toBe(inAll);
    expect(upstream).toBeGreaterThanOrEqual(79);
    expect(at(metrics, "gateway_processing_time")).toBeLessThanOrEqual(inAll - upstream + 1); // each is rounded
  });
  test("of a stream has its wire text, its tokens and the time to the first of them", async () => {
    const wire =
      ["He", "llo"]
        .map(
          (content) =>
            `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "gpt-4o-2024-08-06", choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`,
        )
        .join("") +
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "gpt-4o-2024-08-06", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\ndata: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "gpt-4o-2024-08-06", choices: [], usage: USAGE })}\n\ndata: [DONE]\n\n`;
    api.upstream.answer(sseAnswer(wire));
    const record = await logged(await toUpstream({ stream: true }));
    expect(record).toMatchObject({
      metrics: { stream_mode: 1, req_units: 1000, res_units: 500, is_success: true },
      gateway: { ended: "ok", time_to_first_token: expect.any(Number) },
    });
    expect(at(record, "metrics", "cost")).toBeGreaterThan(0);
    expect(String(at(record, "response", "body", "text"))).toContain('"content":"llo"');
  });
  test("of a stream that was cut off says so", async () => {
    const answer = await chat(api.gateway, { stream: true, sandbox: { text: "one two three four", cut_after: 2 } });
    expect(await logged(answer)).toMatchObject({
      metrics: { is_success: false },
      gateway: { ended: "partial", error: { message: expect.stringContaining("before the answer was complete") } },
    });
  });
  test("of a client that left says so", async () => {
    api.upstream.answer(
      sseAnswer(
        'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}\n\n',
        { ends: "hang" },
      ),
    );
    const left = new AbortController();
    const response = await fetch(`${api.gateway.base}/v1/chat/completions`, {
      method: "POST",
      signal: left.signal,
      headers: { "content-type": "application/json", "x-gateway-api-key": GATEWAY_KEY, ...api.replayed },
      body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "x" }] }),
    });
    await response.body?.getReader().read();
    left.abort();
    expect(await logOf(api, String(response.headers.get("x-gateway-trace-id")))).toMatchObject({
      metrics: { is_success: false },
      gateway: { ended: "aborted" },
    });
  });
  test("of a client that left in the middle of a long whole answer says so", async () => {
    const choices = [{ index: 0, message: { role: "assistant", content: "a".repeat(20_000_000) }, finish_reason: "stop" }];
    api.upstream.answer(jsonAnswer(completion({ choices })));
    const left = new AbortController();
    const response = await fetch(`${api.gateway.base}/v1/chat/completions`, {
      method: "POST",
      signal: left.signal,
      headers: { "content-type": "application/json", "x-gateway-api-key": GATEWAY_KEY, ...api.replayed },
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "x" }] }),
    });
    await response.body?.getReader().read();
    left.abort();
    expect(await logOf(api, String(response.headers.get("x-gateway-trace-id")))).toMatchObject({
      response: { status: 200 },
      metrics: { is_success: false },
      gateway: { ended: "aborted" },
    });
  });
  test("has the target that answered, and how often it was tried again", async () => {
    let calls = 0;
    api.upstream.answer(() =>
      jsonAnswer((calls += 1) < 3 ? { error: { message: "busy" } } : completion(), {
        status: calls < 3 ? 503 : 200,
        headers: { "retry-after": "0" },
      }),
    );
    const target = { provider: "openai", api_key: "k", custom_host: `${api.upstream.url}/v1` };
    const config = {
      strategy: { mode: "fallback" },
      targets: [
        { provider: "sandbox", override_params: { sandbox: { error: { status: 500 } } } },
        { ...target, retry: { attempts: 2, on_status_codes: [503], use_retry_after_headers: true } },
      ],
    };
    const answer = await chat(api.gateway, {}, { "x-gateway-config": JSON.stringify(config) });
    expect(await logged(answer)).toMatchObject({
      response: { lastUsedOptionJsonPath: "config.targets[1]" },
      metrics: { ai_org: "openai", retry_success_count: 2, last_used_option_index: 1, mode: "fallback" },
      gateway: { target: "config.targets[1]", retries: 2, provider: "openai" },
    });
  });
  test("has what went to the provider, without its key", async () => {
    api.upstream.answer(jsonAnswer(completion()));
    const record = await logged(await toUpstream({ temperature: 0.5 }));
    expect(record["transformedRequest"]).toMatchObject({
      url: `${api.upstream.url}/v1/chat/completions`,
      method: "POST",
      body: { model: "gpt-4o", temperature: 0.5 },
    });
  });
  test("has guardrail results, fetched apart with type=hooks", async () => {
    const config = {
      provider: "sandbox",
      input_guardrails: [{ deny: false, "default.wordCount": { maxWords: 0 } }],
      output_guardrails: [{ deny: false, "default.contains": { words: ["Hello"] } }],
    };
    const answer = await chat(api.gateway, {}, { "x-gateway-config": JSON.stringify(config) });
    expect(answer.status).toBe(246);
    expect(await logOf(api, idOf(answer), "?type=hooks")).toMatchObject({
      before_request_hooks: [{ verdict: false, checks: [{ id: "default.wordCount" }] }],
      after_request_hooks: [{ verdict: true, checks: [{ id: "default.contains" }] }],
    });
    expect(await logged(answer)).toMatchObject({ response: { status: 246 } });
  });
  test("has the provider's answer as it came, and the results that stand behind it in the client's apart", async () => {
    const wire = `${JSON.stringify(completion({ seed: 1 }), null, 2)}\n`;
    api.upstream.answer({ body: wire, headers: { "content-type": "application/json" } });
    const guards = { input_guardrails: [{ "default.wordCount": { minWords: 1 } }] };
    const config = { provider: "openai", api_key: "k", custom_host: `${api.upstream.url}/v1`, ...guards };
    const answer = await chat(api.gateway, { model: "gpt-4o" }, { "x-gateway-config": JSON.stringify(config) });
    expect(answer.text).toStartWith(wire.slice(0, wire.lastIndexOf("}")));
    const { hook_results: results, ...rest } = answer.json;
    expect(rest).toEqual(JSON.parse(wire));
    expect(at(await logged(answer), "response", "body")).toEqual(JSON.parse(wire));
    expect(results).toMatchObject({ before_request_hooks: [{ verdict: true }] });
    expect(await logOf(api, idOf(answer), "?type=hooks")).toEqual(results as unknown as Json);
  });
  test("has guardrail results without what they quote with x-gateway-debug: false", async () => {
    const config = { provider: "sandbox", input_guardrails: [{ "default.contains": { words: ["canary-word"] }, deny: false }] };
    const headers = { "x-gateway-config": JSON.stringify(config), "x-gateway-debug": "false" };
    const answer = await chat(api.gateway, {}, headers);
    expect(at(answer.json, "hook_results", "before_request_hooks", 0, "checks", 0, "data")).toBeTruthy();
    expect(await logOf(api, idOf(answer), "?type=hooks")).toMatchObject({
      before_request_hooks: [{ verdict: false, checks: [{ id: "default.contains", data: null, log: null }] }],
    });
  });
  test("has the saved provider, the key and the workspace it was asked with", async () => {
    const slug = `log-${crypto.randomUUID().slice(0, 8)}`;
    bodyOf(await api.admin("POST", "/admin/v2/integrations", { name: slug, slug, ai_provider_id: "sandbox", workspace_id: "default" }));
    const answer = await chat(api.gateway, {}, { "x-gateway-provider": `@${slug}` });
    expect(await logged(answer)).toMatchObject({
      metrics: { virtual_key: slug, api_key_id: UUID },
      gateway: { provider_slug: `@${slug}`, workspace_id: UUID, api_key_name: expect.any(String), operation: "chatComplete" },
    });
  });
  test("of a refused request is kept too, with its error", async () => {
    const answer = await chat(api.gateway, {}, { "x-gateway-provider": "no-such-provider" });
    expect(await logged(answer)).toMatchObject({
      response: { status: 400 },
      metrics: { is_success: false, response_status_code: 400, cost: null },
      gateway: { ended: "error", error: { message: expect.stringContaining("no-such-provider") } },
    });
  });
  test("of a provider's error has its status and message", async () => {
    api.upstream.answer(
      jsonAnswer({ error: { message: "quota is used up", type: "insufficient_quota", code: "insufficient_quota" } }, { status: 429 }),
    );
    expect(await logged(await toUpstream({}))).toMatchObject({
      response: { status: 429 },
      metrics: { is_success: false, ai_org: "openai" },
      gateway: { error: { message: expect.stringContaining("quota is used up"), code: "insufficient_quota" } },
    });
  });
  test(
    verifies("D2.sensitive-global", "shows no credential of its headers, and hashes those that the operator or the request named"),
    async () => {
      const answer = await toUpstream(
        {},
        {
          "x-api-key": "abc-secret-1",
          cookie: "sid=abc-secret-2",
          "x-auth-token": "abc-secret-3",
          "x-always-hashed": "Jane",
          "x-team": "red",
          "x-gateway-sensitive-headers": "x-team",
        },
      );
      const record = await logged(answer);
      expect(record["request"]).toMatchObject({
        headers: {
          authorization: "*****",
          "x-api-key": "*****",
          cookie: "*****",
          "x-auth-token": "*****",
          "x-always-hashed": expect.stringMatching(/^[0-9a-f]{64}$/),
          "x-team": expect.stringMatching(/^[0-9a-f]{64}$/),
        },
        gatewayHeaders: { "x-gateway-api-key": "*****" },
      });
      expect(JSON.stringify(record)).not.toContain("abc-secret");
    },
  );
  describe("shows no key of the gateway", () => {
    const escaped = (key: string): string => [...key].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join("");
    const base64 = (key: string): string => Buffer.from(key).toString("base64");
    const forms = (key: string): readonly string[] => [key, escaped(key), base64(key).replace(/=+$/, "")];
    const PLACES: Readonly<Record<string, (key: string) => Readonly<Record<string, string>>>> = {
      "a mark of a loop": (key) => ({ "x-gateway-hop": key }),
      "any header": (key) => ({ "x-foo": `see ${key}, or ${base64(key)}`, "user-agent": key }),
      "the address of a custom host": (key) => ({ "x-gateway-custom-host": `https://api.example.com/${escaped(key)}/v1` }),
      "a config": (key) => ({ "x-gateway-config": JSON.stringify({ provider: "azure-openai", api_key: "k", azure_deployment_id: key }) }),
      "the names of a trace": (key) => ({ "x-gateway-trace-id": key, "x-gateway-span-id": key, "x-gateway-span-name": `a ${key}` }),
      metadata: (key) => ({ "x-gateway-metadata": JSON.stringify({ _user: key }) }),
      "the name of a provider": (key) => ({ "x-gateway-provider": key }),
    };
    test.each(Object.keys(PLACES))("in %s", async (place) => {
      for (const key of [GATEWAY_KEY, ADMIN_KEY]) {
        api.upstream.answer(jsonAnswer(completion()));
        const answer = await toUpstream({}, PLACES[place]?.(key));
        const record = JSON.stringify(await logOf(api, String(answer.headers.get("x-gateway-request-id") ?? idOf(answer))));
        expect(forms(key).filter((form) => record.includes(form))).toEqual([]);
        expect(record).toContain("[redacted]");
      }
    });
    test("in the URL that was asked", async () => {
      const headers = { "content-type": "application/json", "x-gateway-api-key": GATEWAY_KEY, ...SANDBOX };
      const body = JSON.stringify({ model: "echo", messages: [{ role: "user", content: "x" }] });
      const answer = await fetch(`${api.gateway.base}/v1/chat/completions?code=a_${ADMIN_KEY}`, { method: "POST", headers, body });
      const record = JSON.stringify(await logOf(api, String(answer.headers.get("x-gateway-trace-id"))));
      expect(record).not.toContain(ADMIN_KEY);
    });
    test.each<[string, Readonly<Record<string, string>>]>([
      ["x-gateway-api-key", { "x-gateway-api-key": GATEWAY_KEY }],
      ["authorization", { authorization: `Bearer ${GATEWAY_KEY}` }],
    ])("in a body, where it is the caller's own in %s", async (_, credential) => {
      const body = { model: "gpt-4o", apikey: GATEWAY_KEY, messages: [{ role: "user", content: `it is ${GATEWAY_KEY}` }] };
      const headers = { ...credential, "x-gateway-provider": "sandbox" };
      const answer = await ask(`${api.gateway.base}/v1/chat/completions`, "POST", null, { ...body, model: "echo" }, headers);
      expect(answer.text).toContain(GATEWAY_KEY);
      const record = JSON.stringify(await logged(answer));
      expect(record).not.toContain(GATEWAY_KEY);
      expect(record).toContain('"apikey":"[redacted]"');
    });
  });
  test(verifies("D2.debug", "keeps no bodies with x-gateway-debug: false, and all the rest"), async () => {
    api.upstream.answer(jsonAnswer(completion()));
    const record = await logged(await toUpstream({}, { "x-gateway-debug": "false" }));
    expect({
      request: at(record, "request", "body"),
      response: at(record, "response", "body"),
      sent: record["transformedRequest"],
    }).toEqual({ request: undefined, response: undefined, sent: undefined });
    expect(record["metrics"]).toMatchObject({ req_units: 1000, res_units: 500, cost: expect.any(Number) });
  });
  test("of a data-plane operation without a body is kept as well", async () => {
    const answer = await api.data("GET", "/v1/batches/batch_1", SANDBOX);
    expect(await logged(answer)).toMatchObject({
      request: { method: "GET", url: expect.stringMatching(/\/v1\/batches\/batch_1$/) },
      gateway: { operation: "retrieveBatch" },
    });
  });
});
