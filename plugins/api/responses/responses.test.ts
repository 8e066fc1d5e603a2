import { describe, expect, test } from "bun:test";
import {
  type Collected,
  type EncodeOptions,
  isJson,
  type Json,
  packThought,
  type StreamEvent,
  unpackThought,
  UpstreamFailure,
} from "#contract";
import { collect } from "../../../core/pipeline/stream/fold.ts";
import { haveRecordings, recordedLines, recording, recordings, sayIfMissing, sseWire } from "../../../tests/kit/recordings.ts";
import { eventsOf, testStream } from "../../../tests/kit/stream.ts";
import { object, objects } from "../content/wire.ts";
import { responses } from "./dialect.ts";
import { owned } from "./owned.ts";
import { itemId, itemRefOf } from "./output/item-id.ts";
import { echoOf } from "./response.ts";

const OPTIONS: EncodeOptions = { id: "0a1b-2c", model: "asked", created: 7, usage: true, strict: true, translated: true };
const LOOSE: EncodeOptions = { ...OPTIONS, strict: false };
const NATIVE: EncodeOptions = { id: "0a1b-2c", model: "asked", created: 7, usage: true, strict: true };
const start: StreamEvent = { type: "start", id: "msg_1", model: "m" };
const finish: StreamEvent = { type: "finish", reason: "stop" };
const bytes = (wire: string): Uint8Array => new TextEncoder().encode(wire);
const call = (index: number, piece: string, first?: Json): StreamEvent => ({ type: "tool", index, arguments: piece, ...first });

function wireOf(events: readonly StreamEvent[], options = OPTIONS): string {
  const encoder = responses.encode(options);
  return events.map((event) => encoder.event(event)).join("") + encoder.end();
}
const framesOf = (wire: string): Json[] =>
  wire.split("\n\n").flatMap((frame) => {
    if (frame === "") return [];
    const [name, data = ""] = frame.split("\ndata: ");
    const event = JSON.parse(data) as Json;
    expect(name).toBe(`event: ${String(event.type)}`);
    return [event];
  });

/** The output that the events of a stream build up, piece by piece; throws where one names what has not begun, or ends twice. */
function built(wire: string): Json[] {
  const items: Json[] = [];
  const done = new Set<number>();
  let number = 0;
  for (const event of framesOf(wire)) {
    expect(event.sequence_number).toBe(number++);
    const at = Number(event.output_index);
    if (event.type === "response.output_item.added") {
      expect(at).toBe(items.length);
      items.push({ ...object(event.item) });
    }
    if (event.output_index === undefined) continue;
    expect(done.has(at)).toBeFalse();
    const item = items[at] ?? expect.unreachable();
    if (event.item_id !== undefined) expect(event.item_id).toEqual(item.id ?? null);
    if (event.type === "response.content_part.added") item.content = [...objects(item.content), { ...object(event.part) }];
    if (event.type === "response.reasoning_summary_part.added") item.summary = [{ ...object(event.part) }];
    if (typeof event.delta === "string") addDelta(item, event);
    if (event.type !== "response.output_item.done") continue;
    done.add(at);
    expectBuilt(item, object(event.item));
  }
  expect(done.size).toBe(items.length);
  return items;
}
function addDelta(item: Json, { type, delta, content_index }: Json): void {
  const into = {
    "response.output_text.delta": [objects(item.content)[Number(content_index)], "text"],
    "response.refusal.delta": [objects(item.content)[Number(content_index)], "refusal"],
    "response.reasoning_summary_text.delta": [objects(item.summary)[0], "text"],
    "response.function_call_arguments.delta": [item, "arguments"],
    "response.custom_tool_call_input.delta": [item, "input"],
  }[String(type)] as [Json, string] | undefined;
  const [holder, member] = into ?? expect.unreachable(String(type));
  holder[member] = String(holder[member]) + String(delta);
}
/** The pieces say what the end of the item says; what comes at the end only is taken over. */
function expectBuilt(item: Json, whole: Json): void {
  const texts = (of: Json): unknown => [
    of.arguments,
    of.input,
    objects(of.content).map(({ text, refusal }) => [text, refusal]),
    objects(of.summary).map(({ text }) => text),
  ];
  expect(texts(item)).toEqual(texts(whole));
  Object.assign(item, whole);
}
const last = (wire: string): Json => framesOf(wire).at(-1) ?? expect.unreachable();
const typesOf = (wire: string): unknown[] => framesOf(wire).map(({ type }) => String(type).replace("response.", ""));

describe("a stream in the responses form", () => {
  const thinks: readonly StreamEvent[] = [
    start,
    { type: "reasoning", text: "hm" },
    { type: "reasoning", text: "", signature: "c2ln" },
    { type: "reasoning", text: "", redacted: "cmVk" },
    { type: "text", text: "One " },
    { type: "text", text: "moment." },
    call(0, '{"a":', { id: "t1", name: "f" }),
    call(0, "1}"),
    { type: "finish", reason: "tool_calls" },
    { type: "usage", usage: { input: 3, cacheRead: 2, output: 4, reasoning: 1 } },
  ];
  test("tells of each item from its beginning to its end, in the order of the answer", () => {
    const wire = wireOf(thinks);
    expect(typesOf(wire)).toEqual([
      ...["created", "in_progress"],
      ...["output_item.added", "reasoning_summary_part.added", "reasoning_summary_text.delta", "reasoning_summary_text.done"],
      ...["reasoning_summary_part.done", "output_item.done"],
      ...["output_item.added", "output_item.done"],
      ...["output_item.added", "content_part.added", "output_text.delta", "output_text.delta", "output_text.done", "content_part.done"],
      "output_item.done",
      ...["output_item.added", "function_call_arguments.delta", "function_call_arguments.delta", "function_call_arguments.done"],
      "output_item.done",
      "completed",
    ]);
    const items = built(wire);
    expect(items).toMatchObject([
      { type: "reasoning", summary: [{ type: "summary_text", text: "hm" }] },
      { type: "reasoning", summary: [] },
      { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "One moment.", annotations: [] }] },
      { type: "function_call", status: "completed", call_id: "t1", name: "f", arguments: '{"a":1}' },
    ]);
    expect(items.slice(0, 2).map(({ encrypted_content }) => unpackThought(encrypted_content))).toEqual([
      { signature: "c2ln" },
      { redacted: "cmVk" },
    ]);
    expect(new Set(items.map(({ id }) => id)).size).toBe(4);
    expect(last(wire).response).toMatchObject({ id: "resp_gw_0a1b2c", object: "response", status: "completed", model: "m", output: items });
  });
  test("a whole answer holds the same items as its stream", () => {
    const { output, usage } = responses.write(collect(thinks), OPTIONS);
    expect(output).toEqual(built(wireOf(thinks)));
    expect(usage).toEqual({
      input_tokens: 5,
      input_tokens_details: { cached_tokens: 2, cache_write_tokens: 0 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 1 },
      total_tokens: 10,
    });
  });
  test("calls that a provider writes at the same time keep their pieces apart", () => {
    const wire = wireOf([
      start,
      call(0, "", { id: "t1", name: "f" }),
      call(1, "", { id: "t2", name: "g" }),
      call(1, '{"b":'),
      call(0, '{"a":'),
      { type: "text", text: "meanwhile" },
      call(1, "2}"),
      call(0, "1}"),
      call(0, " "),
      { type: "finish", reason: "tool_calls" },
    ]);
    expect(built(wire)).toMatchObject([
      { call_id: "t1", arguments: '{"a":1} ' },
      { call_id: "t2", arguments: '{"b":2}' },
      { content: [{ text: "meanwhile" }] },
    ]);
  });
  test("hundreds of calls that are not whole yet cost the items behind them nothing", () => {
    const calls = Array.from({ length: 600 }, (_, index) => call(index, `{"text":"${"x".repeat(4_000)}`, { id: `t${index}`, name: "f" }));
    const ends = calls.map((_, index) => call(index, '"}'));
    const began = performance.now();
    const wire = wireOf([start, ...calls, ...ends, { type: "finish", reason: "tool_calls" }]);
    expect(performance.now() - began).toBeLessThan(1_000); // several seconds, were all of them parsed for each
    expect(built(wire).map(({ arguments: args }) => String(args).length)).toEqual(calls.map(() => 4_011));
  });
  test("an answer whose end would write too much, or too many items, is broken off", () => {
    const long: readonly StreamEvent[] = [
      start,
      ...Array.from({ length: 26 }, () => ({ type: "text", text: "x".repeat(100_000) }) as const),
    ];
    expect(() => wireOf(long)).toThrow("it says more than 2500000 characters");
    expect(() => responses.write(collect(long), OPTIONS)).toThrow("it says more than 2500000 characters");
    const calls = Array.from({ length: 4_097 }, (_, index) => call(index, "{}", { id: `t${index}`, name: "f" }));
    expect(() => wireOf([start, ...calls])).toThrow("it holds more than 4096 items");
  });
  test("of what was asked it repeats a million characters; longer tools by their names", () => {
    const tools = [{ type: "custom", name: "sql", description: "x".repeat(2_000_000) }];
    expect(echoOf({ tools, instructions: "x".repeat(2_000_000), user: "u" })).toMatchObject({
      tools: [{ type: "custom", name: "sql" }],
      instructions: null,
      user: "u",
    });
    expect(echoOf({ instructions: "x".repeat(1_000_000) })["instructions"]).toHaveLength(1_000_000);
  });
  test("300 kB of arguments arrive whole, and a call without any has an empty object", () => {
    const long = JSON.stringify({ text: "x".repeat(300_000) });
    const pieces = long.match(/.{1,1000}/g) ?? [];
    const wire = wireOf([
      start,
      call(0, "", { id: "t1", name: "f" }),
      ...pieces.map((piece) => call(0, piece)),
      call(1, "", { id: "t2", name: "g" }),
      { type: "finish", reason: "tool_calls" },
    ]);
    expect(built(wire).map((item) => item.arguments)).toEqual([long, "{}"]);
    expect(collect(eventsOf(responses.decode, [bytes(wire)])).choices[0]?.tools.map(({ arguments: args }) => args)).toEqual([long, "{}"]);
  });
  test("a custom tool's text is read out of its function's arguments", () => {
    const options = { ...OPTIONS, echo: echoOf({ tools: [{ type: "custom", name: "sql" }] }) };
    const input = 'SELECT "a"\n-- 😀';
    const events = [start, call(0, '{"input":', { id: "t1", name: "sql" }), call(0, `${JSON.stringify(input)}}`), finish];
    const wire = wireOf(events, options);
    expect(built(wire)).toMatchObject([{ type: "custom_tool_call", call_id: "t1", name: "sql", input }]);
    expect(typesOf(wire).slice(2, -1)).toEqual([
      "output_item.added",
      "custom_tool_call_input.delta",
      "custom_tool_call_input.done",
      "output_item.done",
    ]);
    const [read] = collect(eventsOf(responses.decode, [bytes(wire)])).choices[0]?.tools ?? [];
    expect(JSON.parse(read?.arguments ?? "")).toEqual({ input });
    expect(responses.write(collect(events), options).output).toMatchObject([{ type: "custom_tool_call", input }]);
  });
  test("a tool call's signature is an item of its own before it", () => {
    const wire = wireOf([start, call(0, "{}", { id: "t1", name: "f", signature: "c2ln" }), finish]);
    const [thought, made] = built(wire);
    expect(unpackThought(thought?.encrypted_content)).toEqual({ signature: "c2ln", call: "t1" });
    expect(made).toMatchObject({ type: "function_call", call_id: "t1" });
  });
  test("refusals, citations, log probabilities and images have their places", () => {
    const token = { token: "Hi", logprob: -0.1, bytes: [72, 105], top_logprobs: [] };
    const events: StreamEvent[] = [
      start,
      { type: "citation", citation: { type: "web_search_result_location", url: "https://a.example", title: "A", cited_text: "a" } },
      { type: "citation", citation: { type: "char_location", cited_text: "a", document_index: 0 } },
      { type: "text", text: "Hi" },
      { type: "logprobs", tokens: [token] },
      { type: "media", url: "data:image/png;base64,aGk=" },
      { type: "refusal", text: "No." },
      { type: "finish", reason: "content_filter" },
    ];
    const annotation = { type: "url_citation", url: "https://a.example", title: "A", start_index: 0, end_index: 2 };
    const wire = wireOf(events);
    expect(built(wire)).toMatchObject([
      { type: "message", content: [{ type: "output_text", text: "Hi", annotations: [annotation], logprobs: [token] }] },
      { type: "image_generation_call", status: "completed", result: "aGk=" },
      { type: "message", status: "incomplete", content: [{ type: "refusal", refusal: "No." }] },
    ]);
    expect(framesOf(wire).find(({ type }) => type === "response.output_text.annotation.added")).toMatchObject({
      annotation,
      annotation_index: 0,
    });
    expect(built(wireOf(events, LOOSE))[0]).toMatchObject({ content: [{ annotations: [annotation, { type: "char_location" }] }] });
    expect(last(wire)).toMatchObject({
      type: "response.incomplete",
      response: { status: "incomplete", incomplete_details: { reason: "content_filter" } },
    });
  });
  test("an answer cut by its length is incomplete, and so is the item that was under way", () => {
    const events: StreamEvent[] = [start, { type: "text", text: "a" }, { type: "finish", reason: "length" }];
    const wire = wireOf(events);
    expect(last(wire)).toMatchObject({
      type: "response.incomplete",
      response: { status: "incomplete", incomplete_details: { reason: "max_output_tokens" }, output: [{ status: "incomplete" }] },
    });
    expect(responses.write(collect(events), OPTIONS)).toMatchObject({ status: "incomplete", output: [{ status: "incomplete" }] });
  });
  test("repeats what was asked, or what holds where nothing was said", () => {
    const tools = [{ type: "function", name: "f", parameters: {}, strict: true }];
    const asked = {
      instructions: "Be brief.",
      tools,
      tool_choice: "required",
      metadata: { a: "b" },
      temperature: 0.5,
      reasoning: { effort: "low" },
      truncation: "auto",
    };
    expect(responses.write(collect([start, finish]), { ...OPTIONS, echo: echoOf(asked) })).toMatchObject({
      ...asked,
      reasoning: { effort: "low", summary: null },
      parallel_tool_calls: true,
      top_p: 1,
      error: null,
      incomplete_details: null,
      text: { format: { type: "text" } },
    });
    expect(framesOf(wireOf([start, finish]))[0]).toMatchObject({
      type: "response.created",
      response: { id: "resp_gw_0a1b2c", created_at: 7, status: "in_progress", instructions: null, tools: [], output: [], usage: null },
    });
  });
  test("an error in mid-stream is an event, and the end of the response that failed", () => {
    const error = { message: "Too much.", type: "rate_limit_error", param: null, code: "rate_limit_exceeded" };
    const encoder = responses.encode(OPTIONS);
    const wire = encoder.event(start) + encoder.event({ type: "text", text: "Hi" }) + encoder.error(error);
    expect(framesOf(wire).slice(-2)).toMatchObject([
      { type: "error", code: "rate_limit_exceeded", message: "Too much.", param: null },
      { type: "response.failed", response: { status: "failed", error: { code: "rate_limit_exceeded", message: "Too much." } } },
    ]);
    expect(typesOf(responses.encode(OPTIONS).error(error))).toEqual(["error"]);
  });
});

describe("a provider's own responses", () => {
  const answer: Json = {
    id: "resp_1",
    object: "response",
    created_at: 9,
    model: "gpt",
    status: "completed",
    output: [
      { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "gAAA" },
      { id: "ws_1", type: "web_search_call", status: "completed", action: { type: "search", query: "q" } },
      { id: "msg_1", type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi", annotations: [] }] },
      { id: "fc_1", type: "function_call", call_id: "call_1", name: "f", arguments: "{}" },
    ],
    usage: {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 4 },
      output_tokens: 8,
      output_tokens_details: { reasoning_tokens: 3 },
    },
  };
  const collected: Collected = collect(responses.read(answer));

  test("tell their thoughts, tools, text and usage", () => {
    expect([collected.id, collected.model, collected.created, collected.usage]).toEqual([
      "resp_1",
      "gpt",
      9,
      { input: 6, cacheRead: 4, output: 5, reasoning: 3 },
    ]);
    expect(collected.choices[0]).toMatchObject({
      text: "Hi",
      reasoning: [{ text: "hm", signature: "signedby:responses:gAAA" }],
      finish: "tool_calls",
    });
    expect(responses.usage?.(answer)).toEqual(collected.usage);
  });
  test("written anew, as after a guardrail's patch, keep their id, what they encrypted and their own tools' items", () => {
    const written = responses.write(collected, NATIVE);
    expect(written).toMatchObject({ id: "resp_1", created_at: 9 });
    expect(written.output).toMatchObject([
      { type: "reasoning", encrypted_content: "gAAA" },
      { id: "ws_1", type: "web_search_call" },
      { type: "message", content: [{ text: "Hi" }] },
      { type: "function_call", call_id: "call_1" },
    ]);
  });
  test("that failed, or that are no answer, say why", () => {
    const failing = (data: Json): unknown => {
      try {
        return eventsOf(responses.decode, [bytes(`event: ${String(data.type)}\ndata: ${JSON.stringify(data)}\n\n`)]);
      } catch (thrown) {
        return thrown;
      }
    };
    const failed = failing({ type: "response.failed", response: { error: { code: "rate_limit_exceeded", message: "Slow down." } } });
    expect(failed).toBeInstanceOf(UpstreamFailure);
    expect(failed).toMatchObject({ status: 429, error: { message: "Slow down.", code: "rate_limit_exceeded" } });
    expect(failing({ type: "error", code: "server_error", message: "Oh.", param: null, sequence_number: 1 })).toMatchObject({
      status: 500,
      error: { message: "Oh.", type: "server_error", code: "server_error" },
    });
    expect(() => responses.read({ error: { message: "no", type: "invalid_request_error" } })).toThrow("no");
    expect(() => responses.read({ object: "response" })).toThrow("no list of output items");
    expect(() => responses.usage?.({})).toThrow();
  });
  test("a second response inside the first is an error of the stream", () => {
    const created = (id: string): string => `data: ${JSON.stringify({ type: "response.created", response: { id } })}\n\n`;
    expect(() => eventsOf(responses.decode, [bytes(created("resp_1") + created("resp_2"))])).toThrow("resp_2");
  });
  test("of an event too long to be read whole, the end and the usage are", () => {
    const tail = `${"x".repeat(100)}"}],"usage":{"input_tokens":3,"output_tokens":4},"metadata":{}}}`;
    expect(responses.terminal?.ofLong("response.completed", tail)).toEqual([
      { type: "finish", reason: "stop" },
      { type: "usage", usage: { input: 3, output: 4 } },
    ]);
  });
});

describe("a failed answer too long to be read whole", () => {
  const failed = (response: Json): unknown => {
    const tail = JSON.stringify({ type: "response.failed", response: { ...response, usage: null } }).slice(20);
    try {
      return responses.terminal?.ofLong("response.failed", tail);
    } catch (thrown) {
      return UpstreamFailure.is(thrown) ? [thrown.status, thrown.error.code, thrown.error.message] : thrown;
    }
  };
  const error = { code: "rate_limit_exceeded", message: 'Too much: {"error":{"message":"x"}} "}' };
  const tools = [{ parameters: { properties: { error: { type: "object", message: { type: "string" } } } } }];
  test("is a failure, by its error where that stands near the end", () => {
    expect(failed({ error, instructions: 'say "error":{"message":"no"}', tools })).toEqual([429, "rate_limit_exceeded", error.message]);
    expect(failed({ tools })).toEqual([502, null, "The provider reported an error without a message."]);
  });
});

describe("a judged answer", () => {
  const answer = collect([
    start,
    { type: "reasoning", text: "hm", signature: "s" },
    { type: "text", text: "a secret" },
    { type: "block", block: { id: "ws_1", type: "web_search_call", action: { query: "secret" } } },
    call(0, '{"a":1}', { id: "t1", name: "f" }),
    { type: "finish", reason: "tool_calls" },
  ]);
  const { body, path, events } = responses.judged;
  const at = (where: string): unknown =>
    where.match(/[^.[\]]+/g)?.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], body(answer));

  test("has its texts where guardrails are told that they stand", () => {
    expect([at(path(0, "text")), at(path(0, "reasoning"))]).toEqual(["a secret", "hm"]);
    const refused = body(collect([start, { type: "refusal", text: "No." }, finish]));
    expect(refused.output).toMatchObject([{ content: [{ type: "refusal", refusal: "No." }] }, { summary: [] }]);
    expect(path(0, "refusal")).toBe("output[0].content[0].refusal");
  });
  test("that nobody changed is the same, and a changed thought loses its signature", () => {
    expect(collect(events(answer, body(answer)))).toEqual(answer);
    const changed = JSON.parse(JSON.stringify(body(answer)).replaceAll("secret", "word").replace('"hm"', '"mh"')) as Json;
    expect(collect(events(answer, changed)).choices[0]).toMatchObject({
      text: "a word",
      reasoning: [{ text: "mh" }],
      marks: [{ type: "reasoning" }, { type: "block", block: { action: { query: "word" } } }],
      tools: [{ id: "t1", arguments: '{"a":1}' }],
    });
  });
});

describe("a judged answer with calls, images and what its provider's tools did", () => {
  const search = { id: "ws_1", type: "web_search_call", action: { query: "secret" } };
  const url = "data:image/png;base64,aGk=";
  const answer = collect([
    start,
    { type: "reasoning", text: "hm", signature: "s" },
    { type: "text", text: "a secret" },
    { type: "media", url },
    { type: "block", block: search },
    call(0, '{"a":1}', { id: "t1", name: "f", signature: "s1" }),
    call(1, '{"b":2}', { id: "t2", name: "g", signature: "s2" }),
    { type: "finish", reason: "tool_calls" },
  ]);
  const { body, events } = responses.judged;
  const judgedWithout = (isOut: (item: Json) => boolean) => {
    const output = objects(structuredClone(body(answer)).output).filter((item) => !isOut(item));
    return collect(events(answer, { ...body(answer), output })).choices[0];
  };
  test("is the same where a check gave it back as it was", () => {
    expect(collect(events(answer, structuredClone(body(answer))))).toEqual(answer);
  });
  test("keeps the other call's name, id and signature when one was taken out, and its images", () => {
    const left = judgedWithout(({ call_id }) => call_id === "t1");
    expect(left?.tools).toEqual([{ id: "t2", name: "g", arguments: '{"b":2}', signature: "s2" }]);
    expect(left?.marks).toEqual(answer.choices[0]?.marks ?? []);
  });
  test("is read by what its items are, not by where they stand", () => {
    const silent = judgedWithout(({ type }) => type === "reasoning");
    expect(silent).toMatchObject({ text: "a secret", reasoning: [], tools: [{ id: "t1" }, { id: "t2" }] });
    const untold = judgedWithout(({ type }) => type === "web_search_call");
    expect(untold?.marks?.map(({ type }) => type)).toEqual(["reasoning", "media"]);
    expect(untold?.tools).toHaveLength(2);
    expect(judgedWithout(({ content }) => objects(content)[0]?.type === "input_image")?.marks?.map(({ type }) => type)).toEqual([
      "reasoning",
      "block",
    ]);
  });
  test("keeps its images where the text was changed", () => {
    const changed = JSON.parse(JSON.stringify(body(answer)).replace("a secret", "a word")) as Json;
    expect(collect(events(answer, changed)).choices[0]).toMatchObject({
      text: "a word",
      marks: [{ type: "reasoning" }, { type: "media", url }, { type: "block", block: search }],
    });
  });
});

test("the id of an item tells of which answer it is, and where it stands", () => {
  const [item] = built(wireOf([start, { type: "text", text: "Hi" }, finish], { ...OPTIONS, id: crypto.randomUUID() }));
  const ref = itemRefOf(String(item?.id)) ?? expect.unreachable();
  expect([itemId("msg", ref), ref.index]).toEqual([String(item?.id), 0]);
  for (const id of ["msg_67c", "rs_", "", `msg_${"g".repeat(36)}`]) expect(itemRefOf(id)).toBeUndefined();
});

test("a packed thought comes back as it was; anything else is nobody's", () => {
  const thought = { signature: "Zürich", call: "c" };
  expect(unpackThought(packThought(thought))).toEqual(thought);
  for (const content of ["gAAAAABo", "gw1.", "gw1.%%%", `gw1.${btoa("[1]")}`, null, 3]) expect(unpackThought(content)).toEqual({});
});

test("the ids that a request builds upon are named, and the answer's is made", () => {
  expect(
    owned.named?.({
      previous_response_id: "resp_1",
      conversation: { id: "conv_1" },
      input: [
        {
          role: "user",
          content: [
            { type: "input_file", file_id: "file_1" },
            { type: "input_text", text: "x" },
          ],
        },
        { type: "computer_call_output", output: { type: "computer_screenshot", file_id: "file_2" } },
        { type: "function_call_output", output: [{ type: "input_image", file_id: "file_3" }] },
      ],
      tools: [
        { type: "file_search", vector_store_ids: ["vs_1"] },
        { type: "code_interpreter", container: { type: "auto", file_ids: ["file_4"] } },
      ],
    }),
  ).toEqual(["resp_1", "conv_1", "file_1", "file_2", "file_3", "vs_1", "file_4"]);
  expect(owned.named?.({ input: "Hello", conversation: "conv_1" })).toEqual(["conv_1"]);
  expect(
    owned.named?.({
      prompt: { id: "pmpt_1", variables: { city: "Oslo", paper: { type: "input_file", file_id: "file_1" } } },
      input: [{ type: "code_interpreter_call", container_id: "cntr_1" }],
      tools: [
        { type: "image_generation", input_image_mask: { file_id: "file_2" } },
        { type: "shell", environment: { type: "container_reference", container_id: "cntr_2" } },
      ],
    }),
  ).toEqual(["pmpt_1", "file_1", "cntr_1", "file_2", "cntr_2"]);
  expect(owned.made?.({ id: "resp_1" })).toEqual(["resp_1"]);
  expect(owned.made?.({ type: "response.created", response: { id: "resp_2" } })).toEqual(["resp_2"]);
});

sayIfMissing();
const FOLDERS = ["openai/responses", "xai/responses", "open-responses/responses"];
describe.skipIf(!haveRecordings)("recorded responses", () => {
  const streams = recordings(FOLDERS, ".chunks.txt");
  for (const path of streams) testStream(path, responses.decode, sseWire(recordedLines(path), { named: true }));
  test.each(recordings(FOLDERS, ".json"))("%s is read", (path) => {
    const body = JSON.parse(recording(path)) as Json;
    const collected = collect(responses.read(body));
    const texts = objects(body.output).flatMap(({ content }) => objects(content));
    expect(collected.choices[0]?.text).toBe(texts.map(({ type, text }) => (type === "output_text" ? String(text) : "")).join(""));
    expect(isJson(body.usage)).toBe(collected.usage !== undefined);
  });
});
