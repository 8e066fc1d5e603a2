import { describe, expect, test } from "bun:test";
import type { Json, LogFacts, LogRow } from "#contract";
import { logRow } from "../../../tests/kit/storage/logs.ts";
import { hookResults, logObject } from "./log-object.ts";

const REQUEST = { model: "gpt-4o", messages: [{ role: "user", content: "hello" }] };
const facts: LogFacts = {
  url: "http://gw.example.com/v1/chat/completions",
  method: "POST",
  headers: { host: "gw.example.com" },
  gatewayHeaders: { "x-gateway-provider": "@team" },
  sentTo: "https://api.openai.com/v1/chat/completions",
  operation: "chatComplete",
  ended: "ok",
  error: null,
  retries: 2,
  usage: { input: 7, cacheRead: 3, output: 5 },
  streamed: false,
  timing: { gatewayMs: 2.4, upstreamMs: 117.6, timeToFirstTokenMs: null },
  target: "config.targets[1]",
  providerSlug: "@team",
  mode: "fallback",
  config: "cfg-1",
  userId: "user-1",
  apiKeyName: "ci",
  spans: { id: "s-1", name: "step", parent: "s-0" },
  bodies: "kept",
};
const row = (more: Partial<LogRow> = {}, about: Partial<LogFacts> = {}): LogRow =>
  logRow({
    id: "req-1",
    organisationId: "org-1",
    workspaceId: "ws-1",
    createdAt: Date.UTC(2026, 0, 2),
    traceId: "trace-1",
    provider: "openai",
    model: "gpt-4o-2024",
    status: 200,
    costCents: 0.25,
    inputTokens: 10,
    outputTokens: 5,
    responseTimeMs: 121,
    apiKeyId: "key-1",
    cacheStatus: "DISABLED",
    metadata: { _user: "ann", env: "prod" },
    facts: { ...facts, ...about },
    request: JSON.stringify(REQUEST),
    sent: null,
    response: '{"id":"chatcmpl-1"}',
    hooks: null,
    ...more,
  });
/** The record as its reader gets it. */
const recordOf = (more: Partial<LogRow> = {}, about: Partial<LogFacts> = {}): Json =>
  JSON.parse(JSON.stringify(logObject(row(more, about)))) as Json;
const PARTS = ["request", "transformedRequest", "response"] as const;
const bodyIn = (record: Json, part: (typeof PARTS)[number]): unknown => (record[part] as Json | undefined)?.["body"];

test("a record is the documented LogObject", () =>
  expect(recordOf()).toEqual({
    _id: "req-1",
    organisation_id: "org-1",
    created_at: "2026-01-02T00:00:00.000Z",
    request: {
      url: "http://gw.example.com/v1/chat/completions",
      method: "POST",
      headers: { host: "gw.example.com" },
      gatewayHeaders: { "x-gateway-provider": "@team" },
      body: REQUEST,
    },
    response: { status: 200, responseTime: 121, lastUsedOptionJsonPath: "config.targets[1]", body: { id: "chatcmpl-1" } },
    transformedRequest: { url: "https://api.openai.com/v1/chat/completions", method: "POST", body: REQUEST },
    metrics: {
      id: "req-1",
      organisation_id: "org-1",
      created_at: "2026-01-02T00:00:00.000Z",
      is_success: true,
      ai_org: "openai",
      ai_model: "gpt-4o-2024",
      req_units: 10,
      res_units: 5,
      total_units: 15,
      cost: 0.25,
      cost_currency: "USD",
      request_url: "http://gw.example.com/v1/chat/completions",
      request_method: "POST",
      response_status_code: 200,
      response_time: 121,
      is_proxy_call: false,
      gateway_processing_time: 2,
      upstream_response_time: 118,
      cache_status: "DISABLED",
      cache_type: null,
      stream_mode: 0,
      retry_success_count: 2,
      trace_id: "trace-1",
      internal_trace_id: "req-1",
      span_id: "s-1",
      span_name: "step",
      parent_span_id: "s-0",
      mode: "fallback",
      config: "cfg-1",
      virtual_key: "team",
      last_used_option_index: 1,
      api_key_id: "key-1",
      "metadata.key": ["_user", "env"],
      "metadata.value": ["ann", "prod"],
    },
    gateway: {
      operation: "chatComplete",
      ended: "ok",
      error: null,
      retries: 2,
      usage: { input: 7, cacheRead: 3, output: 5 },
      time_to_first_token: null,
      target: "config.targets[1]",
      provider: "openai",
      provider_slug: "@team",
      workspace_id: "ws-1",
      user_id: "user-1",
      api_key_name: "ci",
      bodies: "kept",
    },
  }));

describe("a record", () => {
  test.each([
    ["DISABLED", null],
    ["HIT", "simple"],
    ["MISS", "simple"],
    ["SEMANTIC HIT", "semantic"],
    ["SEMANTIC MISS", "semantic"],
  ])("of cache status %s has the cache type %p", (cacheStatus, type) =>
    expect(recordOf({ cacheStatus })["metrics"]).toMatchObject({ cache_status: cacheStatus, cache_type: type }),
  );
  test.each([
    ["config.targets[1].targets[0]", 0],
    ["config.targets[12]", 12],
    ["config", undefined],
    [null, undefined],
  ])("of the target %p has the option index %p", (target, index) => {
    const record = recordOf({}, { target });
    expect((record["metrics"] as Json)["last_used_option_index"]).toBe(index);
    expect(record["response"]).toMatchObject({ lastUsedOptionJsonPath: target ?? "" });
  });
  test.each([
    [200, "ok", true],
    [246, "ok", true],
    [404, "error", false],
    [200, "partial", false],
    [200, "aborted", false],
    [302, "ok", false],
  ] as const)("of status %d that ended %s was a success: %p", (status, ended, success) =>
    expect(recordOf({ status }, { ended })["metrics"]).toMatchObject({ response_status_code: status, is_success: success }),
  );
  test("of a stream has its wire text, and the first token's time", () => {
    const wire = 'data: {"a":1}\n\ndata: [DONE]\n\n';
    const timing = { gatewayMs: 0, upstreamMs: 8, timeToFirstTokenMs: 4 };
    expect(recordOf({ response: wire }, { streamed: true, timing })).toMatchObject({
      response: { body: { text: wire } },
      metrics: { stream_mode: 1 },
      gateway: { time_to_first_token: 4 },
    });
  });
  test("tells how a request failed", () => {
    const error = { message: "It broke off.", type: "stream_incomplete", param: null, code: null };
    expect(recordOf({ inputTokens: 0, outputTokens: 0, costCents: null }, { ended: "partial", error, usage: null })).toMatchObject({
      metrics: { is_success: false, total_units: 0, cost: null },
      gateway: { ended: "partial", error, usage: null },
    });
  });
  test("whose facts could not be written down has its columns", () => {
    const record = recordOf({ facts: null, request: null, sent: null, response: null, status: 503 });
    expect(record).toMatchObject({
      _id: "req-1",
      organisation_id: "org-1",
      created_at: "2026-01-02T00:00:00.000Z",
      response: { status: 503, responseTime: 121 },
      metrics: { ai_org: "openai", total_units: 15, cost: 0.25, trace_id: "trace-1", "metadata.key": ["_user", "env"] },
      gateway: { provider: "openai", workspace_id: "ws-1", bodies: "not kept" },
    });
    expect(PARTS.map((part) => bodyIn(record, part))).toEqual([undefined, undefined, undefined]);
  });
});

describe("the bodies of a record", () => {
  /** The same text wherever a body stands. */
  const shownOf = (text: string): readonly unknown[] => {
    const record = recordOf({ request: text, sent: text, response: text });
    return PARTS.map((part) => bodyIn(record, part));
  };
  const everywhere = (body: unknown): readonly unknown[] => PARTS.map(() => body);

  test("that were cut are text, and the record says so", () =>
    expect(recordOf({ request: '{"model":"gp', sent: '{"mod', response: '{"id":' }, { bodies: "cut" })).toMatchObject({
      request: { body: { text: '{"model":"gp' } },
      transformedRequest: { body: { text: '{"mod' } },
      response: { body: { text: '{"id":' } },
      gateway: { bodies: "cut" },
    }));
  test("that are not kept are nowhere, and neither is where they were sent", () => {
    const record = recordOf({ request: null, sent: null, response: null }, { bodies: "not kept", sentTo: null });
    expect({
      request: "body" in (record["request"] as Json),
      response: "body" in (record["response"] as Json),
      sent: "transformedRequest" in record,
    }).toEqual({ request: false, response: false, sent: false });
    expect(record["gateway"]).toMatchObject({ bodies: "not kept" });
  });
  test("that are empty are not shown", () => expect(shownOf("")).toEqual(everywhere(undefined)));
  test("that are JSON on several lines are JSON", () => expect(shownOf('{\r\n  "a": [1]\n}\n')).toEqual(everywhere({ a: [1] })));
  test.each(["[1,2]", '"text"', "12", "null", "<html></html>", "\ufeff{}", '{"a":1}{"b":2}', "\0"])("that are %p are text", (text) =>
    expect(shownOf(text)).toEqual(everywhere({ text })),
  );
  test("as they were sent are the request's own where nothing else was sent", () => {
    expect(bodyIn(recordOf({ sent: null }), "transformedRequest")).toEqual(REQUEST);
    expect(bodyIn(recordOf({ sent: '{"max_tokens":5}' }), "transformedRequest")).toEqual({ max_tokens: 5 });
    expect(bodyIn(recordOf({ sent: "" }), "transformedRequest")).toBeUndefined();
    expect(recordOf({ sent: null }, { sentTo: null })["transformedRequest"]).toBeUndefined();
  });

  const nested = (levels: number, inner = "1"): string => `{"a":${"[".repeat(levels - 1)}${inner}${"]".repeat(levels - 1)}}`;
  test.each([
    [2, false],
    [128, false],
    [129, true],
    [100_000, true],
  ])("of %d levels are text: %p", (levels, asText) => {
    const text = nested(levels);
    expect(shownOf(text)).toEqual(everywhere(asText ? { text } : JSON.parse(text)));
  });
  test.each([
    ["in a string", JSON.stringify("[".repeat(1_000))],
    ["after an escaped quote", JSON.stringify(`"\\"${"[{".repeat(1_000)}\\`)],
    ["side by side", `[${"[],".repeat(1_000)}{}]`],
  ])("with brackets %s are not deep", (_, inner) => {
    const text = nested(3, inner);
    expect(shownOf(text)).toEqual(everywhere(JSON.parse(text)));
  });
  test("with brackets after a string that ends in a backslash are", () => {
    const text = nested(3, `["\\\\",${"[".repeat(200)}${"]".repeat(200)}]`);
    expect(shownOf(text)).toEqual(everywhere({ text }));
  });
  test("that are cut inside a string are text", () => {
    const text = `{"a":"${"[".repeat(1_000)}`;
    expect(shownOf(text)).toEqual(everywhere({ text }));
  });
});

describe("guardrail results", () => {
  test("are as they were written down", () =>
    expect(hookResults(row({ hooks: '{"before_request_hooks":[{"id":"g"}],"after_request_hooks":[]}' }))).toEqual({
      before_request_hooks: [{ id: "g" }],
      after_request_hooks: [],
    }));
  test("there are none of are an empty object", () => expect(hookResults(row({ hooks: null }))).toEqual({}));
  test("nested too deeply are text, and can be answered", () => {
    const hooks = `{"before_request_hooks":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    expect(JSON.parse(JSON.stringify(hookResults(row({ hooks }))))).toEqual({ text: hooks });
  });
});
