/** The official OpenAI client against providers that speak a wire of their own, each stood in for by one that refuses what its vendor refuses. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { isJson, type Json } from "#contract";
import { jsonAnswer, type Received, type Replay, type ReplayServer, replayServer, sseAnswer } from "../kit/replay.ts";
import { event } from "../providers/bedrock-eventstream.ts";
import { GATEWAY_KEY, type GatewayProcess, startGateway } from "./process.ts";

let upstream: ReplayServer;
let gateway: GatewayProcess;
beforeAll(async () => {
  upstream = replayServer();
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: new URL(upstream.url).host } });
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await upstream.close();
});

const client = (provider: string, more: Readonly<Record<string, string>> = {}): OpenAI =>
  new OpenAI({
    apiKey: "sk-provider-key",
    baseURL: `${gateway.base}/v1`,
    maxRetries: 0,
    defaultHeaders: { "x-gateway-api-key": GATEWAY_KEY, "x-gateway-provider": provider, "x-gateway-custom-host": upstream.url, ...more },
  });
const LOOSE = { "x-gateway-strict-open-ai-compliance": "false" };
const VERTEX = { "x-gateway-vertex-project-id": "acme-1", "x-gateway-vertex-region": "us-central1" };
const sent = (): Json => upstream.received.at(-1)?.json() as Json;
const sse = (...events: Json[]): Replay =>
  sseAnswer(
    events.map((data) => `${data["type"] === undefined ? "" : `event: ${data["type"]}\n`}data: ${JSON.stringify(data)}\n\n`).join(""),
  );

/* ── a turn with tools and reasoning ─────────────────────────────────────────────────────────────────────────── */

const CALL = { name: "weather", input: { city: "Oslo" } };
/** What the vendor says to a turn that goes on thinking without the thoughts it began with. */
const REFUSED = "Expected `thinking` or `redacted_thinking`, but found `tool_use`.";

/** Does Claude's vendor take this conversation: `blocks` of each of its turns, by their kind? */
function takes(thinking: unknown, turns: readonly { readonly role: string; readonly kinds: readonly string[] }[]): boolean {
  const asked = turns.findLastIndex(({ role, kinds }) => role === "user" && !kinds.includes("result"));
  const begun = turns[asked + 1];
  return !(isJson(thinking) && thinking["type"] === "enabled") || begun === undefined || begun.kinds[0] === "thinking";
}
const list = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isJson) : []);
const hasResult = (turns: readonly { readonly kinds: readonly string[] }[]): boolean => turns.some(({ kinds }) => kinds.includes("result"));

function anthropic({ json }: Received): Replay {
  const body = json() as Json;
  const turns = list(body["messages"]).map(({ role, content }) => ({
    role: String(role),
    kinds: list(content).map(({ type }) => (type === "tool_result" ? "result" : String(type))),
  }));
  if (!takes(body["thinking"], turns))
    return jsonAnswer({ type: "error", error: { type: "invalid_request_error", message: REFUSED } }, { status: 400 });
  const content = hasResult(turns)
    ? [{ type: "text", text: "Sunny." }]
    : [
        { type: "thinking", thinking: "Hm", signature: "s" },
        { type: "tool_use", id: "toolu_1", ...CALL },
      ];
  const stop_reason = hasResult(turns) ? "end_turn" : "tool_use";
  const message = { id: "m", type: "message", role: "assistant", model: "c", usage: { input_tokens: 1, output_tokens: 2 } };
  if (!body["stream"]) return jsonAnswer({ ...message, content, stop_reason });
  return sse(
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    ...content.flatMap((content_block, index) => [
      { type: "content_block_start", index, content_block },
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 2 } },
    { type: "message_stop" },
  );
}
function bedrock({ json, path }: Received): Replay {
  const { messages, additionalModelRequestFields: own } = json() as Json;
  const kindOf = (block: Json): string =>
    block["toolResult"] ? "result" : block["reasoningContent"] ? "thinking" : (Object.keys(block)[0] ?? "");
  const turns = list(messages).map(({ role, content }) => ({ role: String(role), kinds: list(content).map(kindOf) }));
  if (!takes(isJson(own) ? own["thinking"] : undefined, turns))
    return jsonAnswer(
      { message: REFUSED },
      { status: 400, headers: { "x-amzn-errortype": "ValidationException:http://internal.amazon.com/" } },
    );
  const text = hasResult(turns);
  const toolUse = { toolUseId: "tooluse_1", name: CALL.name };
  if (path.endsWith("converse")) {
    const content = text
      ? [{ text: "Sunny." }]
      : [{ reasoningContent: { reasoningText: { text: "Hm", signature: "s" } } }, { toolUse: { ...toolUse, input: CALL.input } }];
    return jsonAnswer({
      output: { message: { role: "assistant", content } },
      stopReason: text ? "end_turn" : "tool_use",
      usage: { inputTokens: 1, outputTokens: 2 },
    });
  }
  const blocks = text
    ? [event("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Sunny." } })]
    : [
        event("contentBlockDelta", { contentBlockIndex: 0, delta: { reasoningContent: { text: "Hm" } } }),
        event("contentBlockStart", { contentBlockIndex: 1, start: { toolUse } }),
        event("contentBlockDelta", { contentBlockIndex: 1, delta: { toolUse: { input: JSON.stringify(CALL.input) } } }),
        event("contentBlockStop", { contentBlockIndex: 1 }),
      ];
  const end = [
    event("messageStop", { stopReason: text ? "end_turn" : "tool_use" }),
    event("metadata", { usage: { inputTokens: 1, outputTokens: 2 } }),
  ];
  return {
    body: Buffer.concat([event("messageStart", { role: "assistant" }), ...blocks, ...end]),
    headers: { "content-type": "application/vnd.amazon.eventstream" },
  };
}

const tools = [
  { type: "function" as const, function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } } },
];
const CLAUDES = [
  ["anthropic", anthropic, "claude-sonnet-4-5", {}],
  [
    "bedrock",
    bedrock,
    "anthropic.claude-sonnet-4-5-20250929-v1:0",
    { "x-gateway-aws-access-key-id": "AKIA", "x-gateway-aws-secret-access-key": "secret" },
  ],
  ["vertex-ai", anthropic, "anthropic.claude-sonnet-4-5@20250929", VERTEX],
] as const;

describe.each(CLAUDES)("a client that reasons and uses tools at %s", (provider, vendor, model, headers) => {
  for (const stream of [false, true])
    test(`comes to the end of its turn, ${stream ? "streamed" : "whole"}`, async () => {
      upstream.answer(vendor);
      const api = client(provider, headers).chat.completions;
      const ask = async (messages: OpenAI.ChatCompletionMessageParam[]): Promise<OpenAI.ChatCompletion.Choice> => {
        const body = { model, messages, tools, reasoning_effort: "medium", max_tokens: 8000 } as const;
        const answer = stream ? await api.stream(body).finalChatCompletion() : await api.create(body);
        return answer.choices[0] ?? expect.unreachable();
      };
      const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Weather?" }];
      const first = await ask(messages);
      expect(JSON.stringify(sent())).toContain('"budget_tokens":4000');
      const [call] = first.message.tool_calls ?? [];
      expect(first).toMatchObject({
        finish_reason: "tool_calls",
        message: { tool_calls: [{ type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } }] },
      });
      const second = await ask([...messages, first.message, { role: "tool", tool_call_id: call?.id ?? "", content: "sunny" }]);
      expect(second).toMatchObject({ finish_reason: "stop", message: { content: "Sunny." } });
      expect(JSON.stringify(sent())).not.toContain("budget_tokens");
    });
  test("goes on thinking in its turn, where it is shown the thoughts and gives them back", async () => {
    upstream.answer(vendor);
    const api = client(provider, { ...headers, ...LOOSE }).chat.completions;
    const body = { model, tools, reasoning_effort: "medium", max_tokens: 8000 } as const;
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Weather?" }];
    const { message } = (await api.create({ ...body, messages })).choices[0] ?? expect.unreachable();
    const result = { role: "tool" as const, tool_call_id: message.tool_calls?.[0]?.id ?? "", content: "sunny" };
    expect((await api.create({ ...body, messages: [...messages, message, result] })).choices[0]?.message.content).toBe("Sunny.");
    expect(JSON.stringify(sent())).toContain('"budget_tokens":4000');
  });
  test("is told by name what it cannot have, and its provider is not asked", async () => {
    const before = upstream.received.length;
    const refused = await client(provider, headers)
      .chat.completions.create({ model, messages: [{ role: "user", content: "Hi" }], n: 2 })
      .catch((thrown: unknown) => thrown);
    expect(refused).toBeInstanceOf(OpenAI.BadRequestError);
    expect(refused).toMatchObject({ status: 400, param: "n" });
    expect(upstream.received.length).toBe(before);
  });
});

test("the name of Bedrock's error, which stands in a header, is the error's code", async () => {
  upstream.answer(jsonAnswer({ message: "slow down" }, { status: 429, headers: { "x-amzn-errortype": "ThrottlingException" } }));
  const [, , model, headers] = CLAUDES[1];
  const thrown = await client("bedrock", headers)
    .chat.completions.create({ model, messages: [{ role: "user", content: "Hi" }] })
    .catch((thrown: unknown) => thrown);
  expect(thrown).toMatchObject({ status: 429, code: "ThrottlingException", message: expect.stringContaining("slow down") });
});

/* ── Gemini ──────────────────────────────────────────────────────────────────────────────────────────────────── */

const candidate = (parts: readonly Json[], more: Json = {}): Json => ({
  responseId: "r",
  modelVersion: "gemini-2.5-flash",
  candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP", ...more }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2 },
});
const gemini =
  (answer: Json) =>
  ({ path }: Received): Replay =>
    path.includes("stream") ? sse(answer) : jsonAnswer(answer);

describe.each([
  ["google", {}],
  ["vertex-ai", VERTEX],
] as const)("a client of Gemini at %s", (provider, headers) => {
  const body = { model: "gemini-2.5-flash", messages: [{ role: "user" as const, content: "Hi" }] };
  const IMAGES = [{ type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } }];

  test("gets its image, whole and streamed", async () => {
    upstream.answer(gemini(candidate([{ text: "Here." }, { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }])));
    const api = client(provider, headers).chat.completions;
    const whole = await api.create(body);
    expect(whole.choices[0]?.message).toMatchObject({ content: "Here.", images: IMAGES } as object);
    const streamed = await api.stream(body).finalChatCompletion();
    expect(streamed.choices[0]?.message).toMatchObject({ content: "Here.", images: IMAGES } as object);
  });
  test("gives an image back, and it is one again", async () => {
    upstream.answer(gemini(candidate([{ inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }])));
    const api = client(provider, { ...headers, ...LOOSE }).chat.completions;
    const { message } = (await api.create(body)).choices[0] ?? expect.unreachable();
    await api.create({ ...body, messages: [...body.messages, message, { role: "user", content: "Bluer." }] });
    expect(sent()["contents"]).toMatchObject([
      {},
      { role: "model", parts: [{ inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }] },
      {},
    ]);
  });
  test.each([
    ["STOP", "stop"],
    ["MAX_TOKENS", "length"],
    ["SAFETY", "content_filter"],
    ["RECITATION", "content_filter"],
    ["MALFORMED_FUNCTION_CALL", "content_filter"],
  ] as const)("reads why an answer ended: %s is %s", async (finishReason, finish_reason) => {
    upstream.answer(gemini(candidate([], { finishReason, finishMessage: "why" })));
    const api = client(provider, headers).chat.completions;
    expect((await api.create(body)).choices[0]?.finish_reason).toBe(finish_reason);
    const finishes: unknown[] = [];
    for await (const { choices } of await api.create({ ...body, stream: true }))
      finishes.push(...choices.flatMap((choice) => choice.finish_reason ?? []));
    expect(finishes).toEqual([finish_reason]);
    const loose = await client(provider, { ...headers, ...LOOSE }).chat.completions.create(body);
    expect(loose.choices[0]).toMatchObject({ finish_reason: finishReason, finish_message: "why" } as object);
  });
  test("gets the log probabilities it asked for", async () => {
    const chosen = { token: "Hi", logProbability: -0.25 };
    upstream.answer(
      gemini(candidate([{ text: "Hi" }], { logprobsResult: { chosenCandidates: [chosen], topCandidates: [{ candidates: [chosen] }] } })),
    );
    const { choices } = await client(provider, headers).chat.completions.create({ ...body, logprobs: true, top_logprobs: 1 });
    expect(sent()["generationConfig"]).toEqual({ responseLogprobs: true, logprobs: 1 });
    const token = { token: "Hi", logprob: -0.25, bytes: [72, 105] };
    expect(choices[0]?.logprobs?.content).toEqual([{ ...token, top_logprobs: [token] }]);
  });
  test("is told when to come back, in the header that clients look at", async () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34s" }];
    upstream.answer(jsonAnswer({ error: { code: 429, message: "slow down", status: "RESOURCE_EXHAUSTED", details } }, { status: 429 }));
    const thrown = await client(provider, headers)
      .chat.completions.create(body)
      .catch((thrown: unknown) => thrown);
    expect(thrown).toBeInstanceOf(OpenAI.RateLimitError);
    expect((thrown as InstanceType<typeof OpenAI.RateLimitError>).headers.get("retry-after")).toBe("34");
  });
});
