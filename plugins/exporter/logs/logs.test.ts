import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import {
  type Bodies,
  type Caller,
  type Call,
  type GuardrailResult,
  type Host,
  type Json,
  type KeyValue,
  type LogFacts,
  type LogRow,
  type Outcome,
  type Plan,
  mountedOperation,
} from "#contract";
import { CHAT } from "../../api/content/index.ts";
import { exportTo } from "../../../tests/kit/exporter.ts";
import { guardrailResult, reportOf } from "../../../tests/kit/outcome.ts";
import logs from "./index.ts";
import { LEASE, retention } from "./retention.ts";

const DAY_MS = 86_400_000;
const hash = (text: string): string => createHash("sha256").update(`pepper${text}`).digest("hex");
const caller = { organisationId: "org-1", workspaceId: "ws-1", keyId: "key-1", keyName: "ci", userId: null } as Caller; // the log looks at no more
const plan = {
  root: { kind: "branch", mode: "fallback" },
  metadata: { _user: "ann", env: "prod" },
  configSlug: "cfg-1",
  model: "gpt-4o",
} as unknown as Plan; // what the test reads of it
const REQUEST = { model: "gpt-4o", messages: [{ role: "user", content: "hello" }] };

function outcome(
  more: Partial<Outcome> = {},
  headers: Record<string, string> = {},
  control: Partial<Call["control"]> = {},
  search = "",
): Outcome {
  const text = JSON.stringify(REQUEST);
  return {
    call: {
      id: "req-1",
      operation: "chatComplete",
      row: mountedOperation("chatComplete", { content: CHAT }),
      method: "POST",
      path: "/chat/completions",
      params: {},
      search,
      headers: new Headers({ host: "gw.example.com", ...headers }),
      control: { rest: {}, ...control },
      traceId: "trace-1",
      body: { kind: "json", text, value: REQUEST },
      startedAt: Date.UTC(2026, 0, 2),
      signal: new AbortController().signal,
    },
    caller,
    plan,
    status: 200,
    ended: "ok",
    error: null,
    provider: "openai",
    providerSlug: "@team",
    model: "gpt-4o-2024",
    lastUsedOption: "config.targets[1]",
    retries: 2,
    cacheStatus: "DISABLED",
    streamed: false,
    usage: { input: 7, cacheRead: 3, output: 5 },
    costCents: 0.25,
    guardrails: { input: [], output: [], text: null },
    timing: { totalMs: 120.6, gatewayMs: 2, upstreamMs: 118, timeToFirstTokenMs: null },
    bodies: {
      request: text,
      upstreamUrl: "https://api.openai.com/v1/chat/completions",
      upstreamRequest: text,
      response: '{"id":"chatcmpl-1"}',
      truncated: false,
    },
    ...more,
  };
}
/** What the exporter writes for these outcomes. */
async function written(outcomes: readonly Outcome[], config = {}, lines: string[] = []): Promise<LogRow[]> {
  const rows: LogRow[] = [];
  const host: Host<"logs" | "kv" | "vault"> = {
    log: (level, event) => void lines.push(`${level} ${event}`),
    now: () => 0,
    logs: { write: async (batch) => void rows.push(...batch), get: async () => undefined, prune: async () => 0 },
    kv: { add: async () => false } as unknown as KeyValue, // retention is tested below
    vault: {
      digest: hash,
      seal: String,
      open: String,
      sealContent: (content: Uint8Array) => content,
      openContent: (sealed: Uint8Array) => sealed,
    },
  };
  const running = await logs.setup(host, { days: 90, maxBytes: 1e9, headersToMask: "", headerAliases: "", ...config });
  await exportTo(running.provides, outcomes);
  return rows;
}
const rowOf = async (...args: Parameters<typeof outcome>): Promise<LogRow> =>
  (await written([outcome(...args)]))[0] ?? expect.unreachable();
const factsOf = async (...args: Parameters<typeof outcome>): Promise<LogFacts> => (await rowOf(...args)).facts ?? expect.unreachable();
const bodiesOf = (more: Partial<Bodies>): Pick<Outcome, "bodies"> => ({
  bodies: { request: null, upstreamUrl: null, upstreamRequest: null, response: null, truncated: false, ...more },
});

describe("a record", () => {
  test("has the columns that are searched", async () => {
    expect(await rowOf()).toMatchObject({
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
      hooks: null,
    });
  });
  test("has as facts what is shown and not searched, and no column twice", async () => {
    expect(await factsOf({}, { "x-gateway-provider": "openai" }, { spanId: "s", spanName: "n", parentSpanId: "p" }, "?limit=5")).toEqual({
      url: "http://gw.example.com/v1/chat/completions?limit=5",
      method: "POST",
      headers: { host: "gw.example.com" },
      gatewayHeaders: { "x-gateway-provider": "openai" },
      sentTo: "https://api.openai.com/v1/chat/completions",
      operation: "chatComplete",
      ended: "ok",
      error: null,
      retries: 2,
      usage: { input: 7, cacheRead: 3, output: 5 },
      streamed: false,
      timing: { gatewayMs: 2, upstreamMs: 118, timeToFirstTokenMs: null },
      target: "config.targets[1]",
      providerSlug: "@team",
      mode: "fallback",
      config: "cfg-1",
      userId: null,
      apiKeyName: "ci",
      spans: { id: "s", name: "n", parent: "p" },
      bodies: "kept",
    });
  });
  test("of a request without a plan has the facts there are", async () =>
    expect(await factsOf({ plan: null, provider: null, lastUsedOption: null, providerSlug: null, usage: null })).toMatchObject({
      mode: null,
      config: null,
      target: null,
      providerSlug: null,
      usage: null,
      spans: {},
    }));
  test("behind a proxy has the scheme that the proxy says", async () =>
    expect((await factsOf({}, { "x-forwarded-proto": "https" })).url).toBe("https://gw.example.com/v1/chat/completions"));
  test("survives JSON", async () => {
    const row = await rowOf();
    expect(JSON.parse(JSON.stringify(row))).toEqual(row);
  });
  test("keeps a stream's wire text, and the first token's time", async () => {
    const wire = 'data: {"a":1}\n\ndata: [DONE]\n\n';
    const timing = { totalMs: 9, gatewayMs: 1, upstreamMs: 8, timeToFirstTokenMs: 4 };
    expect(await rowOf({ streamed: true, ...bodiesOf({ request: "{}", response: wire }), timing })).toMatchObject({
      response: wire,
      facts: { streamed: true, timing: { timeToFirstTokenMs: 4 } },
    });
  });
  test("keeps a body that was cut as far as it goes, and says so", async () => {
    expect(await rowOf(bodiesOf({ request: '{"model":"gp', response: '{"id":', truncated: true }))).toMatchObject({
      request: '{"model":"gp',
      response: '{"id":',
      facts: { bodies: "cut" },
    });
  });
  test.each([
    ["JSON on several lines", '{\n  "a": 1\n}\n'],
    ["an empty text", ""],
    ["a NUL and halves of characters", "a\0b \ud83d \ude00"],
    ["what is no JSON", "<html>"],
    ["JSON that is nested deeply", `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
  ])("keeps bodies as the texts they are: %s", async (_, text) => {
    const row = await rowOf(
      bodiesOf({ request: text, upstreamUrl: "https://api.example.com/", upstreamRequest: `${text} `, response: text }),
    );
    expect([row.request === text, row.sent === `${text} `, row.response === text]).toEqual([true, true, true]);
  });
  describe("keeps what was sent", () => {
    const sentOf = async (request: string | null, upstreamRequest: string | null): Promise<string | null> =>
      (await rowOf(bodiesOf({ request, upstreamUrl: "https://api.example.com/", upstreamRequest }))).sent;
    test.each([
      ['{"a":1}', '{"a":2}'],
      ['{"a":1}', '{"a":1} '],
      ['{"a":1}', ""],
      ["", '{"a":1}'],
      [null, '{"a":1}'],
      [null, ""],
    ])("where it is not the request's own text: %p, %p", async (request, sent) => expect(await sentOf(request, sent)).toBe(sent));
    test.each(['{"a":1}', ""])("once where it is: %p", async (text) => expect(await sentOf(text, `${text}`)).toBeNull());
    test("as nothing where nothing was", async () => {
      expect(await sentOf('{"a":1}', null)).toBeNull();
      expect(await rowOf(bodiesOf({ request: "{}" }))).toMatchObject({ request: "{}", sent: null, facts: { sentTo: null } });
    });
  });
  test("that cannot be made whole is made of what is sure, and the others of its batch stay whole", async () => {
    const lines: string[] = [];
    const broken = outcome();
    const rows = await written(
      [{ ...broken, call: { ...broken.call, id: "req-0", headers: null as unknown as Headers } }, outcome()],
      {},
      lines,
    ); // what must never happen
    expect(rows).toMatchObject([
      {
        id: "req-0",
        organisationId: "org-1",
        workspaceId: "ws-1",
        status: 200,
        inputTokens: 10,
        metadata: { _user: "ann" },
        facts: null,
        request: null,
        sent: null,
        response: null,
        hooks: null,
      },
      { id: "req-1", facts: { url: expect.stringContaining("gw.example.com") }, request: JSON.stringify(REQUEST) },
    ]);
    expect([JSON.stringify(rows[0]).includes("hello"), lines]).toEqual([false, ["error log record cut to its columns"]]);
  });
  test("whose guardrail results cannot be written down is cut as well, and the others of its batch stay whole", async () => {
    const deep = guardrailResult(JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`)); // what the pipeline lets nobody quote
    const lines: string[] = [];
    const rows = await written([outcome({ guardrails: { input: [deep], output: [], text: null } }), outcome()], {}, lines);
    expect(rows).toMatchObject([
      { id: "req-1", status: 200, facts: null, request: null, hooks: null },
      { facts: { bodies: "kept" }, response: '{"id":"chatcmpl-1"}' },
    ]);
    expect(lines).toEqual(["error log record cut to its columns"]);
  });
  test("has no body anywhere when bodies are not kept, and all the rest", async () => {
    const row = await rowOf({ bodies: null });
    expect(row).toMatchObject({ request: null, sent: null, response: null, inputTokens: 10, facts: { sentTo: null, bodies: "not kept" } });
    expect(JSON.stringify(row)).not.toContain("hello");
    expect(JSON.stringify(row)).not.toContain("chatcmpl-1");
  });
  test("tells how a request failed", async () => {
    const error = { message: "It broke off.", type: "stream_incomplete", param: null, code: null };
    expect(await rowOf({ status: 200, ended: "partial", error, usage: null })).toMatchObject({
      inputTokens: 0,
      outputTokens: 0,
      facts: { ended: "partial", error },
    });
  });
  test("is not made for a sender nobody knows, and an empty batch is not written", async () =>
    expect(await written([outcome({ caller: null })])).toEqual([]));
});

describe("guardrail results", () => {
  const QUOTE = "what the prompt said";
  const results: readonly GuardrailResult[] = [guardrailResult({ quoted: QUOTE })];
  const hooksOf = async (more: Partial<Outcome>): Promise<unknown> => JSON.parse((await rowOf(more)).hooks ?? "null");

  test("are kept apart, named as in hook_results", async () =>
    expect(await hooksOf({ guardrails: { input: results, output: [], text: null } })).toEqual({
      before_request_hooks: results,
      after_request_hooks: [],
    }));
  test("that stand in the answer are kept as the text they have there", async () => {
    const text = '{ "before_request_hooks": [], "after_request_hooks": [1.0] }';
    expect((await rowOf({ guardrails: { input: [], output: results, text } })).hooks).toBe(text);
  });
  test("there are none of are null", async () => {
    expect((await rowOf({ guardrails: { input: [], output: [], text: null } })).hooks).toBeNull();
    expect((await rowOf({ guardrails: { input: [], output: [], text: null }, bodies: null })).hooks).toBeNull();
  });
  test.each([
    ["before", reportOf(results)],
    ["after", reportOf([], results)],
    ["before, not in the answer", { ...reportOf(results), text: null }],
  ])("quote nothing when bodies are not kept (%s)", async (_, guardrails) => {
    const row = await rowOf({ guardrails, bodies: null });
    expect(JSON.stringify(row)).not.toContain(QUOTE);
    const quiet = results.map((result) => ({ ...result, checks: result.checks.map((check) => ({ ...check, data: null, log: null })) }));
    expect(JSON.parse(row.hooks ?? "")).toEqual({
      before_request_hooks: guardrails.input.length > 0 ? quiet : [],
      after_request_hooks: guardrails.output.length > 0 ? quiet : [],
    });
  });
});

describe("credentials are not in a record", () => {
  const CANARY = "canary-4711";
  const configKept = async (config: string): Promise<string | undefined> =>
    (await factsOf({}, { "x-gateway-config": config })).gatewayHeaders["x-gateway-config"];
  test.each([
    "authorization",
    "proxy-authorization",
    "cookie",
    "x-api-key",
    "api-key",
    "x-goog-api-key",
    "x-gateway-api-key",
    "x-gateway-aws-secret-access-key",
    "x-gateway-azure-ad-token",
    "x-amz-security-token",
    "x-auth-token",
    "x-signature",
    "x-gateway-vertex-service-account-json",
  ])("header %s", async (name) => {
    const row = await rowOf({}, { [name]: `Bearer ${CANARY}` });
    expect(JSON.stringify(row)).not.toContain(CANARY);
    expect({ ...row.facts?.headers, ...row.facts?.gatewayHeaders }).toMatchObject({ [name]: "*****" });
  });
  test("a key inside a config header, however deep, and the config stays readable", async () => {
    const config = JSON.stringify({
      strategy: { mode: "fallback" },
      targets: [
        { provider: "openai", api_key: CANARY, override_params: { max_tokens: 5 } },
        { targets: [{ aws_secret_access_key: CANARY }] },
      ],
    });
    expect(await configKept(config)).toBe(config.replaceAll(CANARY, "*****"));
  });
  describe("a config header's", () => {
    const KEY_FILE = {
      type: "service_account",
      private_key_id: CANARY,
      private_key: `-----BEGIN PRIVATE KEY-----\n${CANARY}\n-----END PRIVATE KEY-----\n`,
    };
    const keyFile = JSON.stringify(KEY_FILE);
    test.each<[what: string, config: Json]>([
      ["key file of a service account, as text", { provider: "vertex-ai", vertex_service_account_json: keyFile }],
      ["key file of a service account, as text on several lines", { vertex_service_account_json: JSON.stringify(KEY_FILE, null, 2) }],
      ["key file of a service account, as text that is cut", { vertex_service_account_json: keyFile.slice(0, -20) }],
      ["key file of a service account, as an object", { vertex_service_account_json: KEY_FILE }],
      ["key file of a service account, by another spelling", { targets: [{ serviceAccount: keyFile }, { "service-account": keyFile }] }],
      ["key file under a name that says nothing", { override_params: { file: keyFile } }],
      ["config in a config", { config: JSON.stringify({ targets: [{ config: JSON.stringify({ api_key: CANARY }) }] }) }],
      ["keys in a list", { provider: "openai", api_key: [CANARY, { second: CANARY }] }],
      ["custom host with a password", { custom_host: `https://user:${CANARY}@models.example.com/v1?api_key=${CANARY}&limit=5` }],
      [
        "headers of a webhook, whatever they are called",
        { input_guardrails: [{ "default.webhook": { webhookURL: "https://judge.example.com", headers: { "x-tenant": CANARY } } }] },
      ],
      [
        "headers of a webhook, as text",
        {
          output_guardrails: [
            { "default.webhook": { headers: `{"x-tenant":"${CANARY}"}`, webhookURL: `https://j.example.com/?key=${CANARY}` } },
          ],
        },
      ],
    ])("%s", async (_, config) => {
      const row = await rowOf({}, { "x-gateway-config": JSON.stringify(config) });
      expect(JSON.stringify(row)).not.toContain(CANARY);
      const kept = JSON.parse(row.facts?.gatewayHeaders["x-gateway-config"] ?? "") as Json;
      expect(Object.keys(kept)).toEqual(Object.keys(config));
      expect(JSON.stringify(kept)).toContain("*****");
    });
    test("other members stay readable", async () => {
      const config = JSON.stringify({
        provider: "vertex-ai",
        vertex_project_id: "p",
        vertex_auth_type: "serviceAccount",
        custom_host: "https://models.example.com/v1",
        forward_headers: ["x-team"],
        override_params: { max_tokens: 5, thinking: { budget_tokens: 10 }, response_format: '{"type":"json"}' },
        input_guardrails: [{ "default.webhook": { webhookURL: "https://judge.example.com/check" }, deny: true }],
      });
      expect(await configKept(config)).toBe(config);
    });
  });
  test("a config header that is not JSON after all", async () =>
    expect(JSON.stringify(await rowOf({}, { "x-gateway-config": `{"api_key":"${CANARY}"` }))).not.toContain(CANARY));
  test("query parameters", async () =>
    expect(JSON.stringify(await rowOf({}, {}, {}, `?key=${CANARY}&api_key=${CANARY}&access_token=${CANARY}&limit=5`))).not.toContain(
      CANARY,
    ));
  test("headers the request calls sensitive, in any case, are hashed: equal values stay equal", async () => {
    const seen = async (value: string): Promise<LogFacts["headers"]> =>
      (await factsOf({}, { "x-customer": value, "x-other": "shown" }, { sensitiveHeaders: ["X-Customer"] })).headers;
    expect(await seen("acme")).toMatchObject({ "x-customer": hash("acme"), "x-other": "shown" });
    expect((await seen("acme"))["x-customer"]).not.toBe((await seen("ajax"))["x-customer"]);
  });
  test("headers the operator lists are hashed in every record, and aliases are gateway headers", async () => {
    const [row] = await written([outcome({}, { "x-customer": "acme", "x-acme-config": "cfg" })], {
      headersToMask: "x-tenant, X-Customer",
      headerAliases: "x-acme-",
    });
    expect(row?.facts).toMatchObject({ headers: { "x-customer": hash("acme") }, gatewayHeaders: { "x-acme-config": "cfg" } });
  });
});

describe("retention", () => {
  const leases = (): KeyValue["add"] => {
    const held = new Set<string>();
    return async (key) => !held.has(key) && held.add(key) !== undefined;
  };
  const parts = (add: KeyValue["add"], prune: (keep: { newerThan: number; maxBytes: number }) => Promise<number>, lines: string[] = []) =>
    ({
      logs: { prune },
      kv: { add },
      log: (level: string, event: string) => void lines.push(`${level} ${event}`),
      now: () => 100 * DAY_MS,
      days: 90,
      maxBytes: 5_000,
    }) as const;

  test("keeps so many days and so many bytes", async () => {
    const kept: object[] = [];
    await retention(
      parts(leases(), async (keep) => {
        kept.push(keep);
        return 3;
      }),
    ).prune();
    expect(kept).toEqual([{ newerThan: 10 * DAY_MS, maxBytes: 5_000 }]);
  });
  test("runs in one process of several", async () => {
    const add = leases();
    let runs = 0;
    await Promise.all(
      Array.from({ length: 5 }, () =>
        retention(
          parts(add, async () => {
            runs += 1;
            return 0;
          }),
        ).prune(),
      ),
    );
    expect(runs).toBe(1);
    expect(await add(LEASE, new Uint8Array())).toBe(false);
  });
  test("begins with the process, and stopping waits for what is running", async () => {
    let done = false;
    const pruning = retention(
      parts(leases(), async () => {
        await new Promise((resolve) => setImmediate(resolve));
        done = true;
        return 0;
      }),
    );
    pruning.start();
    await pruning.stop();
    expect(done).toBe(true);
  });
  test("that fails says so and takes nothing down", async () => {
    const lines: string[] = [];
    await retention(parts(leases(), () => Promise.reject(new Error("disk")), lines)).prune();
    expect(lines).toEqual(["warn log retention failed, it is tried again in an hour"]);
  });
});
