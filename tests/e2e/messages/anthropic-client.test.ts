/**
 * The official Anthropic client against the running gateway: over Anthropic's own wire, over an OpenAI-compatible server
 * by translation, and over the offline provider.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { verifies } from "../../requirements/verifies.ts";
import { jsonAnswer, type ReplayServer, replayServer, sseAnswer } from "../../kit/replay.ts";
import { refusalOf } from "../guarded.ts";
import { GATEWAY_KEY, type GatewayProcess, startGateway } from "../process.ts";
import { anthropicBody, anthropicStream, chatBody, chatStream, clientOf, inEither } from "./stand-ins.ts";

type Json = Readonly<Record<string, unknown>>;

let upstream: ReplayServer;
let gateway: GatewayProcess;
/** Over each of the wires. */
let anthropic: Anthropic;
let compatible: Anthropic;
let sandbox: Anthropic;

beforeAll(async () => {
  upstream = replayServer();
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: new URL(upstream.url).host } });
  const host = { "x-gateway-custom-host": `${upstream.url}/v1` };
  anthropic = clientOf(gateway.base, { "x-gateway-provider": "anthropic", ...host });
  compatible = clientOf(gateway.base, { "x-gateway-provider": "openai-compatible", ...host });
  sandbox = clientOf(gateway.base, { "x-gateway-provider": "sandbox" });
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await upstream.close();
});

const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Hello" }];
const asks = { model: "claude-sonnet-5", max_tokens: 100, messages };
const weather: Anthropic.Tool = {
  name: "weather",
  description: "The weather of a city",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
const sentTo = (server: ReplayServer): Json => (server.received.at(-1)?.json() ?? {}) as Json;

/** Members that the newest models go without, and the client's types with them. */
const sampling = (members: Json): object => members;

/** Events that the stream's helpers tell of, in the order in which they were told. */
async function collectStream(stream: ReturnType<Anthropic["messages"]["stream"]>) {
  const seen: string[] = [];
  let [text, thinking, json] = ["", "", ""];
  stream.on("text", (piece: string) => void (text += piece));
  stream.on("thinking", (piece: string) => void (thinking += piece));
  stream.on("inputJson", (piece: string) => void (json += piece));
  stream.on("signature", (signature: string) => void seen.push(`signature ${signature}`));
  stream.on("contentBlock", (block: Anthropic.ContentBlock) => void seen.push(block.type));
  stream.on("message", () => void seen.push("message"));
  const final = await stream.finalMessage();
  return { seen, text, thinking, json, final };
}

describe("Anthropic's own wire", () => {
  const THOUGHT = { type: "thinking", thinking: "Let me look.", signature: "c2lnbmVk" };
  const CITED = { type: "text", text: "It is sunny.", citations: [{ type: "char_location", cited_text: "sunny", document_index: 0 }] };
  const SEARCH = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "weather" } };
  const FOUND = {
    type: "web_search_tool_result",
    tool_use_id: "srvtoolu_1",
    content: [{ type: "web_search_result", url: "https://a.example", title: "A", encrypted_content: "x", page_age: null }],
  };
  const CALL = { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Oslo" } };
  const content = [THOUGHT, SEARCH, FOUND, CITED, CALL];

  test("passes whole answers byte for byte, and the provider gets its key, version and betas", async () => {
    const body = JSON.stringify(anthropicBody({ content, stop: "tool_use" }), null, 2);
    upstream.answer(jsonAnswer(body));
    const { data, response } = await anthropic.messages
      .create({ ...asks, tools: [weather] }, { headers: { "anthropic-beta": "files-api-2025-04-14,x-2026" } })
      .withResponse();
    expect(data.content as unknown).toEqual(content);
    expect(data.usage).toMatchObject({ input_tokens: 12, cache_read_input_tokens: 3, output_tokens: 7 });
    expect(response.headers.get("x-gateway-provider")).toBe("anthropic");
    const seen = upstream.received.at(-1);
    expect([seen?.path, seen?.headers.get("x-api-key"), seen?.headers.get("authorization")]).toEqual([
      "/v1/messages",
      "sk-provider-key",
      null,
    ]);
    expect([seen?.headers.get("anthropic-version"), seen?.headers.get("anthropic-beta")]).toEqual([
      "2026-10-21",
      "files-api-2025-04-14,x-2026",
    ]);
    const raw = await fetch(`${gateway.base}/v1/messages`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${GATEWAY_KEY}`,
        "x-gateway-provider": "anthropic",
        "x-gateway-custom-host": `${upstream.url}/v1`,
      },
      body: JSON.stringify(asks),
    });
    expect(await raw.text()).toBe(body);
  });

  test(verifies("D7.11.native", "passes streams byte for byte, and the helpers tell of every block"), async () => {
    const wire = anthropicStream({ content, stop: "tool_use" });
    upstream.answer(sseAnswer(wire));
    const { seen, text, thinking, json, final } = await collectStream(anthropic.messages.stream({ ...asks, tools: [weather] }));
    expect(seen).toEqual(["signature c2lnbmVk", "thinking", "server_tool_use", "web_search_tool_result", "text", "tool_use", "message"]);
    expect([text, thinking]).toEqual(["It is sunny.", "Let me look."]);
    expect(json).toContain('"city":"Oslo"');
    expect([final.stop_reason, final.usage.input_tokens, final.usage.output_tokens]).toEqual(["tool_use", 12, 7]);
    expect(await (await anthropic.messages.create({ ...asks, stream: true }).asResponse()).text()).toBe(wire);
  });

  test(verifies("D7.11.one-tuning", "the model's name loses its provider, and top_p goes where a temperature is there too"), async () => {
    upstream.answer(jsonAnswer(anthropicBody({ content: [] })));
    await anthropic.messages.create({ ...asks, ...sampling({ temperature: 0.5, top_p: 0.9, top_k: 3 }), system: "Be brief." });
    expect(sentTo(upstream)).toEqual({ ...asks, temperature: 0.5, top_k: 3, system: "Be brief." });
  });

  test("thoughts that another vendor left in the conversation stay behind", async () => {
    upstream.answer(jsonAnswer(anthropicBody({ content: [] })));
    const turn = {
      role: "assistant" as const,
      content: [
        { type: "thinking" as const, thinking: "hm", signature: "" },
        { type: "text" as const, text: "Hi" },
      ],
    };
    await anthropic.messages.create({ ...asks, messages: [...messages, turn, ...messages] });
    expect(sentTo(upstream)["messages"]).toEqual([
      ...messages,
      { role: "assistant", content: [{ type: "text", text: "Hi" }] },
      ...messages,
    ]);
  });

  const asksToThink = { ...asks, max_tokens: 4000, thinking: { type: "enabled" as const, budget_tokens: 2000 }, tools: [weather] };
  const turnOf = (...thought: Anthropic.ContentBlockParam[]): Anthropic.MessageParam[] => [
    ...messages,
    { role: "assistant", content: [...thought, { type: "tool_use", id: "t", name: "weather", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "1" }] },
  ];
  test.each<[string, Anthropic.MessageParam[], boolean]>([
    ["ends without thinking where another vendor began it", turnOf({ type: "thinking", thinking: "hm", signature: "" }), false],
    ["ends without thinking where it began without a thought", turnOf(), false],
    ["goes on thinking where it began with a signed thought", turnOf({ type: "thinking", thinking: "hm", signature: "c2ln" }), true],
    ["is left behind by the next question", [...turnOf(), { role: "assistant", content: "Sunny." }, ...messages], true],
  ])("a turn with tools %s", async (_, conversation, thinks) => {
    upstream.answer(jsonAnswer(anthropicBody({ content: [] })));
    await anthropic.messages.create({ ...asksToThink, messages: conversation });
    expect("thinking" in sentTo(upstream)).toBe(thinks);
  });

  test(verifies("D7.11.count", "counts tokens, without usage or cost"), async () => {
    upstream.answer(jsonAnswer({ input_tokens: 14 }));
    expect(await anthropic.messages.countTokens({ model: "claude-sonnet-5", messages })).toEqual({ input_tokens: 14 });
    expect(upstream.received.at(-1)?.path).toBe("/v1/messages/count_tokens");
    const offline = await sandbox.messages.create({ model: "echo", max_tokens: 10, messages });
    expect(await sandbox.messages.countTokens({ model: "echo", messages })).toEqual({ input_tokens: offline.usage.input_tokens });
  });

  test.each([
    [400, "invalid_request_error", Anthropic.BadRequestError],
    [401, "authentication_error", Anthropic.AuthenticationError],
    [403, "permission_error", Anthropic.PermissionDeniedError],
    [404, "not_found_error", Anthropic.NotFoundError],
    [413, "request_too_large", Anthropic.APIError],
    [429, "rate_limit_error", Anthropic.RateLimitError],
    [500, "api_error", Anthropic.InternalServerError],
    [529, "overloaded_error", Anthropic.APIError],
  ] as const)("an error %d keeps its type and its words", async (status, type, kind) => {
    upstream.answer(
      jsonAnswer({ type: "error", error: { type, message: "It did not work." } }, { status, headers: { "retry-after": "2" } }),
    );
    for (const stream of [false, true]) {
      const thrown = await refusalOf(anthropic.messages.create({ ...asks, stream }));
      expect(thrown).toBeInstanceOf(kind);
      expect(thrown).toMatchObject({ status, error: { type: "error", error: { type } } });
      expect((thrown as Error).message).toContain("It did not work.");
      expect((thrown as { headers: Headers }).headers.get("retry-after")).toBe("2");
    }
  });

  test("an error in mid-stream is told as one, once", async () => {
    const failing = `event: error\ndata: ${JSON.stringify({ type: "error", error: { type: "overloaded_error", message: "Too much." } })}\n\n`;
    const longerThanARead = "Hi there ".repeat(100_000);
    const begun = anthropicStream({ content: [{ type: "text", text: longerThanARead }] }).split("event: content_block_stop")[0] ?? "";
    upstream.answer(sseAnswer(begun + failing));
    expect(String(await refusalOf(anthropic.messages.stream(asks).finalMessage()))).toMatch("Too much.");
    const text = await (await anthropic.messages.create({ ...asks, stream: true }).asResponse()).text();
    expect(text.split("event: error")).toHaveLength(2);
    upstream.answer(sseAnswer(begun, { ends: "close" }));
    expect(String(await refusalOf(anthropic.messages.stream(asks).finalMessage()))).toMatch("before the answer was complete");
  });
  test(verifies("D6.overload", "an error as the first event of a stream is an answer of its own status"), async () => {
    upstream.answer(
      sseAnswer(`event: error\ndata: ${JSON.stringify({ type: "error", error: { type: "overloaded_error", message: "Too much." } })}\n\n`),
    );
    expect(await refusalOf(anthropic.messages.create({ ...asks, stream: true }))).toMatchObject({ status: 529, type: "overloaded_error" });
  });

  test("a stream that its provider left without the last event gets it", async () => {
    const wire = anthropicStream({ content: [{ type: "text", text: "Hi there" }] });
    upstream.answer(sseAnswer(wire.split("event: message_stop")[0] ?? ""));
    expect(await (await anthropic.messages.create({ ...asks, stream: true }).asResponse()).text()).toBe(wire);
  });
});

describe("an OpenAI-compatible server, by translation", () => {
  beforeEach(() =>
    upstream.answer(inEither(chatStream({ text: "Hi there", finish: "stop" }), chatBody({ text: "Hi there", finish: "stop" }))),
  );

  test("answers a message", async () => {
    const answer = await compatible.messages.create({ ...asks, system: "Be brief.", stop_sequences: ["END"], metadata: { user_id: "u1" } });
    expect(answer).toMatchObject({
      type: "message",
      role: "assistant",
      model: "gpt-x",
      content: [{ type: "text", text: "Hi there" }],
      stop_reason: "end_turn",
      usage: { input_tokens: 12, cache_read_input_tokens: 3, output_tokens: 7 },
    });
    expect(upstream.received.at(-1)?.path).toBe("/v1/chat/completions");
    expect(upstream.received.at(-1)?.headers.get("authorization")).toBe("Bearer sk-provider-key");
    expect(sentTo(upstream)).toEqual({
      model: "claude-sonnet-5",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hello" },
      ],
      max_completion_tokens: 100,
      stop: ["END"],
      user: "u1",
    });
  });

  test(verifies("D6.messages-events", "streams, with thoughts, text and two tool calls as blocks of their own"), async () => {
    const calls = ["Oslo", "Rome"].map((city, at) => ({ id: `call_${at}`, name: "weather", arguments: JSON.stringify({ city }) }));
    upstream.answer(sseAnswer(chatStream({ reasoning: "Let me look.", text: "One moment.", calls, finish: "tool_calls" })));
    const { seen, text, thinking, final } = await collectStream(compatible.messages.stream({ ...asks, tools: [weather] }));
    expect(seen).toEqual(["thinking", "text", "tool_use", "tool_use", "message"]);
    expect([text, thinking]).toEqual(["One moment.", "Let me look."]);
    expect(final).toMatchObject({
      id: "chatcmpl-1",
      model: "gpt-x",
      stop_reason: "tool_use",
      content: [
        { type: "thinking", thinking: "Let me look." },
        { type: "text", text: "One moment." },
        { type: "tool_use", id: "call_0", name: "weather", input: { city: "Oslo" } },
        { type: "tool_use", id: "call_1", name: "weather", input: { city: "Rome" } },
      ],
      usage: { input_tokens: 12, cache_read_input_tokens: 3, output_tokens: 7 },
    });
    expect(sentTo(upstream)).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  test("goes on with a tool's result in a second turn", async () => {
    const call = { id: "call_1", name: "weather", arguments: '{"city":"Oslo"}' };
    upstream.answer(jsonAnswer(chatBody({ reasoning: "Let me look.", calls: [call, { ...call, id: "call_2" }], finish: "tool_calls" })));
    const first = await compatible.messages.create({
      ...asks,
      tools: [weather],
      tool_choice: { type: "any", disable_parallel_tool_use: true },
    });
    expect(first.stop_reason).toBe("tool_use");
    expect(sentTo(upstream)).toMatchObject({
      tools: [{ type: "function", function: { name: "weather", description: "The weather of a city", parameters: weather.input_schema } }],
      tool_choice: "required",
      parallel_tool_calls: false,
    });
    upstream.answer(jsonAnswer(chatBody({ text: "Sunny.", finish: "stop" })));
    const image = { type: "base64", media_type: "image/png", data: "aGk=" } as const;
    const results: Anthropic.ContentBlockParam[] = [
      {
        type: "tool_result",
        tool_use_id: "call_1",
        content: [
          { type: "text", text: "12 °C" },
          { type: "image", source: image },
        ],
      },
      { type: "tool_result", tool_use_id: "call_2", content: "no such city", is_error: true },
      { type: "text", text: "And now?" },
    ];
    const second = await compatible.messages.create({
      ...asks,
      tools: [weather],
      messages: [...messages, { role: "assistant", content: first.content }, { role: "user", content: results }],
    });
    expect(second.content).toEqual([{ type: "text", text: "Sunny." }] as never);
    const [, assistant, ...rest] = sentTo(upstream)["messages"] as Json[];
    expect(assistant).toMatchObject({
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } },
        { id: "call_2", type: "function" },
      ],
    });
    expect(rest).toEqual([
      { role: "tool", tool_call_id: "call_1", content: "12 °C" },
      { role: "tool", tool_call_id: "call_2", content: "Error: no such city" },
      {
        role: "user",
        content: [
          { type: "text", text: "The result of the tool call call_1:" },
          { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
          { type: "text", text: "And now?" },
        ],
      },
    ]);
  });

  test(verifies("D7.11.translated", "sends images, documents and a schema; what only Anthropic knows is left out"), async () => {
    const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false };
    await compatible.messages.create({
      ...asks,
      ...sampling({ top_k: 5 }),
      service_tier: "auto",
      thinking: { type: "enabled", budget_tokens: 2048 },
      output_config: { effort: "low", format: { type: "json_schema", schema } },
      system: [
        { type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } },
        { type: "text", text: "Be kind." },
      ],
      messages: [
        {
          role: "user",
          content: [
            { type: "image", source: { type: "url", url: "https://a.example/cat.png" } },
            { type: "document", title: "a.pdf", source: { type: "base64", media_type: "application/pdf", data: "JVBERg==" } },
            { type: "document", title: "Notes", source: { type: "text", media_type: "text/plain", data: "Cats purr." } },
            { type: "text", text: "What is it?", cache_control: { type: "ephemeral" } },
          ],
        },
      ],
    });
    expect(sentTo(upstream)).toEqual({
      model: "claude-sonnet-5",
      max_completion_tokens: 100,
      reasoning_effort: "low",
      response_format: { type: "json_schema", json_schema: { name: "answer", schema, strict: true } },
      messages: [
        { role: "system", content: "Be brief.\nBe kind." },
        {
          role: "user",
          content: [
            { type: "image_url", image_url: { url: "https://a.example/cat.png" } },
            { type: "file", file: { file_data: "data:application/pdf;base64,JVBERg==", filename: "a.pdf" } },
            { type: "text", text: "Notes\nCats purr." },
            { type: "text", text: "What is it?" },
          ],
        },
      ],
    });
  });

  test.each<[string, string, Json]>([
    ["a server's tool", "web_search_20250305", { tools: [{ type: "web_search_20250305", name: "web_search" }] }],
    [
      "a file of Anthropic's",
      "file for an image",
      { messages: [{ role: "user", content: [{ type: "image", source: { type: "file", file_id: "f" } }] }] },
    ],
    [
      "a block nobody else knows",
      "container_upload",
      { messages: [{ role: "user", content: [{ type: "container_upload", file_id: "f" }] }] },
    ],
    ["an unknown choice", "some", { tools: [weather], tool_choice: { type: "some" } }],
  ])("refuses %s by its name", async (_, name, member) => {
    const before = upstream.received.length;
    const thrown = await refusalOf(compatible.messages.create({ ...asks, ...member } as never));
    expect(thrown).toBeInstanceOf(Anthropic.BadRequestError);
    expect(thrown).toMatchObject({ error: { type: "error", error: { type: "invalid_request_error" } } });
    expect((thrown as Error).message).toContain(name);
    expect(upstream.received.length).toBe(before);
  });

  test.each([
    [400, Anthropic.BadRequestError, "invalid_request_error"],
    [401, Anthropic.AuthenticationError, "authentication_error"],
    [404, Anthropic.NotFoundError, "not_found_error"],
    [429, Anthropic.RateLimitError, "rate_limit_error"],
    [500, Anthropic.InternalServerError, "api_error"],
  ])("an error %d is Anthropic's own", async (status, kind, type) => {
    upstream.answer(jsonAnswer({ error: { message: "It did not work.", type: "some_type", param: null, code: "c" } }, { status }));
    const thrown = await refusalOf(compatible.messages.create(asks));
    expect(thrown).toBeInstanceOf(kind);
    expect(thrown).toMatchObject({ status, error: { type: "error", error: { type } } });
    expect((thrown as Error).message).toContain("It did not work.");
  });

  test("a call that does not end holds back little of what follows: the stream is broken off with an error", async () => {
    const [head = "", opened = "", ...rest] = chatStream({
      calls: [{ id: "call_1", name: "weather", arguments: '{"city":"Oslo"}' }],
      text: "",
      finish: "tool_calls",
    }).split("\n\n");
    const begun = [head, opened, rest[0]];
    const text = chatStream({ text: "Hi there ".repeat(20_000), finish: "stop" })
      .split("\n\n")
      .slice(1, 3);
    upstream.answer(sseAnswer(`${[...begun, ...Array.from({ length: 60 }, () => text).flat()].join("\n\n")}\n\n`));
    const failed = await refusalOf(compatible.messages.stream({ ...asks, tools: [weather] }).finalMessage());
    expect((failed as Error).message).toContain("a tool call in it does not end");
    expect(failed).toMatchObject({ error: { type: "error", error: { type: "api_error" } } });
  });

  test("an error in mid-stream is Anthropic's own", async () => {
    const begun = chatStream({ text: "Hi there", finish: "stop" }).split("\n\n").slice(0, 3).join("\n\n");
    upstream.answer(sseAnswer(`${begun}\n\ndata: ${JSON.stringify({ error: { message: "Slow down.", type: "rate_limit_error" } })}\n\n`));
    const failed = await refusalOf(compatible.messages.stream(asks).finalMessage());
    expect((failed as Error).message).toContain("Slow down.");
    expect(failed).toMatchObject({ error: { type: "error", error: { type: "rate_limit_error" } } });
  });
});

describe("a conversation with Anthropic", () => {
  test("brings signed thoughts of an earlier turn back as they were", async () => {
    upstream.answer(jsonAnswer(anthropicBody({ content: [{ type: "text", text: "Done." }] })));
    const content: Anthropic.ContentBlockParam[] = [
      { type: "thinking", thinking: "Let me look.", signature: "c2lnbmVk" },
      { type: "redacted_thinking", data: "cmVk" },
      { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Oslo" } },
    ];
    const result: Anthropic.ContentBlockParam = { type: "tool_result", tool_use_id: "toolu_1", content: "12 °C" };
    const turns: Anthropic.MessageParam[] = [...messages, { role: "assistant", content }, { role: "user", content: [result] }];
    await anthropic.messages.create({ ...asks, tools: [weather], messages: turns });
    expect(sentTo(upstream)["messages"]).toEqual(turns);
  });
});

describe("the offline provider", () => {
  test("answers, streams, thinks and calls tools", async () => {
    expect((await sandbox.messages.create({ ...asks, model: "echo" })).content).toEqual([{ type: "text", text: "Hello" }] as never);
    const { seen, text, final } = await collectStream(sandbox.messages.stream({ ...asks, model: "sandbox-reasoning" }));
    expect(seen).toEqual(["thinking", "text", "message"]);
    expect(text).toContain("Hello");
    expect(final.usage.output_tokens).toBeGreaterThan(0);
    const called = await collectStream(sandbox.messages.stream({ ...asks, model: "sandbox-tool", tools: [weather] }));
    const [block] = called.final.content;
    expect(block).toMatchObject({ type: "tool_use", name: "weather", input: { city: "text" } });
    expect(called.final.stop_reason).toBe("tool_use");
    const result = { type: "tool_result" as const, tool_use_id: block?.type === "tool_use" ? block.id : "", content: "12 °C" };
    const next = await sandbox.messages.create({
      ...asks,
      model: "sandbox-tool",
      tools: [weather],
      messages: [...messages, { role: "assistant", content: called.final.content }, { role: "user", content: [result] }],
    });
    expect(next.content).toMatchObject([{ type: "text", text: expect.stringContaining("12 °C") }]);
  });

  test.each([
    ["sandbox-error-429", Anthropic.RateLimitError],
    ["sandbox-error-500", Anthropic.InternalServerError],
  ])("%s is an error of its class", async (model, kind) => {
    expect(await refusalOf(sandbox.messages.create({ ...asks, model }))).toBeInstanceOf(kind);
    expect(await refusalOf(sandbox.messages.stream({ ...asks, model }).finalMessage())).toBeInstanceOf(kind);
  });
  test.each(["sandbox-error-chunk", "sandbox-cut", "sandbox-reset"])("%s breaks the stream visibly", async (model) => {
    const long = { ...asks, model, messages: [{ role: "user" as const, content: "one two three four five six seven" }] };
    expect(await refusalOf(sandbox.messages.stream(long).finalMessage())).toBeInstanceOf(Anthropic.APIError);
  });
});

describe("who asks", () => {
  test("a client whose only key is the gateway's sends it as its own kind of key, and no provider gets it", async () => {
    upstream.answer(jsonAnswer(anthropicBody({ content: [] })));
    for (const credential of [{ apiKey: GATEWAY_KEY }, { authToken: GATEWAY_KEY, apiKey: null }]) {
      const client = new Anthropic({
        ...credential,
        baseURL: gateway.base,
        maxRetries: 0,
        defaultHeaders: { "x-gateway-provider": "anthropic", "x-gateway-custom-host": `${upstream.url}/v1` },
      });
      await client.messages.create(asks);
      expect(JSON.stringify([...(upstream.received.at(-1)?.headers ?? [])])).not.toContain(GATEWAY_KEY);
    }
  });
  test(verifies("D7.11.errors", "an unknown key, and a request without a body's members, are errors of Anthropic's form"), async () => {
    const stranger = clientOf(gateway.base, { "x-gateway-api-key": "nobody" });
    const thrown = await refusalOf(stranger.messages.create(asks));
    expect(thrown).toBeInstanceOf(Anthropic.AuthenticationError);
    expect(thrown).toMatchObject({ error: { type: "error", error: { type: "authentication_error" } } });
    const empty = await refusalOf(sandbox.messages.create({ ...asks, messages: [] }));
    expect(empty).toBeInstanceOf(Anthropic.BadRequestError);
    expect(empty).toMatchObject({ error: { type: "error", error: { type: "invalid_request_error" } } });
  });
});
