import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import type { Caller, Call, GuardrailResult, Host, Json, KeyValue, LogRow, Outcome, Plan } from "#contract";
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
} as unknown as Plan; // ditto
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
    guardrails: { input: [], output: [] },
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
    vault: { digest: hash, seal: String, open: String },
  };
  const running = await logs.setup(host, { days: 90, maxBytes: 1e9, headersToMask: "", headerAliases: "", ...config });
  await running.provides.export(outcomes);
  return rows;
}
const detailOf = async (...args: Parameters<typeof outcome>): Promise<Json> => (await written([outcome(...args)]))[0]?.detail ?? {};

describe("a record", () => {
  test("has the columns that are searched", async () => {
    expect((await written([outcome()]))[0]).toMatchObject({
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
  test("is the documented LogObject", async () => {
    expect(await detailOf()).toMatchObject({
      _id: "req-1",
      organisation_id: "org-1",
      created_at: "2026-01-02T00:00:00.000Z",
      request: {
        url: "http://gw.example.com/v1/chat/completions",
        method: "POST",
        headers: { host: "gw.example.com" },
        gatewayHeaders: {},
        body: REQUEST,
      },
      response: { status: 200, responseTime: 121, lastUsedOptionJsonPath: "config.targets[1]", body: { id: "chatcmpl-1" } },
      transformedRequest: { url: "https://api.openai.com/v1/chat/completions", method: "POST", body: REQUEST },
      metrics: {
        id: "req-1",
        organisation_id: "org-1",
        is_success: true,
        ai_org: "openai",
        ai_model: "gpt-4o-2024",
        req_units: 10,
        res_units: 5,
        total_units: 15,
        cost: 0.25,
        cost_currency: "USD",
        request_method: "POST",
        response_status_code: 200,
        response_time: 121,
        gateway_processing_time: 2,
        upstream_response_time: 118,
        cache_status: "DISABLED",
        cache_type: null,
        stream_mode: 0,
        retry_success_count: 2,
        trace_id: "trace-1",
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
        retries: 2,
        usage: { input: 7, cacheRead: 3, output: 5 },
        time_to_first_token: null,
        target: "config.targets[1]",
        bodies: "kept",
      },
    });
  });
  test("survives JSON", async () => {
    const [row] = await written([outcome()]);
    expect(JSON.parse(JSON.stringify(row))).toMatchObject({ id: "req-1", detail: { _id: "req-1" } });
  });
  test("keeps a stream's wire text, and the first token's time", async () => {
    const wire = 'data: {"a":1}\n\ndata: [DONE]\n\n';
    const bodies = { request: "{}", upstreamUrl: null, upstreamRequest: null, response: wire, truncated: false };
    expect(
      await detailOf({ streamed: true, bodies, timing: { totalMs: 9, gatewayMs: 1, upstreamMs: 8, timeToFirstTokenMs: 4 } }),
    ).toMatchObject({ response: { body: { text: wire } }, metrics: { stream_mode: 1 }, gateway: { time_to_first_token: 4 } });
  });
  test("keeps a body that was cut as text and says so", async () => {
    const bodies = { request: '{"model":"gp', upstreamUrl: null, upstreamRequest: null, response: '{"id":', truncated: true };
    expect(await detailOf({ bodies })).toMatchObject({
      request: { body: { text: '{"model":"gp' } },
      response: { body: { text: '{"id":' } },
      gateway: { bodies: "cut" },
    });
  });
  describe("of a body that is nested deeply", () => {
    const nested = (levels: number, inner = "1"): string => `{"a":${"[".repeat(levels - 1)}${inner}${"]".repeat(levels - 1)}}`;
    const bodyIn = (detail: Json, of: string): unknown => (detail[of] as Json)["body"];
    const bodies = (text: string) => ({
      request: text,
      upstreamUrl: "https://api.example.com",
      upstreamRequest: text,
      response: text,
      truncated: false,
    });
    test.each([
      [2, false],
      [128, false],
      [129, true],
      [100_000, true],
    ])("%d levels: as text %p", async (levels, asText) => {
      const text = nested(levels);
      const rows = await written([outcome({ bodies: bodies(text) }), outcome()]);
      for (const of of ["request", "transformedRequest", "response"])
        expect(bodyIn(rows[0]?.detail ?? {}, of)).toEqual(asText ? { text } : JSON.parse(text));
      expect(JSON.parse(JSON.stringify(rows))).toHaveLength(2);
    });
    test.each([
      ["in a string", JSON.stringify("[".repeat(1_000))],
      ["after an escaped quote", JSON.stringify(`"\\"${"[{".repeat(1_000)}\\`)],
      ["side by side", `[${"[],".repeat(1_000)}{}]`],
    ])("brackets %s are no depth", async (_, inner) => {
      const text = nested(3, inner);
      expect(bodyIn(await detailOf({ bodies: bodies(text) }), "response")).toEqual(JSON.parse(text));
    });
    test("brackets after a string that ends in a backslash are", async () => {
      const text = nested(3, `["\\\\",${"[".repeat(200)}${"]".repeat(200)}]`);
      expect(bodyIn(await detailOf({ bodies: bodies(text) }), "response")).toEqual({ text });
    });
    test("a request that was parsed already is kept as text as well", async () => {
      const text = nested(50_000);
      const { call } = outcome();
      expect(
        bodyIn(
          await detailOf({ call: { ...call, body: { kind: "json", text, value: JSON.parse(text) } }, bodies: bodies(text) }),
          "request",
        ),
      ).toEqual({ text });
    });
    test("what a check quotes is left out", async () => {
      const check = {
        id: "c",
        verdict: true,
        error: null,
        execution_time: 1,
        transformed: false,
        created_at: "",
        data: JSON.parse(nested(50_000)) as Json,
        log: null,
      };
      const result = {
        verdict: true,
        id: "g",
        transformed: false,
        checks: [check, { ...check, data: { kept: 1 } }],
        feedback: null,
        execution_time: 1,
        async: false,
        type: "guardrail",
        created_at: "",
        deny: true,
      } as unknown as GuardrailResult; // the log looks at no more
      const [row] = await written([outcome({ guardrails: { input: [result], output: [] } })]);
      expect(JSON.parse(JSON.stringify(row?.hooks))).toMatchObject({
        before_request_hooks: [
          {
            checks: [
              { id: "c", data: null },
              { id: "c", data: { kept: 1 } },
            ],
          },
        ],
      });
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
        detail: { _id: "req-0", organisation_id: "org-1", gateway: { bodies: "not kept" } },
        hooks: null,
      },
      { id: "req-1" },
    ]);
    expect([JSON.stringify(rows[0]).includes("hello"), lines]).toEqual([false, ["error log record cut to its columns"]]);
  });
  test("has no body anywhere when bodies are not kept", async () => {
    const detail = await detailOf({ bodies: null });
    expect(JSON.stringify(detail)).not.toContain("hello");
    expect([
      Object.keys(detail["request"] as Json).includes("body"),
      "transformedRequest" in detail,
      (detail["gateway"] as Json)["bodies"],
    ]).toEqual([false, false, "not kept"]);
  });
  test("tells how a request failed", async () => {
    const error = { message: "It broke off.", type: "stream_incomplete", param: null, code: null };
    expect(await detailOf({ status: 200, ended: "partial", error, usage: null })).toMatchObject({
      metrics: { is_success: false, total_units: 0 },
      gateway: { ended: "partial", error },
    });
  });
  test("has guardrail results apart, named as in hook_results", async () => {
    const result = {
      verdict: true,
      id: "g",
      transformed: false,
      checks: [],
      feedback: null,
      execution_time: 1,
      async: false,
      type: "guardrail",
      created_at: "2026-01-02T00:00:00.000Z",
      deny: true,
    } as const;
    expect((await written([outcome({ guardrails: { input: [result], output: [] } })]))[0]?.hooks).toEqual({
      before_request_hooks: [result],
      after_request_hooks: [],
    });
  });
  test("is not made for a sender nobody knows, and an empty batch is not written", async () =>
    expect(await written([outcome({ caller: null })])).toEqual([]));
});

describe("credentials are not in a record", () => {
  const CANARY = "canary-4711";
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
  ])("header %s", async (name) => {
    const detail = await detailOf({}, { [name]: `Bearer ${CANARY}` });
    expect(JSON.stringify(detail)).not.toContain(CANARY);
    expect(JSON.stringify(detail)).toContain(`"${name}":"*****"`);
  });
  test("a key inside a config header, however deep, and the config stays readable", async () => {
    const config = JSON.stringify({
      strategy: { mode: "fallback" },
      targets: [
        { provider: "openai", api_key: CANARY, override_params: { max_tokens: 5 } },
        { targets: [{ aws_secret_access_key: CANARY }] },
      ],
    });
    const gatewayHeaders = ((await detailOf({}, { "x-gateway-config": config }))["request"] as Json)["gatewayHeaders"] as Json;
    expect(gatewayHeaders["x-gateway-config"]).toBe(config.replaceAll(CANARY, "*****"));
  });
  test("a config header that is not JSON after all", async () =>
    expect(JSON.stringify(await detailOf({}, { "x-gateway-config": `{"api_key":"${CANARY}"` }))).not.toContain(CANARY));
  test("query parameters", async () =>
    expect(JSON.stringify(await detailOf({}, {}, {}, `?key=${CANARY}&api_key=${CANARY}&access_token=${CANARY}&limit=5`))).not.toContain(
      CANARY,
    ));
  test("headers the request calls sensitive, in any case, are hashed: equal values stay equal", async () => {
    const seen = async (value: string) =>
      ((await detailOf({}, { "x-customer": value, "x-other": "shown" }, { sensitiveHeaders: ["X-Customer"] }))["request"] as Json)[
        "headers"
      ] as Json;
    expect(await seen("acme")).toMatchObject({ "x-customer": hash("acme"), "x-other": "shown" });
    expect((await seen("acme"))["x-customer"]).not.toBe((await seen("ajax"))["x-customer"]);
  });
  test("headers the operator lists are hashed in every record, and aliases are gateway headers", async () => {
    const [row] = await written([outcome({}, { "x-customer": "acme", "x-acme-config": "cfg" })], {
      headersToMask: "x-tenant, X-Customer",
      headerAliases: "x-acme-",
    });
    expect(row?.detail["request"]).toMatchObject({ headers: { "x-customer": hash("acme") }, gatewayHeaders: { "x-acme-config": "cfg" } });
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
