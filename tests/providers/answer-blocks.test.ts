/** What an answer of a wire of its own holds besides text, thoughts and calls, as a client of the chat form reads it. */
import { describe, expect, test } from "bun:test";
import { isJson, type Json, signatureFor, signedBy, type StreamEvent } from "#contract";
import { collect } from "../../core/pipeline/stream/fold.ts";
import { frameReader } from "../../core/pipeline/stream/frames.ts";
import { chat } from "../../plugins/api/chat/dialect.ts";
import { eventsOf } from "../kit/stream.ts";
import { recording, recordings, sayIfMissing, sseWire } from "../kit/recordings.ts";
import { event as frame } from "./bedrock-eventstream.ts";
import { adapterOf, ANTHROPIC, asking, BEDROCK, GEMINI, named, type OwnWire, VERTEX_CLAUDE } from "./own-wires.ts";

type Read = Json & { readonly message: Json };
const options = (strict: boolean) => ({ id: "a", model: "m", created: 9, usage: false, strict });
const replied = (wire: OwnWire, body: Json): readonly StreamEvent[] => adapterOf(wire).reply?.(body, asking(wire, wire.model)) ?? [];
const whole = (events: readonly StreamEvent[], strict: boolean): Read =>
  (chat.write(collect(events), options(strict)).choices as Read[])[0] ?? expect.unreachable();
/** The choice's chunks. */
const chunks = (events: readonly StreamEvent[], strict: boolean): (Json & { readonly delta: Json })[] => {
  const encoder = chat.encode(options(strict));
  const text = events.map((event) => encoder.event(event)).join("");
  return frameReader("sse")
    .push(new TextEncoder().encode(text))
    .flatMap(({ data }) => (JSON.parse(data) as { choices: (Json & { delta: Json })[] }).choices);
};
const deltas = (events: readonly StreamEvent[], strict: boolean): Json[] =>
  chunks(events, strict)
    .map(({ delta }) => delta)
    .slice(1);
/** `content_blocks` of a stream, put together by index. */
function streamedBlocks(events: readonly StreamEvent[]): Json[] {
  const blocks: Json[] = [];
  for (const { content_blocks: parts } of deltas(events, false))
    for (const { index, delta } of (parts ?? []) as { index: number; delta: Json }[]) {
      const block = (blocks[index] ??= {});
      for (const [name, value] of Object.entries(delta)) block[name] = typeof block[name] === "string" ? `${block[name]}${value}` : value;
    }
  return blocks;
}

const CLAUDE = [ANTHROPIC, VERTEX_CLAUDE];
const message = (content: readonly Json[], more: Json = {}): Json => ({
  id: "m",
  type: "message",
  model: "c",
  content,
  stop_reason: "end_turn",
  usage: { input_tokens: 1, output_tokens: 2 },
  ...more,
});
const claudeStream = (wire: OwnWire, ...events: Json[]): StreamEvent[] =>
  eventsOf(adapterOf(wire).stream as never, [
    new TextEncoder().encode(
      sseWire(
        events.map((event) => JSON.stringify(event)),
        { named: true },
      ),
    ),
  ]);
const claudeStart = (more: Json = {}): Json => ({
  type: "message_start",
  message: { id: "m", model: "c", content: [], stop_reason: null, usage: { input_tokens: 1 }, ...more },
});
const claudeEnd = (stop_reason: string | null = "end_turn"): Json[] => [
  { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 2 } },
  { type: "message_stop" },
];
const opens = (index: number, content_block: Json): Json => ({ type: "content_block_start", index, content_block });
const adds = (index: number, delta: Json): Json => ({ type: "content_block_delta", index, delta });
const shuts = (index: number): Json => ({ type: "content_block_stop", index });

/** The blocks as Anthropic takes them back. */
const unmarked = (blocks: unknown): unknown =>
  (blocks as readonly Json[]).map((block) =>
    block.type === "thinking" ? { ...block, signature: signatureFor("messages", block.signature) } : block,
  );
describe.each(named(CLAUDE))("an answer of %s", (_name, wire) => {
  const thinking = (text: string): Json => ({ type: "thinking", thinking: text, signature: `s ${text}` });
  test("keeps the order of its blocks when it is whole and not strict, as its stream does", () => {
    const content = [
      thinking("A"),
      { type: "text", text: "one" },
      thinking("B"),
      { type: "redacted_thinking", data: "x" },
      { type: "text", text: "two" },
    ];
    const choice = whole(replied(wire, message(content)), false);
    expect(unmarked(choice.message.content_blocks)).toEqual(content);
    expect(choice.message).toMatchObject({ content: "onetwo", reasoning_content: "AB" });
    expect(streamedBlocks(replied(wire, message(content)))).toEqual([
      { thinking: "A", signature: signedBy("messages", "s A") },
      { text: "one" },
      { thinking: "B", signature: signedBy("messages", "s B") },
      { type: "redacted_thinking", data: "x" },
      { text: "two" },
    ]);
  });
  test("keeps thoughts apart that have no signature, where text stood between them", () => {
    const content = [
      { type: "thinking", thinking: "A" },
      { type: "text", text: "one" },
      { type: "thinking", thinking: "B" },
    ];
    expect(whole(replied(wire, message(content)), false).message.content_blocks).toEqual(content);
  });
  test("keeps citations with the text they belong to, and the vendor's own tools", () => {
    const citation = { type: "web_search_result_location", url: "https://example.org", title: "E", cited_text: "c" };
    const search = { type: "server_tool_use", id: "srv", name: "web_search", input: { query: "q" } };
    const found = {
      type: "web_search_tool_result",
      tool_use_id: "srv",
      content: [{ type: "web_search_result", url: "https://example.org" }],
    };
    const content = [search, found, { type: "text", text: "It is " }, { type: "text", text: "noon.", citations: [citation] }];
    const events = replied(wire, message(content));
    expect(whole(events, false).message.content_blocks).toEqual(content);
    expect(whole(events, true).message).toEqual({ role: "assistant", content: "It is noon.", refusal: null });
    const streamed = claudeStream(
      wire,
      claudeStart(),
      opens(0, { ...search, input: {} }),
      adds(0, { type: "input_json_delta", partial_json: '{"query"' }),
      adds(0, { type: "input_json_delta", partial_json: ':"q"}' }),
      shuts(0),
      opens(1, found),
      shuts(1),
      opens(2, { type: "text", text: "" }),
      adds(2, { type: "text_delta", text: "It is " }),
      shuts(2),
      opens(3, { type: "text", text: "", citations: [] }),
      adds(3, { type: "text_delta", text: "noon." }),
      adds(3, { type: "citations_delta", citation }),
      shuts(3),
      ...claudeEnd(),
    );
    expect(whole(streamed, false).message.content_blocks).toEqual(content);
    expect(streamedBlocks(streamed)).toEqual([search, found, { text: "It is " }, { text: "noon.", citation }]);
    expect(deltas(streamed, true)).toEqual([{ content: "It is " }, { content: "noon." }, {}]);
  });
  test("that is there when its stream begins is not lost, nor why it ended", () => {
    const call = { type: "tool_use", id: "t", name: "now", input: { zone: "Z" } };
    const bare = { type: "tool_use", id: "u", name: "day", input: {} };
    const streamed = claudeStream(
      wire,
      claudeStart({ content: [{ type: "text", text: "Let me see." }, call, bare], stop_reason: "tool_use" }),
      ...claudeEnd(null),
    );
    expect(whole(streamed, true)).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        content: "Let me see.",
        tool_calls: [
          { id: "t", function: { name: "now", arguments: '{"zone":"Z"}' } },
          { id: "u", function: { name: "day", arguments: "{}" } },
        ],
      },
    });
  });
  test("goes on behind what was there when its stream began", () => {
    const streamed = claudeStream(
      wire,
      claudeStart({ content: [{ type: "tool_use", id: "t", name: "now", input: { a: 1 } }] }),
      opens(0, { type: "tool_use", id: "u", name: "day", input: {} }),
      adds(0, { type: "input_json_delta", partial_json: '{"b":2}' }),
      shuts(0),
      ...claudeEnd("tool_use"),
    );
    expect(collect(streamed).choices[0]?.tools).toEqual([
      { id: "t", name: "now", arguments: '{"a":1}' },
      { id: "u", name: "day", arguments: '{"b":2}' },
    ]);
  });
});

describe("a recorded answer of anthropic", () => {
  sayIfMissing();
  for (const path of recordings(["anthropic"], ".json"))
    test(`${path} keeps its blocks in their order, calls apart`, () => {
      const body = JSON.parse(recording(path)) as Json & { readonly content: readonly Json[] };
      const kept = body.content.filter(({ type, text }) => type !== "tool_use" && text !== "");
      expect(unmarked(whole(replied(ANTHROPIC, body), false).message.content_blocks ?? [])).toEqual(kept);
    });
});

describe("an answer of bedrock", () => {
  const answer = (content: readonly Json[]): Json => ({
    output: { message: { role: "assistant", content } },
    stopReason: "end_turn",
    usage: { inputTokens: 1, outputTokens: 1 },
  });
  const thought = (text: string): Json => ({ reasoningContent: { reasoningText: { text, signature: `s ${text}` } } });
  const stream = (...frames: readonly Uint8Array[]): StreamEvent[] =>
    eventsOf(adapterOf(BEDROCK).stream as never, frames, "aws-eventstream");
  const stop = frame("messageStop", { stopReason: "end_turn" });

  test("keeps the order of its blocks when it is whole and not strict", () =>
    expect(
      whole(replied(BEDROCK, answer([thought("A"), { text: "one" }, thought("B"), { text: "two" }])), false).message.content_blocks,
    ).toEqual([
      { type: "thinking", thinking: "A", signature: signedBy("messages", "s A") },
      { type: "text", text: "one" },
      { type: "thinking", thinking: "B", signature: signedBy("messages", "s B") },
      { type: "text", text: "two" },
    ]));
  test("keeps citations with the text they belong to, whole and streamed", () => {
    const citation = { title: "a", location: { web: { url: "https://example.org" } } };
    const events = replied(
      BEDROCK,
      answer([{ text: "It is " }, { citationsContent: { content: [{ text: "noon." }], citations: [citation] } }]),
    );
    const streamed = stream(
      frame("messageStart", { role: "assistant" }),
      frame("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "It is " } }),
      frame("contentBlockStop", { contentBlockIndex: 0 }),
      frame("contentBlockDelta", { contentBlockIndex: 1, delta: { text: "noon." } }),
      frame("contentBlockDelta", { contentBlockIndex: 1, delta: { citation } }),
      frame("contentBlockStop", { contentBlockIndex: 1 }),
      stop,
    );
    for (const told of [events, streamed]) {
      expect(whole(told, false).message.content_blocks).toEqual([
        { type: "text", text: "It is " },
        { type: "text", text: "noon.", citations: [citation] },
      ]);
      expect(whole(told, true).message.content).toBe("It is noon.");
    }
  });
  test("has its image", () =>
    expect(whole(replied(BEDROCK, answer([{ image: { format: "png", source: { bytes: "AAAA" } } }])), true).message.images).toEqual([
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
    ]));
  test.each([
    ["malformed_model_output", "content_filter"],
    ["malformed_tool_use", "content_filter"],
  ])("that was left out for %s did not stop", (stopReason, reason) =>
    expect(whole(replied(BEDROCK, { ...answer([{ text: "" }]), stopReason }), true).finish_reason).toBe(reason),
  );
});

const candidate = (parts: readonly Json[], more: Json = {}): Json => ({
  candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP", ...more }],
  responseId: "r",
  modelVersion: "g",
});

describe.each(named(GEMINI))("an answer of %s", (_name, wire) => {
  const streamed = (...bodies: Json[]): StreamEvent[] =>
    eventsOf(adapterOf(wire).stream as never, [
      new TextEncoder().encode(
        sseWire(
          bodies.map((body) => JSON.stringify(body)),
          {},
        ),
      ),
    ]);
  const IMAGE = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
  const parts = [{ text: "Here: " }, { inlineData: { mimeType: "image/png", data: "AAAA" } }, { text: "done" }];

  test("has its image, whole and streamed, strict and not", () => {
    for (const events of [replied(wire, candidate(parts)), streamed(candidate(parts))]) {
      expect(whole(events, true).message).toEqual({ role: "assistant", content: "Here: done", refusal: null, images: [IMAGE] });
      expect(whole(events, false).message).toMatchObject({
        images: [IMAGE],
        content_blocks: [{ type: "text", text: "Here: " }, IMAGE, { type: "text", text: "done" }],
      });
      expect(deltas(events, true)).toEqual([{ content: "Here: " }, { images: [{ index: 0, ...IMAGE }] }, { content: "done" }, {}]);
      expect(streamedBlocks(events)).toEqual([{ text: "Here: " }, IMAGE, { text: "done" }]);
    }
  });
  test("has its sound", () =>
    expect(
      whole(replied(wire, candidate([{ inlineData: { mimeType: "audio/L16;rate=24000", data: "AAAA" } }])), true).message,
    ).toMatchObject({ audio: { data: "AAAA" } }));
  test("has the code it ran", () => {
    const ran = [{ executableCode: { language: "PYTHON", code: "1" } }, { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } }];
    expect(whole(replied(wire, candidate(ran)), false).message.content_blocks).toEqual([
      { type: "executableCode", ...ran[0] },
      { type: "codeExecutionResult", ...ran[1] },
    ]);
  });
  test("has the log probabilities that were asked for", () => {
    const logprobsResult = {
      chosenCandidates: [{ token: "né", tokenId: 7, logProbability: -0.5 }],
      topCandidates: [
        {
          candidates: [
            { token: "né", logProbability: -0.5 },
            { token: "x", logProbability: -2 },
          ],
        },
      ],
    };
    const content = [
      {
        token: "né",
        logprob: -0.5,
        bytes: [110, 195, 169],
        top_logprobs: [
          { token: "né", logprob: -0.5, bytes: [110, 195, 169] },
          { token: "x", logprob: -2, bytes: [120] },
        ],
      },
    ];
    const body = candidate([{ text: "né" }], { logprobsResult });
    expect(whole(replied(wire, body), true).logprobs).toEqual({ content, refusal: null });
    expect(
      chunks(streamed(body), true)
        .map(({ logprobs }) => logprobs)
        .filter(isJson),
    ).toEqual([{ content, refusal: null }]);
    expect(whole(replied(wire, candidate([{ text: "a" }])), true).logprobs).toBeNull();
  });
  test("says what it rests on when it is not strict", () => {
    const grounded = {
      groundingMetadata: { webSearchQueries: ["q"] },
      citationMetadata: { citationSources: [{ uri: "https://example.org" }] },
      safetyRatings: [{ category: "C" }],
      urlContextMetadata: { urlMetadata: [] },
    };
    for (const events of [replied(wire, candidate([{ text: "a" }], grounded)), streamed(candidate([{ text: "a" }], grounded))]) {
      expect(whole(events, false)).toMatchObject(grounded);
      expect(Object.keys(whole(events, true)).sort()).toEqual(["finish_reason", "index", "logprobs", "message"]);
      expect(chunks(events, false).find((choice) => choice.groundingMetadata)).toMatchObject({ ...grounded, delta: {} });
      expect(chunks(events, true).some((choice) => "groundingMetadata" in choice)).toBeFalse();
    }
  });
  test.each([
    ["STOP", "stop"],
    ["MAX_TOKENS", "length"],
    ["SAFETY", "content_filter"],
    ["RECITATION", "content_filter"],
    ["MALFORMED_FUNCTION_CALL", "content_filter"],
    ["UNEXPECTED_TOOL_CALL", "content_filter"],
    ["TOO_MANY_TOOL_CALLS", "content_filter"],
    ["MALFORMED_RESPONSE", "content_filter"],
    ["MISSING_THOUGHT_SIGNATURE", "content_filter"],
    ["IMAGE_PROHIBITED_CONTENT", "content_filter"],
    ["IMAGE_RECITATION", "content_filter"],
    ["NO_IMAGE", "content_filter"],
    ["IMAGE_OTHER", "content_filter"],
    ["OTHER", "stop"],
    ["constructor", "stop"],
  ])("that ended by %s is told to have ended by %s", (finishReason, reason) => {
    const body = candidate([{ text: "a" }], { finishReason, finishMessage: "why" });
    for (const events of [replied(wire, body), streamed(body)]) {
      expect(whole(events, true)).toMatchObject({ finish_reason: reason });
      expect(whole(events, false)).toMatchObject({ finish_reason: finishReason, finish_message: "why" });
    }
  });
});
