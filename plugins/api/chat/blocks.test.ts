import { describe, expect, test } from "bun:test";
import type { Json, StreamEvent } from "#contract";
import { collect } from "../../../core/pipeline/stream/fold.ts";
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
});
