/** Guardrails, fallback, limits of who asks and logs for clients of the messages dialect. */
import { describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { jsonAnswer, sseAnswer } from "../../kit/replay.ts";
import { at, forAll, type Json, logOf } from "../endpoints/api.ts";
import { denies, redacted, refusalOf } from "../guarded.ts";
import { anthropicBody, anthropicStream, chatBody, chatStream, clientOf, inEither } from "./stand-ins.ts";
import { verifies } from "../../requirements/verifies.ts";

const api = forAll();
const asks = { model: "claude-sonnet-5", max_tokens: 100, messages: [{ role: "user" as const, content: "Hello" }] };
const SECRET = "the secret word";
const answers = {
  anthropic: () => inEither(anthropicStream(MESSAGE), anthropicBody(MESSAGE)),
  "openai-compatible": () => inEither(chatStream(COMPLETION), chatBody(COMPLETION)),
} as const;
const MESSAGE = {
  content: [
    { type: "thinking", thinking: "hm", signature: "c2ln" },
    { type: "text", text: SECRET },
    { type: "tool_use", id: "toolu_1", name: "f", input: { a: 1 } },
  ],
  stop: "tool_use",
};
const COMPLETION = { reasoning: "hm", text: SECRET, calls: [{ id: "call_1", name: "f", arguments: '{"a":1}' }], finish: "tool_calls" };
const WIRES = [["anthropic"], ["openai-compatible"]] as const;
type Wire = (typeof WIRES)[number][0];

const target = (provider: string, path = "") => ({ provider, api_key: "k", custom_host: `${api.upstream.url}${path}` });
const clientWith = (config: object, headers: Readonly<Record<string, string>> = {}) =>
  clientOf(api.gateway.base, { "x-gateway-config": JSON.stringify(config), ...headers });

describe.each(WIRES)("over %s", (wire: Wire) => {
  test.each([false, true])(
    "a denied request never reaches the provider, and is an error of Anthropic's form (stream: %p)",
    async (stream) => {
      const before = api.upstream.received.length;
      const client = clientWith({ ...target(wire), input_guardrails: denies("Hello") });
      const thrown = await refusalOf(client.messages.create({ ...asks, stream }));
      expect(thrown).toBeInstanceOf(Anthropic.APIError);
      expect(thrown).toMatchObject({
        status: 446,
        error: { type: "error", error: { type: "hooks_failed" }, hook_results: { before_request_hooks: [{ verdict: false, deny: true }] } },
      });
      expect(api.upstream.received.length).toBe(before);
    },
  );
  test.each<[string, Json]>([
    ["a document", { type: "document", source: { type: "text", media_type: "text/plain", data: SECRET } }],
    ["a document's title", { type: "document", title: SECRET, source: { type: "text", media_type: "text/plain", data: "x" } }],
    ["a document of blocks", { type: "document", source: { type: "content", content: [{ type: "text", text: SECRET }] } }],
    ["a search result", { type: "search_result", title: "T", source: "S", content: [{ type: "text", text: SECRET }] }],
  ])("a guardrail reads %s", async (_, block) => {
    const before = api.upstream.received.length;
    const client = clientWith({ ...target(wire), input_guardrails: denies("secret") });
    const thrown = await refusalOf(client.messages.create({ ...asks, messages: [{ role: "user", content: [block as never] }] }));
    expect(thrown).toMatchObject({ status: 446, error: { error: { type: "hooks_failed" } } });
    expect(api.upstream.received.length).toBe(before);
  });
  test.each([false, true])("a denied answer is not told (stream: %p)", async (stream) => {
    api.upstream.answer(answers[wire]());
    const client = clientWith({ ...target(wire), output_guardrails: denies("secret") });
    const thrown = await refusalOf(client.messages.create({ ...asks, stream }));
    expect(thrown).toMatchObject({ status: 446, error: { error: { type: "hooks_failed" } } });
    expect(JSON.stringify((thrown as { error: unknown }).error)).not.toContain(SECRET);
  });
  test.each([false, true])("a webhook takes words out of the answer, and the rest of it stays (stream: %p)", async (stream) => {
    const answer = answers[wire]();
    api.upstream.answer((request) => (request.path === "/hook" ? redacted(request) : answer(request)));
    const client = clientWith({
      ...target(wire),
      output_guardrails: [{ id: "redact", "default.webhook": { webhookURL: `${api.upstream.url}/hook` } }],
    });
    const { content, stop_reason, usage } = stream ? await client.messages.stream(asks).finalMessage() : await client.messages.create(asks);
    expect(content.map(({ type }) => type)).toEqual(["thinking", "text", "tool_use"]);
    expect(content).toMatchObject([
      { thinking: "hm", signature: wire === "anthropic" ? "c2ln" : "" },
      { text: "the [removed] word" },
      { input: { a: 1 } },
    ]);
    expect([stop_reason, usage.output_tokens]).toEqual(["tool_use", 7]);
  });
  test.each([false, true])(
    "a webhook takes words out of a thought alone, and its signature goes with them (stream: %p)",
    async (stream) => {
      const message = {
        content: [
          { ...MESSAGE.content[0], thinking: SECRET },
          { type: "text", text: "Hello" },
        ],
      };
      const completion = { reasoning: SECRET, text: "Hello", finish: "stop" };
      const answer =
        wire === "anthropic"
          ? inEither(anthropicStream(message), anthropicBody(message))
          : inEither(chatStream(completion), chatBody(completion));
      api.upstream.answer((request) => (request.path === "/hook" ? redacted(request) : answer(request)));
      const client = clientWith({
        ...target(wire),
        output_guardrails: [{ id: "redact", "default.webhook": { webhookURL: `${api.upstream.url}/hook` } }],
      });
      const { content } = stream ? await client.messages.stream(asks).finalMessage() : await client.messages.create(asks);
      expect(content).toMatchObject([
        { type: "thinking", thinking: "the [removed] word" },
        { type: "text", text: "Hello" },
      ]);
      expect(content[0]).toHaveProperty("signature", "");
    },
  );
  test(
    verifies(
      "D6.hooks-messages",
      "what guardrails found stands in events of their own where the client does not insist on the strict form",
    ),
    async () => {
      api.upstream.answer(answers[wire]());
      const config = { ...target(wire), input_guardrails: denies("nowhere"), output_guardrails: denies("nowhere") };
      const client = clientWith(config, { "x-gateway-strict-open-ai-compliance": "false" });
      const text = await (await client.messages.create({ ...asks, stream: true }).asResponse()).text();
      expect(text).toMatch(/^event: hook_results\ndata: {"hook_results":{"before_request_hooks":/);
      expect(text).toMatch(
        /event: message_stop\ndata: [^\n]*\n\nevent: hook_results\ndata: {"hook_results":{"after_request_hooks":[^\n]*\n\n$/,
      );
      const final = await client.messages.stream(asks).finalMessage();
      expect(final.content).toMatchObject([{ type: "thinking" }, { type: "text", text: SECRET }, { type: "tool_use" }]);
    },
  );
  test.each([false, true])("the log has the tokens, and what was said (stream: %p)", async (stream) => {
    api.upstream.answer(answers[wire]());
    const call = clientWith(target(wire)).messages.create({ ...asks, stream });
    const response = await call.asResponse();
    await response.text();
    const { metrics, request } = await logOf(api, String(response.headers.get("x-gateway-trace-id")));
    expect(metrics).toMatchObject({ ai_org: wire, req_units: 15, res_units: 7, total_units: 22 });
    expect(request).toMatchObject({ url: `${api.gateway.base}/v1/messages`, body: { messages: [{ content: "Hello" }] } });
  });
});

test("the text that stopped an answer is told when guardrails changed its stream, too", async () => {
  const wire = anthropicStream({ content: [{ type: "text", text: SECRET }], stop: "stop_sequence" });
  const stopped = sseAnswer(wire.replace('"stop_sequence":null},"usage"', '"stop_sequence":"END"},"usage"'));
  api.upstream.answer((request) => (request.path === "/hook" ? redacted(request) : stopped));
  const output_guardrails = [{ id: "redact", "default.webhook": { webhookURL: `${api.upstream.url}/hook` } }];
  const final = await clientWith({ ...target("anthropic"), output_guardrails })
    .messages.stream(asks)
    .finalMessage();
  expect(final).toMatchObject({ content: [{ text: "the [removed] word" }], stop_reason: "stop_sequence", stop_sequence: "END" });
});

test("a count of tokens costs nothing and uses nothing", async () => {
  api.upstream.answer(jsonAnswer({ input_tokens: 14 }));
  const { data, response } = await clientWith(target("anthropic"))
    .messages.countTokens({ model: asks.model, messages: asks.messages })
    .withResponse();
  expect(data).toEqual({ input_tokens: 14 });
  const { metrics } = await logOf(api, String(response.headers.get("x-gateway-trace-id")));
  expect([at(metrics, "req_units"), at(metrics, "res_units")]).toEqual([0, 0]);
  expect(at(metrics, "cost") || 0).toBe(0);
});

test("a conversation with thoughts and tools goes on at another vendor when the first one fails", async () => {
  api.upstream.answer((request) =>
    request.path.startsWith("/anthropic")
      ? jsonAnswer({ type: "error", error: { type: "overloaded_error", message: "no" } }, { status: 529 })
      : sseAnswer(chatStream(COMPLETION)),
  );
  const client = clientWith({
    strategy: { mode: "fallback" },
    targets: [target("anthropic", "/anthropic"), target("openai-compatible", "/other")],
  });
  const messages: Anthropic.MessageParam[] = [
    ...asks.messages,
    { role: "assistant", content: MESSAGE.content as never },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "1" }] },
  ];
  const final = await client.messages.stream({ ...asks, messages }).finalMessage();
  expect(final.content).toMatchObject([{ type: "thinking" }, { type: "text" }, { type: "tool_use" }]);
  const [first, second] = api.upstream.received.slice(-2).map((request) => (request.json() as { messages: Json[] }).messages);
  expect(first).toEqual(messages as never);
  expect(second).toEqual([
    { role: "user", content: "Hello" },
    {
      role: "assistant",
      content: SECRET,
      reasoning_content: "hm",
      tool_calls: [{ id: "toolu_1", type: "function", function: { name: "f", arguments: '{"a":1}' } }],
    },
    { role: "tool", tool_call_id: "toolu_1", content: "1" },
  ]);
});
