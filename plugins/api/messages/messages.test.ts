import { describe, expect, test } from "bun:test";
import { type Collected, type EncodeOptions, isJson, type Json, type StreamEvent, UpstreamFailure } from "#contract";
import { collect } from "../../../core/pipeline/stream/fold.ts";
import { haveRecordings, recordedLines, recording, recordings, sayIfMissing, sseWire } from "../../../tests/kit/recordings.ts";
import { eventsOf, testStream } from "../../../tests/kit/stream.ts";
import { MESSAGES } from "../content/index.ts";
import { messages } from "./dialect.ts";
import { errorBody, failure } from "./failure.ts";

const OPTIONS: EncodeOptions = { id: "req-1", model: "asked", created: 7, usage: true, strict: true };
const LOOSE: EncodeOptions = { ...OPTIONS, strict: false };
const start: StreamEvent = { type: "start", id: "msg_1", model: "m" };
const finish: StreamEvent = { type: "finish", reason: "stop" };
const bytes = (wire: string): Uint8Array => new TextEncoder().encode(wire);

function wireOf(events: readonly StreamEvent[], options = OPTIONS): string {
  const encoder = messages.encode(options);
  return events.map((event) => encoder.event(event)).join("") + encoder.end();
}
const framesOf = (wire: string): Json[] =>
  wire.split("\n\n").flatMap((frame) => (frame === "" ? [] : [JSON.parse(frame.split("\ndata: ")[1] ?? "")]));
/** Blocks of a stream by their number, with what their pieces say; throws where two overlap. */
function blocksOf(wire: string): Json[] {
  const blocks: Json[] = [];
  let open: unknown = null;
  for (const { type, index, content_block, delta } of framesOf(wire)) {
    if (type === "content_block_start") {
      expect([open, index]).toEqual([null, blocks.length]);
      open = index;
      blocks.push({ ...(isJson(content_block) ? content_block : {}), said: "" });
    }
    if (type === "content_block_stop") open = expect(index).toBe(open) ?? null;
    if (type !== "content_block_delta" || !isJson(delta)) continue;
    expect(index).toBe(open);
    const block = blocks.at(-1) ?? {};
    if (typeof delta.signature === "string") block.signature = delta.signature;
    else block.said = String(block.said) + String(delta.text ?? delta.thinking ?? delta.partial_json);
  }
  return blocks;
}
const call = (index: number, piece: string, first?: Json): StreamEvent => ({ type: "tool", index, arguments: piece, ...first });

describe("a stream in the messages form", () => {
  test("has one block behind the other, in the order of the answer", () => {
    const wire = wireOf([
      start,
      { type: "reasoning", text: "hm" },
      { type: "reasoning", text: "", signature: "c2ln" },
      { type: "reasoning", text: "", redacted: "cmVk" },
      { type: "text", text: "One " },
      { type: "text", text: "moment." },
      call(0, '{"a":1}', { id: "t1", name: "f" }),
      { type: "text", text: "Done." },
      { type: "finish", reason: "tool_calls" },
    ]);
    expect(blocksOf(wire)).toMatchObject([
      { type: "thinking", said: "hm", signature: "c2ln" },
      { type: "redacted_thinking", data: "cmVk" },
      { type: "text", said: "One moment." },
      { type: "tool_use", id: "t1", name: "f", input: {}, said: '{"a":1}' },
      { type: "text", said: "Done." },
    ]);
    expect(
      framesOf(wire)
        .map(({ type }) => type)
        .slice(-2),
    ).toEqual(["message_delta", "message_stop"]);
  });
  test("tool calls that a provider writes at the same time do not overlap, and none loses a piece", () => {
    const wire = wireOf([
      start,
      call(0, "", { id: "t1", name: "f" }),
      call(1, "", { id: "t2", name: "g" }),
      call(1, '{"b":'),
      call(0, '{"a":'),
      { type: "text", text: "meanwhile" },
      call(1, "2}"),
      call(0, "1}"),
      { type: "finish", reason: "tool_calls" },
    ]);
    expect(blocksOf(wire)).toMatchObject([
      { type: "tool_use", id: "t1", said: '{"a":1}' },
      { type: "tool_use", id: "t2", said: '{"b":2}' },
      { type: "text", said: "meanwhile" },
    ]);
  });
  test("blanks behind the arguments of a call begin no other call", () => {
    const wire = wireOf([
      start,
      call(0, "{}", { id: "t1", name: "f" }),
      call(1, '{"b":2}', { id: "t2", name: "g" }),
      call(0, " "),
      { type: "finish", reason: "tool_calls" },
    ]);
    expect(blocksOf(wire)).toMatchObject([
      { id: "t1", said: "{}" },
      { id: "t2", said: '{"b":2}' },
    ]);
  });
  test("what waits for a call is told as soon as the call is whole, not at the end of the answer", () => {
    const encoder = messages.encode(OPTIONS);
    const encoded = (event: StreamEvent): string => encoder.event(event);
    encoded(start);
    encoded(call(0, '{"a":"}{', { id: "t1", name: "f" }));
    expect(encoded({ type: "text", text: "meanwhile" }) + encoded(call(1, '{"b":2}', { id: "t2", name: "g" }))).toBe("");
    const released = encoded(call(0, '\\""}'));
    expect(released).toContain('"text":"meanwhile"');
    expect(released).toContain('"id":"t2"');
  });
  test("a call whose arguments never end does not keep the rest of the answer: the answer ends as an error", () => {
    const encoder = messages.encode(OPTIONS);
    encoder.event(start);
    encoder.event(call(0, "{", { id: "t1", name: "f" }));
    const piece: StreamEvent = { type: "text", text: "x".repeat(100_000) };
    expect(() => Array.from({ length: 100 }, () => encoder.event(piece))).toThrow(SyntaxError);
    const small = messages.encode(OPTIONS);
    small.event(start);
    small.event(call(0, "{", { id: "t1", name: "f" }));
    expect(() => Array.from({ length: 200_000 }, () => small.event({ type: "text", text: "x" }))).toThrow(SyntaxError);
  });
  test("blanks behind a call that is over cost nothing, however long the call under way is", () => {
    const encoder = messages.encode(OPTIONS);
    const long = JSON.stringify({ text: "\n".repeat(1_000_000) });
    for (const event of [start, call(0, "{}", { id: "t1", name: "f" }), call(1, long, { id: "t2", name: "g" })]) encoder.event(event);
    const began = performance.now();
    for (let at = 0; at < 2_000; at += 1) expect(encoder.event(call(0, " "))).toBe("");
    expect(performance.now() - began).toBeLessThan(1_000); // 24 s, were the long call read for each of them
  });
  test("300 kB of arguments and a call without any arrive whole", () => {
    const long = JSON.stringify({ text: "x".repeat(300_000) });
    const pieces = long.match(/.{1,1000}/g) ?? [];
    const wire = wireOf([
      start,
      call(0, "", { id: "t1", name: "f" }),
      ...pieces.map((piece) => call(0, piece)),
      call(1, "", { id: "t2", name: "g" }),
      { type: "finish", reason: "tool_calls" },
    ]);
    expect(blocksOf(wire).map(({ said }) => said)).toEqual([long, ""]);
    const [first, second] = collect(eventsOf(messages.decode, [bytes(wire)])).choices[0]?.tools ?? [];
    expect([first?.arguments, second?.arguments]).toEqual([long, "{}"]);
  });
  test("tells usage and the reason at its end, and begins with both unknown", () => {
    const [first, ...rest] = framesOf(
      wireOf([start, finish, { type: "usage", usage: { input: 3, cacheRead: 2, output: 4, reasoning: 1 } }]),
    );
    expect(first).toMatchObject({ type: "message_start", message: { stop_reason: null, usage: { input_tokens: 0, output_tokens: 0 } } });
    expect(rest[0]).toMatchObject({
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { input_tokens: 3, cache_read_input_tokens: 2, output_tokens: 5, output_tokens_details: { thinking_tokens: 1 } },
    });
  });
  test("says what guardrails found in an event of its own, which is no part of the answer", () => {
    const note = messages.encode(OPTIONS).note({ hook_results: { before_request_hooks: [] } });
    expect(note).toBe('event: hook_results\ndata: {"hook_results":{"before_request_hooks":[]}}\n\n');
    const wire = wireOf([start, { type: "text", text: "Hi" }, finish]);
    expect(eventsOf(messages.decode, [bytes(note + wire + note)])).toEqual(eventsOf(messages.decode, [bytes(wire)]));
  });
  test.each<[string, readonly StreamEvent[], string]>([
    ["a plain end", [finish], "end_turn"],
    ["a stop sequence, in the provider's own words", [{ ...finish, native: "stop_sequence" }], "stop_sequence"],
    ["another vendor's words", [{ ...finish, native: "STOP" }], "end_turn"],
    ["a limit", [{ type: "finish", reason: "length", native: "max_tokens" }], "max_tokens"],
    ["a filter", [{ type: "finish", reason: "content_filter" }], "refusal"],
    ["a refusal", [{ type: "refusal", text: "No." }, finish], "refusal"],
    ["calls behind a plain stop", [call(0, "{}", { id: "t", name: "f" }), finish], "tool_use"],
  ])("%s is its reason to stop, whole and streamed", (_, events, reason) => {
    const all = [start, ...events];
    expect(framesOf(wireOf(all)).at(-2)).toMatchObject({ delta: { stop_reason: reason } });
    expect(messages.write(collect(all), OPTIONS)).toMatchObject({ stop_reason: reason });
  });
  test("a call's own signature is told to clients that do not insist on the strict form, and comes back", () => {
    const events = [start, call(0, "{}", { id: "t", name: "f", signature: "c2ln" }), { type: "finish", reason: "tool_calls" } as const];
    expect(blocksOf(wireOf(events))[0]).not.toHaveProperty("thought_signature");
    expect(blocksOf(wireOf(events, LOOSE))[0]).toMatchObject({ thought_signature: "c2ln" });
    const body = messages.write(collect(events), LOOSE);
    expect(collect(messages.read(body)).choices[0]?.tools[0]?.signature).toBe("c2ln");
    expect(collect(eventsOf(messages.decode, [bytes(wireOf(events, LOOSE))])).choices[0]?.tools[0]?.signature).toBe("c2ln");
  });
  test("blocks of the vendor's own, and what a text rests on, come back as they were", () => {
    const search = { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "q" } };
    const found = { type: "web_search_tool_result", tool_use_id: "s1", content: [] };
    const cited = { type: "char_location", cited_text: "x" };
    const events: readonly StreamEvent[] = [
      start,
      { type: "block", block: search },
      { type: "block", block: found },
      { type: "text", text: "One." },
      { type: "text", text: "", begins: true },
      { type: "citation", citation: cited },
      { type: "text", text: "Two." },
      { type: "text", text: "", begins: true },
      { type: "text", text: "Three." },
      finish,
    ];
    const content = [
      search,
      found,
      { type: "text", text: "One." },
      { type: "text", text: "Two.", citations: [cited] },
      { type: "text", text: "Three." },
    ];
    expect(messages.write(collect(events), OPTIONS)["content"]).toEqual(content);
    const answer = collect(eventsOf(messages.decode, [bytes(wireOf(events))]));
    expect(messages.write(answer, OPTIONS)["content"]).toEqual(content);
    expect(collect(messages.judged.events(answer, messages.judged.body(answer)))).toEqual(answer);
  });
  test("a broken argument text is not lost in a whole answer", () => {
    const answer = collect([start, call(0, '{"a":', { id: "t", name: "f" }), finish]);
    expect(messages.write(answer, OPTIONS)["content"]).toMatchObject([{ type: "tool_use", input: { INVALID_JSON: '{"a":' } }]);
  });
});

describe("the messages wire", () => {
  const wire = wireOf([
    start,
    { type: "text", text: "Hi there" },
    call(0, '{"a":1}', { id: "t", name: "f" }),
    { type: "finish", reason: "tool_calls" },
    { type: "usage", usage: { input: 3, output: 4 } },
  ]);
  testStream("of our own", messages.decode, wire);

  test("read from its middle tells its texts, its end and its usage", () => {
    const tail = wire.slice(wire.indexOf("event: content_block_delta"));
    const { choices, usage } = collect(eventsOf(messages.decode, [bytes(tail)]));
    expect([choices[0]?.text, choices[0]?.finish, choices[0]?.tools[0]?.arguments]).toEqual(["Hi there", "tool_calls", '{"a":1}']);
    expect(usage).toMatchObject({ input: 3, output: 4 });
    const inArguments = wire.slice(wire.lastIndexOf("event: content_block_delta"));
    expect(collect(eventsOf(messages.decode, [bytes(inArguments)])).choices[0]?.tools[0]?.arguments).toBe('{"a":1}');
  });
  test("a first event that comes twice begins one answer; another answer inside it is an error", () => {
    const [first = "", ...rest] = wire.split("\n\n");
    expect(eventsOf(messages.decode, [bytes([first, first, ...rest].join("\n\n"))])).toEqual(eventsOf(messages.decode, [bytes(wire)]));
    const other = first.replace("msg_1", "msg_2");
    expect(() => eventsOf(messages.decode, [bytes([first, other, ...rest].join("\n\n"))])).toThrow(/msg_2.*msg_1/);
  });
  test("an answer that its first event brings is read: a call that another call's code made", () => {
    const content = [{ type: "tool_use", id: "t", name: "f", input: { a: 1 } }];
    const lines = [
      {
        type: "message_start",
        message: { id: "a", model: "m", content, stop_reason: "tool_use", usage: { input_tokens: 3, output_tokens: 1 } },
      },
      { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "u", name: "g", input: {} } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: null }, usage: { output_tokens: 5 } },
      { type: "message_stop" },
    ].map((line) => JSON.stringify(line));
    const { choices, usage } = collect(eventsOf(messages.decode, [bytes(sseWire(lines, { named: true }))]));
    expect(choices).toEqual([
      {
        text: "",
        reasoning: [],
        tools: [
          { id: "t", name: "f", arguments: '{"a":1}' },
          { id: "u", name: "g", arguments: "{}" },
        ],
        finish: "tool_calls",
        native: "tool_use",
      },
    ]);
    expect(usage).toEqual({ input: 3, output: 5 });
  });
  test("the text that stopped an answer comes back, whole and streamed", () => {
    const body = { ...messages.write(collect([start, finish]), OPTIONS), stop_reason: "stop_sequence", stop_sequence: "END" };
    const answer = collect(messages.read(body));
    expect(messages.write(answer, OPTIONS)).toMatchObject({ stop_reason: "stop_sequence", stop_sequence: "END" });
    const streamed = wireOf(messages.read(body));
    expect(framesOf(streamed).at(-2)).toMatchObject({ delta: { stop_reason: "stop_sequence", stop_sequence: "END" } });
    expect(collect(eventsOf(messages.decode, [bytes(streamed)]))).toEqual(answer);
    expect(collect(messages.judged.events(answer, messages.judged.body(answer)))).toEqual(answer);
  });
  test("a picture that another vendor's model made is a block of the answer, whole and streamed", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
    const events: readonly StreamEvent[] = [
      start,
      { type: "text", text: "Look" },
      { type: "media", url: "data:image/png;base64,AAAA" },
      finish,
    ];
    expect(messages.write(collect(events), OPTIONS)["content"]).toEqual([{ type: "text", text: "Look" }, image]);
    expect(blocksOf(wireOf(events))).toMatchObject([{ said: "Look" }, image]);
    expect(MESSAGES.output?.(messages.write(collect(events), OPTIONS)).map(({ kind }) => kind)).toEqual(["text", "image"]);
    expect(messages.write(collect([start, { type: "media", url: "https://a.example/x.pdf" }, finish]), OPTIONS)["content"]).toEqual([
      { type: "document", source: { type: "url", url: "https://a.example/x.pdf" } },
    ]);
  });
  test("a block of the vendor's own that does not end is not kept without end", () => {
    const state = messages.decode.start();
    const piece = (data: Json): readonly StreamEvent[] => messages.decode.event({ event: "", data: JSON.stringify(data) }, state);
    piece({ type: "content_block_start", index: 0, content_block: { type: "server_tool_use", id: "s", name: "web_search", input: {} } });
    const delta = { type: "input_json_delta", partial_json: "x".repeat(100_000) };
    expect(() => Array.from({ length: 100 }, () => piece({ type: "content_block_delta", index: 0, delta }))).toThrow(SyntaxError);
  });
  test("cache writes of an hour are told apart by the first report, and stay so in the last", () => {
    const usage = { input_tokens: 1, cache_creation_input_tokens: 10, cache_read_input_tokens: 0, output_tokens: 1 };
    const begun = {
      type: "message_start",
      message: { id: "m", model: "m", usage: { ...usage, cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 6 } } },
    };
    const ended = { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { ...usage, output_tokens: 9 } };
    const events = eventsOf(messages.decode, [
      bytes(
        sseWire(
          [begun, ended].map((line) => JSON.stringify(line)),
          { named: true },
        ),
      ),
    ]);
    expect(collect(events).usage).toEqual({ input: 1, cacheRead: 0, cacheWrite5m: 4, cacheWrite1h: 6, output: 9 });
  });
  test("what is no message is no answer", () => {
    for (const body of [{}, { content: "text" }, { content: null }]) {
      expect(() => messages.read(body)).toThrow(SyntaxError);
      expect(() => messages.usage?.(body)).toThrow(SyntaxError);
    }
    expect(() => messages.read({ type: "error", error: { type: "overloaded_error", message: "no" } })).toThrow(UpstreamFailure);
  });
});

sayIfMissing();
describe.skipIf(!haveRecordings)("recorded streams", () => {
  for (const path of recordings(["anthropic"], ".chunks.txt").filter((name) => !name.includes("spliced"))) {
    const wire = sseWire(recordedLines(path), { named: true });
    testStream(path, messages.decode, wire);
    test(`${path}: written again, it says the same`, () => {
      const events = eventsOf(messages.decode, [bytes(wire)]);
      expect(answerOf(collect(eventsOf(messages.decode, [bytes(wireOf(events))])))).toEqual(answerOf(collect(events)));
    });
  }
});
describe.skipIf(!haveRecordings)("recorded answers", () => {
  test.each(recordings(["anthropic"], ".json").map((path) => [path] as const))(
    "%s: written again, its blocks stand in their order",
    (path) => {
      const body = JSON.parse(recording(path)) as Json;
      const { content } = messages.write(collect(messages.read(body)), OPTIONS);
      const blocks = Array.isArray(body["content"]) ? body["content"].filter(isJson) : [];
      const isCall = ({ type }: Json): boolean => type === "tool_use"; // they stand last
      const inOrder = [...blocks.filter((block) => !isCall(block)), ...blocks.filter(isCall)];
      expect(inOrder.length).toBeGreaterThan(0);
      expect(content).toMatchObject(
        inOrder.map(({ caller: _caller, ...block }) => (block["citations"] === null ? { ...block, citations: undefined } : block)),
      );
    },
  );
});
/** What does not depend on which counts a vendor leaves out. */
const answerOf = ({ id, model, choices }: Collected): unknown => ({ id, model, choices });

describe("errors", () => {
  test.each([
    [400, "some_type", "invalid_request_error"],
    [401, "x", "authentication_error"],
    [402, "x", "billing_error"],
    [403, "x", "permission_error"],
    [404, "invalid_request_error", "invalid_request_error"],
    [404, "x", "not_found_error"],
    [408, "timeout", "timeout_error"],
    [413, "x", "request_too_large"],
    [422, "x", "invalid_request_error"],
    [429, "x", "rate_limit_error"],
    [446, "hooks_failed", "hooks_failed"],
    [502, "x", "api_error"],
    [529, "x", "overloaded_error"],
  ])("%d of the type %s is %s", (status, type, shownType) => {
    const body = errorBody({ message: "no", type, param: "p", code: "c" }, status, { provider: "acme" });
    expect(body).toEqual({ type: "error", error: { type: shownType, message: "no" }, provider: "acme" });
  });
});

test("what else an error says is told beside the rest, and read again", () => {
  const extra = { details: { error_code: "credit" } };
  const body = errorBody({ message: "no", type: "api_error", param: null, code: null, extra }, 500);
  expect(body).toEqual({ type: "error", error: { ...extra, type: "api_error", message: "no" } });
  expect(failure(body).error).toMatchObject({ message: "no", extra });
});

describe("an answer as guardrails see it", () => {
  const answer = collect([
    start,
    { type: "reasoning", text: "a secret", signature: "c2ln" },
    { type: "text", text: "the secret" },
    call(0, '{"a":"secret"}', { id: "t", name: "f", signature: "cw" }),
    { type: "finish", reason: "tool_calls" },
    { type: "usage", usage: { input: 1, output: 2 } },
  ]);
  const body = messages.judged.body(answer);
  test("unchanged, it is the answer again", () => expect(collect(messages.judged.events(answer, body))).toEqual(answer));
  test("has its text where its path says", () => {
    expect(messages.judged.path(0, "text")).toBe("content[0].text");
    expect(body["content"]).toMatchObject([{ text: "the secret" }, { thinking: "a secret" }, { name: "f" }]);
  });
  const changedTo = (change: (blocks: readonly Json[]) => readonly Json[], of = answer) => {
    const seen = messages.judged.body(of);
    const blocks = Array.isArray(seen["content"]) ? seen["content"].filter(isJson) : [];
    return collect(messages.judged.events(of, { ...seen, content: change(blocks) })).choices[0];
  };
  test("a thought that alone was changed is told as it was changed, and the text keeps what it rests on", () => {
    const citation = { type: "char_location", cited_text: "x" };
    const cited = collect([
      start,
      { type: "reasoning", text: "a secret", signature: "c2ln" },
      { type: "citation", citation },
      { type: "text", text: "Hi" },
      finish,
    ]);
    const choice = changedTo(
      (blocks) => blocks.map((block) => (block.type === "thinking" ? { ...block, thinking: "a word" } : block)),
      cited,
    );
    expect(choice).toMatchObject({ text: "Hi", reasoning: [{ text: "a word" }] });
    expect(choice?.reasoning[0]).not.toHaveProperty("signature");
    expect(choice?.marks).toContainEqual({ type: "citation", citation, at: 0 });
  });
  test("a thought that was taken out is not told", () =>
    expect(changedTo((blocks) => blocks.filter(({ type }) => type !== "thinking"))).toMatchObject({ text: "the secret", reasoning: [] }));
  test("a call that was taken out leaves the others their ids and signatures", () => {
    const second = { type: "tool", index: 1, id: "u", name: "g", arguments: "{}", signature: "dQ" } as const;
    const two = collect([start, call(0, "{}", { id: "t", name: "f", signature: "cw" }), second, { type: "finish", reason: "tool_calls" }]);
    const { tools } = changedTo((blocks) => blocks.filter(({ name }) => name !== "f"), two) ?? {};
    expect(tools).toEqual([{ id: "u", name: "g", arguments: "{}", signature: "dQ" }]);
  });
  test.each<[string, readonly StreamEvent[]]>([
    ["calls without a text", [{ type: "reasoning", text: "hm" }, call(0, "{}", { id: "t", name: "f" })]],
    [
      "a text and a refusal",
      [
        { type: "reasoning", text: "hm" },
        { type: "text", text: "Hi" },
        { type: "refusal", text: "No." },
      ],
    ],
  ])("every text stands where its path says: %s", (_, events) => {
    const of = collect([start, ...events, finish]);
    const found = MESSAGES.output?.(messages.judged.body(of)) ?? [];
    const pathOf = (text: string): string | undefined => found.find((segment) => segment.text === text)?.path;
    expect(pathOf("hm")).toBe(messages.judged.path(0, "reasoning"));
    for (const event of events)
      if (event.type === "text" || event.type === "refusal") expect(pathOf(event.text)).toBe(messages.judged.path(0, event.type));
  });
  test("changed, it says the changed words; a changed thought loses its signature, a call keeps its own", () => {
    const changed = JSON.parse(JSON.stringify(body).replaceAll("secret", "[removed]")) as Json;
    expect(collect(messages.judged.events(answer, changed)).choices).toEqual([
      {
        text: "the [removed]",
        reasoning: [{ text: "a [removed]" }],
        tools: [{ id: "t", name: "f", arguments: '{"a":"[removed]"}', signature: "cw" }],
        finish: "tool_calls",
      },
    ]);
  });
});
