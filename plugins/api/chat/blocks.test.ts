import { describe, expect, test } from "bun:test";
import type { Collected, Json, StreamEvent } from "#contract";
import { collect } from "../../../core/pipeline/stream/fold.ts";
import { messages } from "../messages/dialect.ts";
import { responses } from "../responses/dialect.ts";
import { chat } from "./dialect.ts";

const IMAGE = "data:image/png;base64,AAAA";
const TOKEN = { token: "one", logprob: -1, bytes: [111, 110, 101], top_logprobs: [] };
const EVENTS: readonly StreamEvent[] = [
  { type: "start", id: "a-1" },
  { type: "reasoning", text: "A", signature: "s", choice: 0 },
  { type: "text", text: "one", choice: 0 },
  { type: "citation", citation: { url: "u" }, choice: 0 },
  { type: "text", text: "", begins: true, choice: 0 },
  { type: "text", text: "two", choice: 0 },
  { type: "media", url: IMAGE, choice: 0 },
  { type: "block", block: { type: "server_tool_use" }, choice: 0 },
  { type: "reasoning", text: "B", choice: 0 },
  { type: "logprobs", tokens: [TOKEN], choice: 0 },
  { type: "beside", members: { groundingMetadata: {} }, choice: 0 },
  { type: "finish", reason: "stop", choice: 0 },
];
const answer = collect(EVENTS);

describe("an answer that guardrails have seen", () => {
  test("is what it was, in its order, when they changed nothing", () =>
    expect(chat.judged.events(answer, chat.judged.body(answer))).toEqual(EVENTS));
  test("keeps its images, and nothing that repeats the text, when they changed it", () => {
    const body = chat.judged.body(answer) as { choices: { message: Json }[] };
    const [choice] = body.choices;
    const changed = { ...body, choices: [{ ...choice, message: { ...choice?.message, content: "***" } }] };
    const { choices } = collect(chat.judged.events(answer, changed));
    expect(choices[0]).toMatchObject({ text: "***", reasoning: [{ text: "A", signature: "s" }, { text: "B" }] });
    expect(choices[0]?.marks?.filter(({ type }) => type !== "reasoning")).toEqual([{ type: "media", url: IMAGE, at: 3 }]);
    expect([choices[0]?.logprobs, choices[0]?.beside]).toEqual([undefined, undefined]);
  });
  const withMessage = (of: Collected, change: (message: Json) => Json) => {
    const body = chat.judged.body(of) as { choices: { message: Json }[] };
    const choices = body.choices.map((choice) => ({ ...choice, message: change(choice.message) }));
    return collect(chat.judged.events(of, { ...body, choices })).choices[0];
  };
  test("does not tell a thought that they took out, and keeps the text as it was", () => {
    const choice = withMessage(answer, ({ reasoning_content: _thought, ...message }) => message);
    expect(choice).toMatchObject({ text: "onetwo", reasoning: [], logprobs: [TOKEN] });
  });
  test("leaves a call its id and signature when the one before it is taken out", () => {
    const calls = collect([
      { type: "start" },
      { type: "tool", index: 0, id: "t", name: "f", arguments: "{}", signature: "cw" },
      { type: "tool", index: 1, id: "u", name: "g", arguments: "{}", signature: "dQ" },
      { type: "finish", reason: "tool_calls" },
    ]);
    const kept = withMessage(calls, (message) => ({ ...message, tool_calls: (message["tool_calls"] as Json[]).slice(1) }));
    expect(kept?.tools).toEqual([{ id: "u", name: "g", arguments: "{}", signature: "dQ" }]);
  });
  test("gives each answer what its number says, when one of them is taken out", () => {
    const two = collect([
      { type: "start" },
      { type: "text", text: "first" },
      { type: "text", text: "second", choice: 1 },
      { type: "finish", reason: "stop" },
      { type: "finish", reason: "stop", choice: 1 },
    ]);
    const body = chat.judged.body(two) as { choices: Json[] };
    const { choices } = collect(chat.judged.events(two, { ...body, choices: body.choices.slice(1) }));
    expect(choices.map(({ text }) => text)).toEqual(["", "second"]);
  });
});

test.each([
  ["chat", chat],
  ["responses", responses],
  ["messages", messages],
])("what a streamed text rests on is judged and changed in its place: %s", (_, { judged: { body, events } }) => {
  const citation = { type: "url_citation", url: "https://x.example", title: "secret" };
  const answer = collect([
    { type: "start" },
    { type: "text", text: "x" },
    { type: "citation", citation },
    { type: "finish", reason: "stop" },
  ]);
  expect(collect(events(answer, body(answer)))).toEqual(answer);
  const changed = JSON.parse(JSON.stringify(body(answer)).replaceAll("secret", "***")) as Json;
  expect(collect(events(answer, changed)).choices[0]?.marks).toMatchObject([{ type: "citation", citation: { ...citation, title: "***" } }]);
});
