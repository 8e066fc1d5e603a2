import { describe, expect, test } from "bun:test";
import { type Collected, type EncodeOptions, inputTokens, type Json, outputTokens, type StreamEvent, UpstreamFailure } from "#contract";
import { collect } from "../../../core/pipeline/stream/fold.ts";
import { chat } from "./dialect.ts";
import { usageBody, usageOf } from "../content/usage.ts";

const options: EncodeOptions = { id: "req-1", model: "asked", created: 7, usage: false, strict: true };
const loose: EncodeOptions = { ...options, strict: false };

test("how likely the tokens were is told, whole and streamed", () => {
  const token = { token: "Hi", logprob: -0.1, bytes: [72, 105], top_logprobs: [{ token: "Ho", logprob: -2, bytes: null }] };
  const choice = { index: 0, logprobs: { content: [token], refusal: null }, finish_reason: "stop" };
  const whole = { id: "c", model: "m", choices: [{ ...choice, message: { role: "assistant", content: "Hi" } }] };
  expect(collect(chat.read(whole)).choices[0]?.logprobs).toEqual([token]);
  const chunk = { id: "c", model: "m", choices: [{ ...choice, delta: { content: "Hi" } }] };
  const events = chat.decode.event({ event: "", data: JSON.stringify(chunk) }, chat.decode.start());
  expect(collect(events).choices[0]).toMatchObject({ text: "Hi", logprobs: [token], finish: "stop" });
});

describe("usage", () => {
  const CASES: readonly (readonly [string, Json, Json])[] = [
    [
      "details are taken out of the totals",
      {
        prompt_tokens: 20,
        completion_tokens: 10,
        total_tokens: 30,
        prompt_tokens_details: { cached_tokens: 8, audio_tokens: 2 },
        completion_tokens_details: { reasoning_tokens: 4, audio_tokens: 1 },
      },
      { input: 10, cacheRead: 8, inputAudio: 2, output: 5, reasoning: 4, outputAudio: 1 },
    ],
    [
      "reasoning beside the completion is added (xAI)",
      { prompt_tokens: 307, completion_tokens: 26, total_tokens: 560, completion_tokens_details: { reasoning_tokens: 227 } },
      { input: 307, output: 26, reasoning: 227 },
    ],
    [
      "reasoning larger than the completion is added",
      { prompt_tokens: 5, completion_tokens: 2, completion_tokens_details: { reasoning_tokens: 9 } },
      { input: 5, output: 2, reasoning: 9 },
    ],
    [
      "cached beyond the prompt is added (xAI)",
      { prompt_tokens: 5, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 9 } },
      { input: 5, cacheRead: 9, output: 1 },
    ],
    [
      "DeepSeek's cache hits",
      { prompt_tokens: 13, completion_tokens: 3, prompt_cache_hit_tokens: 10, prompt_cache_miss_tokens: 3 },
      { input: 3, cacheRead: 10, output: 3 },
    ],
    ["Moonshot's cached_tokens", { prompt_tokens: 13, completion_tokens: 3, cached_tokens: 12 }, { input: 1, cacheRead: 12, output: 3 }],
    [
      "DashScope's cache creation",
      { prompt_tokens: 13, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 2, cache_creation_input_tokens: 4 } },
      { input: 7, cacheRead: 2, cacheWrite5m: 4, output: 3 },
    ],
    [
      "audio that is cached too is not counted twice",
      { prompt_tokens: 10, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 8, audio_tokens: 5 } },
      { input: 0, cacheRead: 8, inputAudio: 2, output: 0 },
    ],
  ];
  test.each(CASES)("%s", (_, wire, parts) => expect(usageOf(wire)).toEqual(parts));
  test("nothing to count is no usage", () => {
    for (const wire of [null, undefined, {}, [], "12", { queue_time: 1 }]) expect(usageOf(wire)).toBeUndefined();
  });
  test("what is written reads back the same", () => {
    for (const [, , parts] of CASES) expect(usageOf(usageBody(parts))).toEqual(parts);
  });
  test("the written total is the sum of the parts", () => {
    const usage = { input: 1, cacheRead: 2, cacheWrite5m: 4, cacheWrite1h: 8, inputAudio: 16, output: 32, reasoning: 64, outputAudio: 128 };
    expect(usageBody(usage)).toMatchObject({
      prompt_tokens: 31,
      completion_tokens: 224,
      total_tokens: inputTokens(usage) + outputTokens(usage),
      cache_read_input_tokens: 2,
      cache_creation_input_tokens: 12,
    });
  });
});

describe("write", () => {
  const answer: Collected = {
    id: "a-1",
    model: "m-1",
    created: 9,
    choices: [
      {
        text: "4",
        reasoning: [
          { text: "2+2", signature: "s" },
          { text: "", redacted: "xx" },
        ],
        tools: [],
        finish: "stop",
        native: "end_turn",
      },
    ],
    usage: { input: 3, output: 1 },
  };
  test("a strict answer has OpenAI's members only", () => {
    expect(chat.write(answer, options)).toEqual({
      id: "a-1",
      object: "chat.completion",
      created: 9,
      model: "m-1",
      choices: [{ index: 0, message: { role: "assistant", content: "4", refusal: null }, logprobs: null, finish_reason: "stop" }],
      usage: {
        prompt_tokens: 3,
        completion_tokens: 1,
        total_tokens: 4,
        prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
      },
    });
  });
  test("a loose answer adds thinking blocks and the native finish reason", () => {
    expect(chat.write(answer, loose)).toMatchObject({
      choices: [
        {
          finish_reason: "end_turn",
          message: {
            reasoning_content: "2+2",
            content_blocks: [
              { type: "thinking", thinking: "2+2", signature: "s" },
              { type: "redacted_thinking", data: "xx" },
              { type: "text", text: "4" },
            ],
          },
        },
      ],
    });
  });
  test("tool calls come with null content, thought signatures only when loose", () => {
    const calls: Collected = {
      choices: [{ text: "", reasoning: [], tools: [{ id: "c", name: "go", arguments: "{}", signature: "sig" }], finish: "tool_calls" }],
    };
    const call = { id: "c", type: "function", function: { name: "go", arguments: "{}" } };
    expect(chat.write(calls, options)).toMatchObject({
      id: "req-1",
      model: "asked",
      created: 7,
      choices: [{ finish_reason: "tool_calls", message: { content: null, tool_calls: [call] } }],
    });
    expect(JSON.stringify(chat.write(calls, options))).not.toContain("sig");
    expect(chat.write(calls, loose)).toMatchObject({
      choices: [{ message: { tool_calls: [{ ...call, function: { ...call.function, thought_signature: "sig" } }] } }],
    });
  });
});

describe("encode", () => {
  const EVENTS: readonly StreamEvent[] = [
    { type: "start", id: "a-1", model: "m-1", created: 9 },
    { type: "reasoning", text: "hm" },
    { type: "reasoning", text: "", signature: "s" },
    { type: "text", text: "ok" },
    { type: "tool", index: 0, id: "c", name: "go" },
    { type: "tool", index: 0, arguments: "{}" },
    { type: "finish", reason: "tool_calls", native: "tool_use" },
    { type: "usage", usage: { input: 3 } },
    { type: "usage", usage: { output: 1 } },
  ];
  const frames = (with_: EncodeOptions): string[] => {
    const encoder = chat.encode(with_);
    return (EVENTS.map((event) => encoder.event(event)).join("") + encoder.end()).split("\n\n").filter((frame) => frame !== "");
  };
  const bodies = (with_: EncodeOptions): Json[] =>
    frames(with_)
      .slice(0, -1)
      .map((frame) => JSON.parse(frame.slice("data: ".length)) as Json);
  const deltas = (with_: EncodeOptions): unknown[] => bodies(with_).map((body) => (body["choices"] as Json[])[0]?.["delta"]);

  test("the role comes first and once, the marker last", () => {
    expect(deltas(options)).toEqual([
      { role: "assistant", content: "" },
      { content: "ok" },
      { tool_calls: [{ index: 0, id: "c", type: "function", function: { name: "go", arguments: "" } }] },
      { tool_calls: [{ index: 0, function: { arguments: "{}" } }] },
      {},
    ]);
    expect(frames(options).at(-1)).toBe("data: [DONE]");
    expect(
      bodies(options).every(
        (body) => body["id"] === "a-1" && body["model"] === "m-1" && body["created"] === 9 && body["object"] === "chat.completion.chunk",
      ),
    ).toBeTrue();
  });
  test("a loose stream numbers its content blocks and keeps the native reason", () => {
    expect(deltas(loose).slice(1, 4)).toEqual([
      { reasoning_content: "hm", content_blocks: [{ index: 0, delta: { thinking: "hm" } }] },
      { content_blocks: [{ index: 0, delta: { signature: "s" } }] },
      { content: "ok", content_blocks: [{ index: 1, delta: { text: "ok" } }] },
    ]);
    expect(bodies(loose).at(-1)).toMatchObject({ choices: [{ finish_reason: "tool_use" }] });
  });
  test("usage comes in one last chunk without choices, when it is wanted", () => {
    const wanted = bodies({ ...options, usage: true });
    expect(wanted.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 } });
    expect(wanted.slice(0, -1).every((body) => body["usage"] === null)).toBeTrue();
    expect(bodies(options).some((body) => "usage" in body)).toBeFalse();
  });
  test("every choice gets its role", () => {
    const encoder = chat.encode(options);
    const wire = encoder.event({ type: "start" }) + encoder.event({ type: "text", text: "b", choice: 1 });
    expect(wire.match(/"index":1,"delta":\{"role":"assistant"/g)).toHaveLength(1);
  });
  test("an error in mid-stream is a chunk of its own", () => {
    expect(chat.encode(options).error({ message: "no", type: "api_error", param: null, code: "x" })).toBe(
      'data: {"error":{"message":"no","type":"api_error","param":null,"code":"x"}}\n\n',
    );
  });
});

describe("failures inside a 200", () => {
  const failureOf = (data: string, event = ""): unknown => {
    try {
      return chat.decode.event({ event, data }, chat.decode.start());
    } catch (thrown) {
      return UpstreamFailure.is(thrown) ? { status: thrown.status, ...thrown.error } : thrown;
    }
  };
  test.each([
    ['{"error":{"message":"slow down","type":"rate_limit_error"}}', { status: 429, message: "slow down", type: "rate_limit_error" }],
    ['{"error":{"message":"m","code":503}}', { status: 503, message: "m", code: "503" }],
    ['{"error":"no credits","code":"insufficient_quota"}', { status: 429, message: "no credits", code: "insufficient_quota" }],
    ['{"error":"boom","error_type":"generation"}', { status: 502, message: "boom", type: "generation" }],
    ['{"error":{"message":"m","type":"server_error","param":"p"}}', { status: 500, param: "p" }],
  ])("%s", (data, wanted) => expect(failureOf(data)).toMatchObject(wanted));
  test("a frame named error is an error whatever it holds", () =>
    expect(failureOf('{"message":"gone"}', "error")).toMatchObject({ status: 502, message: "gone" }));
  test("a whole body may be an error, too", () => expect(() => chat.read({ error: { message: "no" } })).toThrow(UpstreamFailure));
  test("a frame that is no JSON is malformed, not an upstream failure", () => {
    expect(failureOf("<html>")).toBeInstanceOf(SyntaxError);
    expect(failureOf("[1]")).toBeInstanceOf(SyntaxError);
    expect(() => chat.read({ object: "chat.completion" })).toThrow(SyntaxError);
  });
});

test("a call may bring all of its long arguments with its name, whole and streamed", () => {
  const fn = { name: "f", arguments: JSON.stringify({ text: "x".repeat(300_000) }) };
  const call = { index: 0, id: "c", type: "function", function: fn };
  const callEvent = { type: "tool", index: 0, id: "c", ...fn };
  const data = JSON.stringify({ id: "a", choices: [{ index: 0, delta: { tool_calls: [call] } }] });
  expect(chat.decode.event({ event: "", data }, chat.decode.start())).toContainEqual(callEvent as never);
  expect(chat.read({ id: "a", choices: [{ index: 0, message: { tool_calls: [call] } }] })).toContainEqual(callEvent as never);
});
test("arguments of a call without a name are not kept without end", () => {
  const state = chat.decode.start();
  const delta = { tool_calls: [{ index: 0, function: { arguments: "x".repeat(100_000) } }] };
  const data = JSON.stringify({ id: "a", choices: [{ index: 0, delta }] });
  expect(() => Array.from({ length: 100 }, () => chat.decode.event({ event: "", data }, state))).toThrow(SyntaxError);
});

describe("asking for usage", () => {
  test("is seen in the body and added to it", () => {
    expect(chat.asksUsage({ stream_options: { include_usage: true } })).toBeTrue();
    for (const stream_options of [undefined, null, {}, { include_usage: false }]) expect(chat.asksUsage({ stream_options })).toBeFalse();
    expect(chat.withUsage({ model: "m", stream_options: { x: 1 } })).toEqual({ model: "m", stream_options: { x: 1, include_usage: true } });
  });
  test("only the chunk that holds nothing else is the usage frame", () => {
    expect(chat.isUsageFrame('{"choices":[],"usage":{"prompt_tokens":1}}')).toBeTrue();
    for (const data of [
      '{"choices":[{"delta":{}}],"usage":{"prompt_tokens":1}}',
      '{"choices":[],"usage":null}',
      "[DONE]",
      '{"choices":[],"prompt_filter_results":[]}',
      '{"usage"',
    ])
      expect(chat.isUsageFrame(data)).toBeFalse();
  });
});

describe("read", () => {
  test("a message gives the events its stream would have brought", () => {
    const body: Json = {
      id: "a",
      model: "m",
      created: 1,
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: "x",
            reasoning: "r",
            tool_calls: [{ id: "1", function: { name: "a", arguments: "{}" } }, { function: { name: "b", arguments: "" } }],
          },
          finish_reason: "tool_calls",
        },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    };
    expect(chat.read(body)).toEqual([
      { type: "start", id: "a", model: "m", created: 1 },
      { type: "reasoning", text: "r" },
      { type: "text", text: "x" },
      { type: "tool", index: 0, id: "1", name: "a", arguments: "{}" },
      { type: "tool", index: 1, id: "call_a_1", name: "b" },
      { type: "finish", reason: "tool_calls" },
      { type: "usage", usage: { input: 1, output: 2 } },
    ]);
  });
  test("a missing finish reason is stop", () => {
    expect(chat.read({ id: "a", choices: [{ message: { content: "x" }, finish_reason: "" }] }).at(-1)).toEqual({
      type: "finish",
      reason: "stop",
    });
  });
});

describe("a judged stream", () => {
  const spoken = (delta: Json): readonly string[] => {
    const data = JSON.stringify({ id: "a", choices: [{ index: 0, delta }] });
    const events = chat.decode.event({ event: "", data }, chat.decode.start(true));
    return events.flatMap((event) => (event.type === "text" || event.type === "reasoning" ? [`${event.type} ${event.text}`] : []));
  };
  const reasoning_details = [{ type: "reasoning.summary", summary: "secret" }];
  test("tells details of thoughts and blocks where they say something else", () => {
    expect(spoken({ content: "x", reasoning: "other", reasoning_details })).toEqual(["reasoning other", "text x", "reasoning secret"]);
    expect(spoken({ content: "x", reasoning: "secret", reasoning_details })).toEqual(["reasoning secret", "text x"]);
    expect(spoken({ content: "x", content_blocks: [{ index: 0, delta: { text: "secret" } }] })).toEqual(["text x", "text secret"]);
    expect(spoken({ content: "x", content_blocks: [{ index: 0, delta: { text: "x" } }] })).toEqual(["text x"]);
  });
});
