import { describe, expect, test } from "bun:test";
import type Anthropic from "@anthropic-ai/sdk";
import {
  type Collected,
  GatewayError,
  type Json,
  type Provider,
  type StreamEvent,
  type StreamMap,
  UpstreamFailure,
  type UsagePart,
  signedBy,
} from "#contract";
import { collect } from "../../core/pipeline/stream/fold.ts";
import manifest from "../../providers/anthropic/manifest.json";
import plugin from "../../providers/anthropic/index.ts";
import { ask, testProvider } from "../kit/provider.ts";
import { recordedLines, recording, recordings, sayIfMissing, sseWire } from "../kit/recordings.ts";
import { eventsOf, testStream } from "../kit/stream.ts";

const provider: Provider = (await plugin.setup({ log: () => undefined, now: () => 0 }, {})).provides;
const chat = provider.operations.chatComplete ?? expect.unreachable();
const map = chat.stream as StreamMap<unknown>;
const target = (model: string, fields: Json = {}) => ({ fields, apiKey: "key", customHost: null, model });
const sent = (body: Json, stream = false): Json =>
  chat.request?.(body, ask("chatComplete", target(String(body.model)), { stream })) ?? body;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const streamed = (lines: readonly string[]): StreamEvent[] => eventsOf(map, [bytes(sseWire(lines, { named: true }))]);
const wire = (...events: Json[]): string[] => events.map((event) => JSON.stringify(event));
const replied = (body: Json): Collected => collect(chat.reply?.(body, ask("chatComplete", target("claude-sonnet-4-5"))) ?? []);
const START = { type: "message_start", message: { id: "msg_1", model: "claude-x", usage: { input_tokens: 3, output_tokens: 1 } } };
const STOP = [{ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } }, { type: "message_stop" }];

testProvider({ plugin, manifest: manifest as never, fields: { anthropic_version: "2023-06-01", anthropic_beta: "a,b" } });

/* ── recordings: what a stream says is computed from its lines alone, and compared with what the adapter made of it ── */

interface Line {
  readonly type: string;
  readonly index?: number;
  readonly message?: { readonly usage: Counts };
  readonly content_block?: Block;
  readonly delta?: {
    readonly type?: string;
    readonly text?: string;
    readonly thinking?: string;
    readonly partial_json?: string;
    readonly stop_reason?: string;
  };
  readonly usage?: Counts;
}
interface Block {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly input?: unknown;
}
interface Counts {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_read_input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
}
interface FoldedAnswer {
  readonly text: string;
  readonly thinking: string;
  readonly tools: readonly { id: string; name: string; input: unknown }[];
  readonly finish: string;
  readonly total: number;
}

const FINISH: Readonly<Record<string, string>> = { end_turn: "stop", tool_use: "tool_calls", max_tokens: "length" };
const totalOf = (counts: Counts): number =>
  (counts.input_tokens ?? 0) +
  (counts.output_tokens ?? 0) +
  (counts.cache_read_input_tokens ?? 0) +
  (counts.cache_creation_input_tokens ?? 0);

function saidByLines(lines: readonly Line[]): FoldedAnswer {
  const deltas = lines.filter(({ type }) => type === "content_block_delta");
  const tools = lines.filter(({ content_block }) => content_block?.type === "tool_use");
  const inputOf = (index: number | undefined) =>
    deltas
      .filter((line) => line.index === index)
      .map(({ delta }) => delta?.partial_json ?? "")
      .join("");
  const last = lines.find(({ type }) => type === "message_delta");
  return {
    text: deltas.map(({ delta }) => delta?.text ?? "").join(""),
    thinking: deltas.map(({ delta }) => delta?.thinking ?? "").join(""),
    tools: tools.map(({ index, content_block: block }) => ({
      id: String(block?.id),
      name: String(block?.name),
      input: JSON.parse(inputOf(index) || "{}") as unknown,
    })),
    finish: FINISH[last?.delta?.stop_reason ?? ""] ?? "?",
    total: totalOf({ ...lines[0]?.message?.usage, ...last?.usage }),
  };
}
function saidByBody(body: { content: Block[]; stop_reason: string; usage: Counts }): FoldedAnswer {
  const of = (type: string): Block[] => body.content.filter((block) => block.type === type);
  return {
    text: of("text")
      .map(({ text }) => text)
      .join(""),
    thinking: of("thinking")
      .map(({ thinking }) => thinking)
      .join(""),
    tools: of("tool_use").map(({ id, name, input }) => ({ id: String(id), name: String(name), input })),
    finish: FINISH[body.stop_reason] ?? "?",
    total: totalOf(body.usage),
  };
}
function saidByAdapter({ choices, usage = {} }: Collected): FoldedAnswer {
  const [choice] = choices;
  if (choices.length !== 1 || !choice) throw new Error("Anthropic answers with one choice");
  const parts: readonly UsagePart[] = ["input", "cacheRead", "cacheWrite5m", "cacheWrite1h", "output", "reasoning"];
  return {
    text: choice.text,
    thinking: choice.reasoning.map(({ text }) => text).join(""),
    tools: choice.tools.map(({ id, name, arguments: text }) => ({ id, name, input: JSON.parse(text) as unknown })),
    finish: choice.finish ?? "?",
    total: parts.reduce((total, part) => total + (usage[part] ?? 0), 0),
  };
}

/** A retry spliced into the same body: see its own test below. */
const SPLICED = "anthropic/spliced-message-start.chunks.txt";

describe("recorded Anthropic streams", () => {
  sayIfMissing();
  for (const path of recordings(["anthropic"], ".chunks.txt").filter((name) => name !== SPLICED)) {
    const lines = recordedLines(path);
    testStream(path, map, sseWire(lines, { named: true }));
    test(`${path} says what its lines say`, () => {
      // some recordings hold the answers of several requests one after the other; a request has one
      const end = lines.findIndex((line) => line.includes('"message_stop"'));
      expect(saidByAdapter(collect(streamed(lines)))).toEqual(saidByLines(lines.slice(0, end).map((line) => JSON.parse(line) as Line)));
    });
  }
  for (const path of recordings(["anthropic"], ".json")) {
    test(`${path} says what its body says`, () => {
      const body = JSON.parse(recording(path)) as Json;
      expect(saidByAdapter(replied(body))).toEqual(saidByBody(body as never));
    });
  }
});

describe("an Anthropic stream", () => {
  test("that begins a second message inside the first is an error, not two answers in one", () => {
    // what was sent cannot be taken back, and the signed thinking of two answers makes a turn that Anthropic refuses
    const lines = wire(
      START,
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { ...START, message: { ...START.message, id: "msg_2" } },
    );
    expect(() => streamed(lines)).toThrow("began the message msg_2 before the message msg_1 had ended");
  });
  test.skipIf(recordings(["anthropic"], ".chunks.txt").length === 0)("recorded with such a splice is that error", () => {
    expect(() => streamed(recordedLines(SPLICED))).toThrow(UpstreamFailure);
  });
  test("of a block of the vendor's own, or of calls, without end is an error, and not kept", () => {
    const block = { type: "server_tool_use", id: "s", name: "web_search", input: {} };
    const piece = { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: "x".repeat(100_000) } };
    const begun = { type: "content_block_start", index: 0, content_block: block };
    expect(() => streamed(wire(START, begun, ...Array.from({ length: 100 }, () => piece)))).toThrow(SyntaxError);
    const calls = Array.from({ length: 5_000 }, (_, index) => ({
      type: "content_block_start",
      index,
      content_block: { type: "tool_use", id: `t${index}`, name: "f", input: {} },
    }));
    expect(() => streamed(wire(START, ...calls))).toThrow(SyntaxError);
  });
  test("whose start frame comes twice starts once", () => {
    expect(streamed(wire(START, START, ...STOP)).filter(({ type }) => type === "start")).toHaveLength(1);
  });
  test("without message_stop has no finish, so that its end is seen to be missing", () => {
    expect(streamed(wire(START, ...STOP.slice(0, 1))).some(({ type }) => type === "finish")).toBeFalse();
  });
  test.each([
    ["overloaded_error", 529],
    ["rate_limit_error", 429],
    ["authentication_error", 401],
    ["api_error", 500],
    ["new_error", 500],
  ])("reports %s with its status", (type, status) => {
    const thrown = caught(() => streamed(wire(START, { type: "error", error: { type, message: "no" } })));
    expect(thrown).toMatchObject({ status, error: { type, message: "no", param: null, code: null } });
  });
  test("keeps signatures and redacted thinking", () => {
    const events = streamed(
      wire(
        START,
        { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hm" } },
        { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "sig" } },
        { type: "content_block_stop", index: 0 },
        { type: "content_block_start", index: 1, content_block: { type: "redacted_thinking", data: "xyz" } },
        { type: "content_block_stop", index: 1 },
        ...STOP,
      ),
    );
    expect(collect(events).choices[0]?.reasoning).toEqual([
      { text: "Hm", signature: signedBy("messages", "sig") },
      { text: "", redacted: "xyz" },
    ]);
  });
  test("a tool called without arguments has the arguments {}", () => {
    const events = streamed(
      wire(
        START,
        { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "t", name: "now", input: {} } },
        { type: "content_block_stop", index: 0 },
        ...STOP,
      ),
    );
    expect(collect(events).choices[0]?.tools).toEqual([{ id: "t", name: "now", arguments: "{}" }]);
  });
  test("no count gives tokens back", () => {
    const events = streamed(
      wire(
        {
          type: "message_start",
          message: { ...START.message, usage: { input_tokens: -9, output_tokens: 1, cache_creation_input_tokens: -4 } },
        },
        {
          type: "message_delta",
          delta: { stop_reason: "end_turn" },
          usage: { output_tokens: 5, output_tokens_details: { thinking_tokens: 50 } },
        },
        { type: "message_stop" },
      ),
    );
    expect(collect(events).usage).toEqual({ input: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, reasoning: 5 });
  });
  test("cache writes keep the split by lifetime that only the first report has", () => {
    const usage = {
      input_tokens: 4,
      cache_read_input_tokens: 50,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
      output_tokens: 1,
    };
    const events = streamed(
      wire(
        { type: "message_start", message: { ...START.message, usage } },
        {
          type: "message_delta",
          delta: { stop_reason: "end_turn" },
          usage: { input_tokens: 4, cache_read_input_tokens: 50, cache_creation_input_tokens: 30, output_tokens: 9 },
        },
        { type: "message_stop" },
      ),
    );
    expect(collect(events).usage).toEqual({ input: 4, cacheRead: 50, cacheWrite5m: 10, cacheWrite1h: 20, output: 9 });
  });
});

describe("an Anthropic answer", () => {
  const answer = (more: Json): Json => ({
    id: "msg_1",
    model: "claude-x",
    content: [],
    stop_reason: "end_turn",
    usage: { input_tokens: 1, output_tokens: 10 },
    ...more,
  });
  test.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["pause_turn", "stop"],
    ["compaction", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "content_filter"],
    ["something_new", "stop"],
  ])("stopped by %s finishes with %s", (stop_reason, finish) => {
    expect(replied(answer({ stop_reason })).choices[0]).toMatchObject({ finish, native: stop_reason });
  });
  test("thinking tokens are counted apart from the answer's", () => {
    expect(
      replied(answer({ usage: { input_tokens: 1, output_tokens: 10, output_tokens_details: { thinking_tokens: 4 } } })).usage,
    ).toMatchObject({ output: 6, reasoning: 4 });
  });
  test("cache writes without a lifetime are counted as five minutes", () => {
    expect(replied(answer({ usage: { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 7 } })).usage).toMatchObject({
      cacheWrite5m: 7,
      cacheWrite1h: 0,
    });
  });
  test("given through the structured-answer tool is text, whole and streamed", () => {
    const [tool] = sent(WITH_SCHEMA("claude-3-5-haiku-latest")).tools as [{ name: string }];
    const block = { type: "tool_use", id: "t", name: tool.name };
    const whole = replied(answer({ content: [{ ...block, input: { ok: true } }], stop_reason: "tool_use" })).choices[0];
    const parts = ['{"ok"', ":true}"].map((partial_json) => ({
      type: "content_block_delta",
      index: 0,
      delta: { type: "input_json_delta", partial_json },
    }));
    const events = streamed(
      wire(
        START,
        { type: "content_block_start", index: 0, content_block: { ...block, input: {} } },
        ...parts,
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: "tool_use" } },
        { type: "message_stop" },
      ),
    );
    for (const choice of [whole, collect(events).choices[0]])
      expect(choice).toMatchObject({ text: '{"ok":true}', tools: [], finish: "stop" });
  });
  test("that is no message is refused by name", () => {
    expect(caught(() => replied({ hello: 1 }))).toBeInstanceOf(GatewayError);
    expect(caught(() => replied({ type: "error", error: { type: "overloaded_error", message: "busy" } }))).toMatchObject({ status: 529 });
  });
});

/* ── requests: the expected bodies have the official client's type ─────────────────────────────────────────────────── */

type Sends = Anthropic.MessageCreateParams & Json;
const SCHEMA = {
  type: "object",
  properties: {
    n: { type: "integer", minimum: 1, description: "How many." },
    at: { oneOf: [{ type: "string", format: "date" }, { type: "null" }] },
  },
  required: ["n"],
};
const WITH_SCHEMA = (model: string): Json => ({
  model,
  messages: [{ role: "user", content: "Hi" }],
  response_format: { type: "json_schema", json_schema: { name: "a", schema: SCHEMA } },
});
const hi = { role: "user", content: "Hi" } as const;
const model = "claude-sonnet-4-5";
const base = { model, max_tokens: 64_000, messages: [hi] } as const;
const CACHED = { type: "ephemeral", ttl: "1h" } as const;
const weather = {
  type: "function",
  function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } }, strict: true },
};
const weatherTool = {
  name: "weather",
  description: "",
  input_schema: { type: "object", properties: { city: { type: "string" } }, additionalProperties: false },
  strict: true,
} as const;

const REQUESTS: readonly (readonly [string, Json, Sends])[] = [
  ["a plain message keeps its text and gets the model's most tokens", { model, messages: [hi] }, { ...base, messages: [hi] }],
  [
    "system and developer messages become system blocks, marks included",
    {
      model,
      messages: [
        { role: "system", content: "A" },
        { role: "developer", content: [{ type: "text", text: "B", cache_control: CACHED }] },
        hi,
      ],
    },
    {
      ...base,
      messages: [hi],
      system: [
        { type: "text", text: "A" },
        { type: "text", text: "B", cache_control: CACHED },
      ],
    },
  ],
  [
    "neighbours of one role become one turn",
    { model, messages: [hi, { role: "user", content: [{ type: "text", text: "there" }] }, { role: "assistant", content: "Yes" }] },
    {
      ...base,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Hi" },
            { type: "text", text: "there" },
          ],
        },
        { role: "assistant", content: "Yes" },
      ],
    },
  ],
  [
    "images and files",
    {
      model,
      messages: [
        {
          role: "user",
          content: [
            { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" }, cache_control: CACHED },
            { type: "image_url", image_url: { url: "https://example.org/a.png" } },
            { type: "image_url", image_url: { url: "data:application/pdf;base64,BBBB" } },
            { type: "file", file: { file_data: "data:application/pdf;base64,CCCC", filename: "a.pdf" } },
            { type: "file", file: { file_data: "DDDD" } },
            { type: "file", file: { file_data: "data:text/plain;base64,aGk=" } },
            { type: "file", file: { file_url: "https://example.org/a.pdf" } },
          ],
        },
      ],
    },
    {
      ...base,
      messages: [
        {
          role: "user",
          content: [
            { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" }, cache_control: CACHED },
            { type: "image", source: { type: "url", url: "https://example.org/a.png" } },
            { type: "document", source: { type: "base64", media_type: "application/pdf", data: "BBBB" } },
            { type: "document", source: { type: "base64", media_type: "application/pdf", data: "CCCC" } },
            { type: "document", source: { type: "base64", media_type: "application/pdf", data: "DDDD" } },
            { type: "document", source: { type: "text", media_type: "text/plain", data: "hi" } },
            { type: "document", source: { type: "url", url: "https://example.org/a.pdf" } },
          ],
        },
      ],
    },
  ],
  [
    "tools, a forced tool, one call at a time",
    {
      model,
      messages: [hi],
      tools: [
        { ...weather, cache_control: CACHED },
        { type: "web_search_20250305", name: "web_search" },
      ],
      tool_choice: "required",
      parallel_tool_calls: false,
    },
    {
      ...base,
      messages: [hi],
      tools: [
        { ...weatherTool, cache_control: CACHED },
        { type: "web_search_20250305", name: "web_search" },
      ],
      tool_choice: { type: "any", disable_parallel_tool_use: true },
    },
  ],
  [
    "a dated tool by its kind, a named choice",
    {
      model,
      messages: [hi],
      tools: [{ type: "bash", bash: { name: "bash_20250124" } }],
      tool_choice: { type: "function", function: { name: "weather" } },
    },
    { ...base, messages: [hi], tools: [{ type: "bash_20250124", name: "bash" }], tool_choice: { type: "tool", name: "weather" } },
  ],
  [
    "calls and their results; ids that the wire refuses are changed alike on both",
    {
      model,
      messages: [
        hi,
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "functions.weather:0", type: "function", function: { name: "weather", arguments: '{"city":"Rome"}' } },
            { id: "b", type: "function", function: { name: "now", arguments: "" } },
          ],
        },
        { role: "tool", tool_call_id: "functions.weather:0", content: "sunny" },
        { role: "tool", tool_call_id: "b", content: [{ type: "text", text: "noon" }], cache_control: CACHED },
        { role: "user", content: "So?" },
      ],
    },
    {
      ...base,
      messages: [
        hi,
        {
          role: "assistant",
          content: [
            { type: "tool_use", id: "functions_weather_0", name: "weather", input: { city: "Rome" } },
            { type: "tool_use", id: "b", name: "now", input: {} },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "functions_weather_0", content: "sunny" },
            { type: "tool_result", tool_use_id: "b", content: [{ type: "text", text: "noon" }], cache_control: CACHED },
            { type: "text", text: "So?" },
          ],
        },
      ],
    },
  ],
  [
    "thinking is given back with its signature, before the text and the calls",
    {
      model,
      messages: [
        hi,
        {
          role: "assistant",
          content: "Let me see.",
          content_blocks: [
            { type: "thinking", thinking: "Hm", signature: "s" },
            { type: "redacted_thinking", data: "d" },
            { type: "tool_use", id: "a", name: "now", input: {} },
          ],
          tool_calls: [{ id: "a", type: "function", function: { name: "now", arguments: "{}" } }],
        },
      ],
    },
    {
      ...base,
      messages: [
        hi,
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm", signature: "s" },
            { type: "redacted_thinking", data: "d" },
            { type: "text", text: "Let me see." },
            { type: "tool_use", id: "a", name: "now", input: {} },
          ],
        },
      ],
    },
  ],
  [
    "sampling, stop, user, tier; what only OpenAI knows is dropped, what nobody knows travels on",
    {
      model,
      messages: [hi],
      temperature: 1.7,
      top_p: 0.5,
      top_k: 4,
      stop: "END",
      user: "u1",
      service_tier: "default",
      max_tokens: 10,
      max_completion_tokens: 20,
      n: 1,
      seed: 7,
      logprobs: false,
      logit_bias: {},
      presence_penalty: 1,
      frequency_penalty: 1,
      store: true,
      metadata: { a: "b" },
      stream_options: { include_usage: true },
      context_management: { edits: [] },
      member_of_tomorrow: [1],
    },
    {
      ...base,
      messages: [hi],
      max_tokens: 10,
      temperature: 1,
      top_k: 4,
      stop_sequences: ["END"],
      metadata: { user_id: "u1" },
      service_tier: "standard_only",
      context_management: { edits: [] },
      member_of_tomorrow: [1],
    },
  ],
  [
    "null is the default",
    {
      model,
      messages: [hi],
      temperature: null,
      top_p: null,
      top_k: null,
      max_tokens: null,
      stop: null,
      stream: null,
      thinking: null,
      reasoning_effort: null,
    },
    { ...base, messages: [hi] },
  ],
  [
    "reasoning_effort is a budget on models with budgets, and sampling is not sent then",
    { model, messages: [hi], reasoning_effort: "low", temperature: 0.5 },
    { ...base, messages: [hi], thinking: { type: "enabled", budget_tokens: 6400 } },
  ],
  [
    "reasoning_effort is an effort on adaptive models",
    { model: "claude-opus-4-6", messages: [hi], reasoning_effort: "minimal", max_tokens: 100 },
    { model: "claude-opus-4-6", messages: [hi], max_tokens: 100, thinking: { type: "adaptive" }, output_config: { effort: "low" } },
  ],
  [
    "reasoning_effort none turns thinking off; the newest models take no sampling",
    { model: "claude-opus-5", messages: [hi], reasoning_effort: "none", temperature: 0.5 },
    { model: "claude-opus-5", messages: [hi], max_tokens: 128_000, thinking: { type: "disabled" } },
  ],
  [
    "the client's own thinking wins, and max_tokens exceeds its budget",
    { model, messages: [hi], thinking: { type: "enabled", budget_tokens: 2000 }, reasoning_effort: "high", max_tokens: 500 },
    { ...base, messages: [hi], thinking: { type: "enabled", budget_tokens: 2000 }, max_tokens: 2500 },
  ],
  [
    "a schema is structured output, closed, with what the wire refuses told in words",
    WITH_SCHEMA(model),
    {
      ...base,
      messages: [hi],
      output_config: {
        format: {
          type: "json_schema",
          schema: {
            type: "object",
            additionalProperties: false,
            required: ["n"],
            properties: {
              n: { type: "integer", description: "How many. (minimum: 1)" },
              at: { anyOf: [{ type: "string", format: "date" }, { type: "null" }] },
            },
          },
        },
      },
    },
  ],
  [
    "a schema is a forced tool on models without structured output",
    WITH_SCHEMA("claude-3-haiku-20240307"),
    {
      model: "claude-3-haiku-20240307",
      max_tokens: 4096,
      messages: [hi],
      tools: [{ name: "gateway_structured_answer", description: "Answer with this tool.", input_schema: SCHEMA as never }],
      tool_choice: { type: "tool", name: "gateway_structured_answer" },
    },
  ],
];

describe("a chat request to Anthropic", () => {
  test.each(REQUESTS.map(([name, body, sends]) => [name, body, sends] as const))("%s", (_name, body, sends) => {
    expect(sent(body)).toEqual(sends);
  });
  test("asks for a stream when the client did", () => expect(sent({ model, messages: [hi], stream: true }, true).stream).toBeTrue());
  test.each([
    [{ messages: [{ role: "user", content: [{ type: "file", file: "x" }] }] }],
    [{ messages: [{ role: "assistant", tool_calls: [{ id: "a" }] }] }],
    [{ messages: [hi], tools: [{ type: "function" }] }],
  ])("that is malformed is refused with a sentence: %j", (body) =>
    expect(caught(() => sent({ model, ...body }))).toMatchObject({ code: "REQUEST_INVALID" }),
  );
  test.each([
    ["claude-opus-5", 128_000],
    ["claude-sonnet-4-6", 128_000],
    ["claude-haiku-4-5-20251001", 64_000],
    ["claude-sonnet-4-20250514", 64_000],
    ["claude-opus-4-1-20250805", 32_000],
    ["claude-opus-4-20250514", 32_000],
    ["claude-3-5-sonnet-latest", 8_192],
    ["claude-3-haiku-20240307", 4_096],
    ["claude-next", 128_000],
  ])("%s may answer with %i tokens", (name, most) => expect(sent({ model: name, messages: [hi] }).max_tokens).toBe(most));
});

describe("Anthropic's other operations", () => {
  test("the endpoint has the key in a header, the version, and the betas", () => {
    expect(provider.endpoint(target("m", { anthropic_beta: "files-api-2025-04-14" }))).toEqual({
      baseUrl: "https://api.anthropic.com/v1",
      headers: { "x-api-key": "key", "anthropic-version": "2023-06-01", "anthropic-beta": "files-api-2025-04-14" },
    });
  });
  test("messages pass untouched, as the same object, unless Anthropic would refuse them", () => {
    const { messages, messagesCountTokens: count } = provider.operations;
    const body = Object.freeze({
      model: "m",
      max_tokens: 5,
      temperature: 1,
      messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
    });
    expect(messages?.request?.(body, ask("messages", target("m")))).toBe(body);
    expect(count?.request?.(body, ask("messagesCountTokens", target("m")))).toBe(body);
    expect([messages?.reply, messages?.response, count?.reply]).toEqual([undefined, undefined, undefined]);
  });
  test("a turn that held nothing but another vendor's thoughts keeps its place", () => {
    const turn = { role: "assistant", content: [{ type: "thinking", thinking: "hm", signature: "" }] };
    expect(provider.operations.messages?.request?.({ messages: [turn] }, ask("messages", target("m")))).toEqual({
      messages: [{ role: "assistant", content: [{ type: "text", text: "(no answer)" }] }],
    });
  });
  test("models are listed in the OpenAI form", () => {
    const body = { data: [{ type: "model", id: "claude-x", display_name: "X", created_at: "2025-01-01T00:00:00Z" }], has_more: false };
    expect(provider.operations.listModels?.response?.(body, ask("listModels", target("")))).toMatchObject({
      object: "list",
      data: [{ id: "claude-x", object: "model", created: 1_735_689_600, owned_by: "anthropic" }],
    });
  });
  test("an error body is read", () => {
    expect(provider.error?.(400, { type: "error", error: { type: "invalid_request_error", message: "no" } }, {})).toEqual({
      type: "invalid_request_error",
      message: "no",
    });
  });
});

function caught(run: () => unknown): unknown {
  try {
    return run();
  } catch (thrown) {
    return thrown;
  }
}
