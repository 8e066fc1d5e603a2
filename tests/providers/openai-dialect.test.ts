import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type Collected, type EncodeOptions, inputTokens, isJson, type Json, outputTokens, type StreamEvent } from "#contract";
import { collect } from "../../core/pipeline/stream/fold.ts";
import plugin from "../../plugins/api/chat/index.ts";
import { streamCases } from "../kit/case.ts";
import { haveRecordings, recordedLines, recording, recordings, sayIfMissing, sseWire } from "../kit/recordings.ts";
import { eventsOf, testStream } from "../kit/stream.ts";

/* The chat dialect over hand-written cases, and over recorded answers of providers that speak it. */

const running = await plugin.setup({ log: () => undefined, now: () => 0 }, {});
const chat = (() => {
  const [dialect] = running.provides.dialects ?? [];
  if (!dialect) throw new Error("the chat plugin speaks no dialect");
  return dialect;
})();

for (const { name, wire, events } of streamCases(join(import.meta.dir, "../../plugins/api/chat/fixtures")))
  testStream(name, chat.decode, wire, events);

const FOLDERS = ["openai/chat", "openai-compatible/chat", "groq", "deepseek/chat", "xai", "mistral", "moonshotai", "alibaba"];
const OPTIONS: EncodeOptions = { id: "x", model: "x", created: 1, usage: true, strict: false };
const encoder = new TextEncoder();

sayIfMissing();
describe.skipIf(!haveRecordings)("recorded streams", () => {
  const streams = [
    ...recordings(FOLDERS, ".chunks.txt").map((path) => ({
      path,
      lines: recordedLines(path),
      wire: sseWire(recordedLines(path), { done: true }),
    })),
    ...recordings(FOLDERS, ".sse").map((path) => ({ path, lines: dataLines(recording(path)), wire: recording(path) })),
  ];
  if (haveRecordings) test("there are some", () => expect(streams.length).toBeGreaterThanOrEqual(12));
  for (const { path, lines, wire } of streams) {
    testStream(path, chat.decode, wire);
    test(`${path}: text, tool calls, finish reason and usage are those of the wire`, () => {
      const answer = collect(eventsOf(chat.decode, [encoder.encode(wire)]));
      expectSame(answer, fromChunks(lines.map((line) => JSON.parse(line) as Json)));
    });
    test(`${path}: written again as chat, it says the same`, () => {
      const events = eventsOf(chat.decode, [encoder.encode(wire)]);
      expect(collect(eventsOf(chat.decode, [encoder.encode(encoded(events))]))).toEqual({ created: OPTIONS.created, ...collect(events) });
    });
  }
});

describe.skipIf(!haveRecordings)("recorded answers", () => {
  const answers = recordings(FOLDERS, ".json").filter((path) => !path.includes("transcription"));
  if (haveRecordings) test("there are some", () => expect(answers.length).toBeGreaterThanOrEqual(12));
  test.each(answers.map((path) => [path] as const))("%s reads as its stream would have", (path) => {
    const body = JSON.parse(recording(path)) as Json;
    const answer = collect(chat.read(body));
    expectSame(answer, fromBody(body));
    expect(collect(chat.read(chat.write(answer, OPTIONS)))).toEqual(answer);
    expect(collect(eventsOf(chat.decode, [encoder.encode(encoded(chat.read(body)))]))).toEqual(answer);
  });
});

/* ── what the wire says, read in the plainest way ────────────────────────────────────────────────────────────── */

interface Plain {
  text: string;
  reasoning: string;
  tools: { name: string; arguments: string }[];
  finish: string;
  total: number;
}

function expectSame(answer: Collected, wire: Plain): void {
  const [choice] = answer.choices;
  expect({
    text: choice?.text,
    reasoning: choice?.reasoning.map((block) => block.text).join(""),
    tools: choice?.tools.map(({ name, arguments: args }) => ({ name, arguments: args })),
    finish: choice?.native ?? choice?.finish,
    total: answer.usage === undefined ? 0 : inputTokens(answer.usage) + outputTokens(answer.usage),
  }).toEqual({ ...wire });
}

function fromChunks(chunks: readonly Json[]): Plain {
  const plain: Plain = { text: "", reasoning: "", tools: [], finish: "", total: 0 };
  for (const chunk of chunks) {
    const [choice] = list(chunk["choices"]);
    add(plain, obj(choice?.["delta"]));
    if (typeof choice?.["finish_reason"] === "string") plain.finish = choice["finish_reason"];
    plain.total = totalOf(chunk) ?? plain.total;
  }
  return plain;
}

function fromBody(body: Json): Plain {
  const plain: Plain = { text: "", reasoning: "", tools: [], finish: "", total: totalOf(body) ?? 0 };
  const [choice] = list(body["choices"]);
  add(plain, obj(choice?.["message"]));
  plain.finish = String(choice?.["finish_reason"]);
  return plain;
}

function add(plain: Plain, delta: Json): void {
  if (typeof delta["content"] === "string") plain.text += delta["content"];
  for (const part of list(delta["content"])) {
    if (part["type"] === "text") plain.text += String(part["text"]);
    if (part["type"] === "thinking")
      plain.reasoning += list(part["thinking"])
        .map((inner) => String(inner["text"]))
        .join("");
  }
  plain.reasoning += String(delta["reasoning_content"] ?? delta["reasoning"] ?? "");
  for (const call of list(delta["tool_calls"])) {
    const { name, arguments: args } = obj(call["function"]);
    if (typeof name === "string") plain.tools.push({ name, arguments: "" });
    const last = plain.tools.at(-1);
    if (last) last.arguments += String(args ?? "");
  }
}

const obj = (value: unknown): Json => (isJson(value) ? value : {});
const list = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isJson) : []);
const totalOf = (body: Json): number | undefined => (isJson(body["usage"]) ? Number(body["usage"]["total_tokens"]) : undefined);

function dataLines(wire: string): string[] {
  return wire
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => line.slice("data: ".length));
}
function encoded(events: readonly StreamEvent[]): string {
  const to = chat.encode(OPTIONS);
  return events.map((event) => to.event(event)).join("") + to.end();
}
