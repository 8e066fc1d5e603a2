/** What guardrails do beside passing and denying: soft denials, shadow, roll-out, mutators; and what a denied answer costs. */
import { describe, expect, test } from "bun:test";
import { jsonAnswer, type Replay, replayServer } from "../kit/replay.ts";
import { verifies } from "../requirements/verifies.ts";
import { bodyOf, forAll, type Json } from "./endpoints/api.ts";
import { type Answer, until } from "./process.ts";

const api = forAll({ GATEWAY_TRUSTED_HOSTS: "127.0.0.1" });
const without = (word: string, more: Json = {}): Json => ({ "default.contains": { words: [word], operator: "none" }, deny: true, ...more });
const asked = (config: Json, body: Json = {}, headers: Readonly<Record<string, string>> = {}, path = "/v1/chat/completions") =>
  api.data(
    "POST",
    path,
    { "x-gateway-config": JSON.stringify({ provider: "sandbox", ...config }), ...headers },
    { model: "echo", messages: [{ role: "user", content: "an apple" }], ...body },
  );
/** The log's record of an answer, as soon as it is written. */
const logged = ({ headers }: Answer, query = ""): Promise<Json> =>
  until("the record of a request", async () => {
    const { status, json } = await api.data("GET", `/v1/logs/${headers.get("x-gateway-request-id")}${query}`);
    return status === 200 && json;
  });
/** Tokens of request and answer together. */
const tokensIn = (record: Json): number => Number(/"total_units":(\d+)/.exec(JSON.stringify(record))?.[1]);

describe("soft_deny_200", () => {
  const soft = { input_guardrails: [without("apple", { id: "fruit", soft_deny_200: true })] };
  const refusal = expect.stringMatching(/fruit\. The check for none of the words failed\.$/);
  test(
    verifies(
      "D4.soft-deny",
      verifies("G.soft-deny", "answers a denied request with 200 and the reason, in the client's form, and nothing is sent"),
    ),
    async () => {
      expect(bodyOf(await asked(soft))).toMatchObject({
        choices: [{ message: { role: "assistant", content: refusal }, finish_reason: "stop" }],
        hook_results: { before_request_hooks: [{ id: "fruit", verdict: false, deny: true }] },
      });
      const message = bodyOf(await asked(soft, { max_tokens: 10 }, {}, "/v1/messages"));
      expect(message).toMatchObject({ type: "message", content: [{ type: "text", text: refusal }] });
      const response = bodyOf(await asked(soft, { messages: undefined, input: "an apple" }, {}, "/v1/responses"));
      expect(response).toMatchObject({ object: "response", output: [{ content: [{ type: "output_text", text: refusal }] }] });
      expect(bodyOf(await asked(soft, { messages: [{ role: "user", content: "a pear" }] }))["choices"]).toMatchObject([
        { message: { content: expect.stringContaining("pear") } },
      ]);
    },
  );
  test("streams it to who asked for a stream", async () => {
    const { status, text } = await asked(soft, { stream: true });
    expect(status).toBe(200);
    const events = text.split("\n\n").filter((frame) => frame.startsWith("data: {"));
    const said = events.map(
      (frame) => (JSON.parse(frame.slice(6)) as { choices?: { delta: { content?: string } }[] }).choices?.[0]?.delta.content ?? "",
    );
    expect(said.join("")).toEqual(refusal as string);
    expect(text).toEndWith("data: [DONE]\n\n");
  });
  test("answers a denied answer so too, and a hard denial beside it wins", async () => {
    const output = { output_guardrails: [without("apple", { id: "fruit", soft_deny_200: true })] };
    expect(bodyOf(await asked(output))).toMatchObject({ choices: [{ message: { content: refusal } }] });
    const both = { output_guardrails: [without("apple", { soft_deny_200: true }), without("an apple")] };
    expect((await asked(both)).status).toBe(446);
  });
  test("is 446 where an answer has no text to say it in", async () => {
    const embedding = await asked(soft, { messages: undefined, input: "an apple" }, {}, "/v1/embeddings");
    expect(embedding.status).toBe(446);
  });
});

describe("a denied answer", () => {
  test("that was never asked for costs nothing", async () => {
    for (const soft_deny_200 of [false, true]) {
      const answer = await asked({ input_guardrails: [without("apple", { soft_deny_200 })] });
      expect(tokensIn(await logged(answer))).toBe(0);
    }
  });
});

describe("an answer that output guardrails hold back", () => {
  const APPLE = "an apple";
  const UNREPORTED = "an apple whose tokens nobody counts";
  const completion = (content: string): Json => ({
    ...{ id: "c", object: "chat.completion", created: 1, model: "m" },
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
    ...(content !== UNREPORTED && { usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } }),
  });
  const chunk = (delta: Json, finish_reason: string | null = null): string =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const events = (content: string): Replay => ({
    headers: { "content-type": "text/event-stream" },
    body: `${chunk({ role: "assistant", content })}${chunk({}, "stop")}data: ${JSON.stringify({ ...completion(content), object: "chat.completion.chunk", choices: [] })}\n\ndata: [DONE]\n\n`,
  });
  /** The provider says one text after the other, the last one again and again. */
  async function answered(texts: readonly string[], config: Json, body: Json = {}, headers: Readonly<Record<string, string>> = {}) {
    const before = api.upstream.received.length;
    const text = (): string => texts[Math.min(api.upstream.received.length - before, texts.length) - 1] ?? "";
    api.upstream.answer(() => (body["stream"] === true ? events(text()) : jsonAnswer(completion(text()))));
    const answer = await asked({ provider: "openai", api_key: "k", custom_host: `${api.upstream.url}/v1`, ...config }, body, headers);
    return { answer, times: api.upstream.received.length - before, retries: answer.headers.get("x-gateway-retry-attempt-count") };
  }
  const guarded = (listed: number, deny: boolean): Json => ({
    retry: { attempts: 1, on_status_codes: [listed] },
    output_guardrails: [without("apple", { deny })],
  });
  test.each([
    [446, true, false],
    [446, true, true],
    [246, false, false],
    [246, false, true],
  ])(
    verifies("D4.446-retried", "is asked for again where retry lists %d (denies: %s, stream: %s), and paid for"),
    async (listed, deny, stream) => {
      const body = stream ? { stream, stream_options: { include_usage: true } } : {};
      const { answer, times, retries } = await answered([APPLE, "a pear"], guarded(listed, deny), body);
      expect([answer.status, times, retries]).toEqual([200, 2, "1"]);
      expect(answer.text).toContain("a pear");
      expect(answer.text).not.toContain(APPLE);
      expect(tokensIn(await logged(answer))).toBe(30);
    },
  );
  test.each([false, true])("is estimated each time where its provider reports no usage (stream: %s)", async (stream) => {
    const body = stream ? { stream, stream_options: { include_usage: true } } : {};
    const spentOn = async (listed: number): Promise<number> => {
      const { answer } = await answered([UNREPORTED], guarded(listed, true), body);
      return tokensIn(await logged(answer));
    };
    const once = await spentOn(500);
    expect(once).toBeGreaterThan(0);
    expect(await spentOn(446)).toBe(2 * once);
  });
  test("is given when the tries are used up: all of them are paid for", async () => {
    const { answer, times, retries } = await answered([APPLE], guarded(446, true));
    expect([answer.status, times, retries]).toEqual([446, 2, "-1"]);
    expect(tokensIn(await logged(answer))).toBe(30);
  });
  test.each<readonly [string, number, Json, Readonly<Record<string, string>>]>([
    ["that retry does not list", 446, guarded(500, true), {}],
    ["whose request would have to wait beyond its end", 446, guarded(446, true), { "x-gateway-request-timeout": "400" }],
    ["whose request failed", 246, { ...guarded(246, false), input_guardrails: [without("apple", { deny: false })] }, {}],
  ])("is not asked for again %s", async (_, status, config, headers) => {
    const { answer, times } = await answered([APPLE], config, {}, headers);
    expect([answer.status, times]).toEqual([status, 1]);
  });
  test.each([446, 246])("moves a fallback on that lists %d", async (listed) => {
    const target = { provider: "openai", api_key: "k", custom_host: `${api.upstream.url}/v1`, ...guarded(500, listed === 446) };
    const config = {
      provider: undefined,
      strategy: { mode: "fallback", on_status_codes: [listed] },
      targets: [target, { provider: "sandbox" }],
    };
    const { answer, times } = await answered([APPLE], { ...config, api_key: undefined, custom_host: undefined });
    expect([answer.status, times, answer.headers.get("x-gateway-provider")]).toEqual([200, 1, "sandbox"]);
  });
});

describe("shadow", () => {
  test(verifies("G.shadow", "changes nothing of requests and answers; the log shows what would have been done"), async () => {
    for (const side of ["input_guardrails", "output_guardrails"]) {
      const answer = await asked({ [side]: [without("apple", { id: "fruit", shadow: true })] });
      expect(answer.status).toBe(200);
      expect(answer.json["hook_results"]).toBeUndefined();
      const hooks = Object.values(await logged(answer, "?type=hooks")).flat();
      expect(hooks).toEqual([expect.objectContaining({ id: "fruit", verdict: false, deny: true, async: true, shadow: true })]);
    }
  });
});

describe("rollout_percentage", () => {
  const denied = async (percentage: number, traces: number): Promise<number> => {
    const config = { input_guardrails: [without("apple", { id: "fruit", rollout_percentage: percentage })] };
    const statuses = await Promise.all(
      Array.from({ length: traces }, async (_, at) => (await asked(config, {}, { "x-gateway-trace-id": `rollout-${at}` })).status),
    );
    return statuses.filter((status) => status === 446).length;
  };
  test(verifies("G.rollout", "acts on that share of traces, always the same ones"), async () => {
    expect([await denied(0, 50), await denied(100, 50)]).toEqual([0, 50]);
    const some = await denied(30, 400);
    expect(some).toBeGreaterThan(80);
    expect(some).toBeLessThan(160);
    expect(await denied(30, 400)).toBe(some);
  });
});

describe("mutators", () => {
  /** Puts another request in the place of the client's. */
  const hiding = async () => {
    const transformedData = { request: { json: { model: "echo", messages: [{ role: "user", content: "an *****" }] } } };
    const vendor = replayServer({ body: JSON.stringify({ verdict: true, transformedData }) });
    const check = { id: "default.webhook", parameters: { webhookURL: `${vendor.url}/judge` } };
    return { vendor, checks: [check, { id: "default.contains", parameters: { words: ["apple"], operator: "none" } }] };
  };
  test(verifies("G.mutators", "change texts and deny nothing, saved or written out, whatever else they say"), async () => {
    const { vendor, checks } = await hiding();
    try {
      const actions = {
        ...{ deny: true, async: true, on_success: { feedback: { value: 5, weight: 1, metadata: "" } } },
        on_fail: { feedback: { value: -5, weight: 1, metadata: "" } },
      };
      const saved = bodyOf(await api.admin("POST", "/v2/guardrails", { name: "Hides", checks, actions, workspace_id: "default" }));
      for (const entry of [saved["slug"], { checks, deny: true, async: true }]) {
        const reply = bodyOf(await asked({ input_mutators: [entry] }));
        expect(reply).toMatchObject({ choices: [{ message: { content: expect.stringContaining("an *****") } }] });
      }
      expect((await asked({ input_guardrails: [{ checks, deny: true }] })).status).toBe(446);
    } finally {
      await vendor.close();
    }
  });
});
