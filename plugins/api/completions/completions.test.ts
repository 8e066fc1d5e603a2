import { describe, expect, test } from "bun:test";
import type { Collected, EncodeOptions, StreamEvent } from "#contract";
import { completions } from "./dialect.ts";

const options: EncodeOptions = { id: "req-1", model: "asked", created: 7, usage: true, strict: true };
const answer: Collected = {
  id: "cmpl-1",
  model: "m",
  choices: [
    { text: "my secret", reasoning: [], tools: [], finish: "stop", native: "eos" },
    { text: "", reasoning: [], tools: [], finish: "length" },
  ],
  usage: { input: 3, output: 1 },
};
const eventOf = (data: string, state = completions.decode.start()): readonly StreamEvent[] =>
  completions.decode.event({ event: "", data }, state);

describe("a streamed answer under guardrails", () => {
  test("is judged as a whole one, and has the events of what it became", () => {
    const body = completions.judged.body(answer);
    expect(body).toMatchObject({
      choices: [
        { text: "my secret", index: 0 },
        { text: "", index: 1 },
      ],
    });
    expect(completions.judged.path(1, "text")).toBe("choices[1].text");
    const changed = { ...body, choices: [{ text: "my ***" }, { text: "" }] };
    expect(completions.judged.events(answer, changed)).toEqual([
      { type: "start", id: "cmpl-1", model: "m" },
      { type: "text", text: "my ***", choice: 0 },
      { type: "finish", reason: "stop", native: "eos", choice: 0 },
      { type: "finish", reason: "length", choice: 1 },
      { type: "usage", usage: { input: 3, output: 1 } },
    ]);
  });
});

describe("frames", () => {
  test("a choice that is over says nothing more, and a native reason is told to who is not strict", () => {
    const state = completions.decode.start();
    const last = '{"id":"a","choices":[{"text":"x","index":1,"finish_reason":"eos"}]}';
    expect(eventOf(last, state)).toEqual([
      { type: "start", id: "a" },
      { type: "text", text: "x", choice: 1 },
      { type: "finish", reason: "stop", native: "eos", choice: 1 },
    ]);
    expect(eventOf(last, state)).toEqual([]);
    const finish: StreamEvent = { type: "finish", reason: "stop", native: "eos" };
    expect(completions.encode(options).event(finish)).toContain('"finish_reason":"stop"');
    expect(completions.encode({ ...options, strict: false }).event(finish)).toContain('"finish_reason":"eos"');
  });
  test.each(["", "[DONE]", '{"prompt_filter_results":[]}'])("%j says nothing", (data) => expect(eventOf(data)).toEqual([]));
  test.each(["[1]", "7", "null"])("%s is no chunk", (data) => expect(() => eventOf(data)).toThrow(SyntaxError));
  test("more choices than anybody asks for are not remembered", () => {
    const state = completions.decode.start();
    const choices = Array.from({ length: 5_000 }, (_, index) => ({ index, text: "", finish_reason: "stop" }));
    expect(() => eventOf(JSON.stringify({ id: "a", choices }), state)).toThrow(SyntaxError);
  });
});

test("an answer without choices is no completion", () => {
  expect(() => completions.read({ id: "a" })).toThrow(SyntaxError);
  expect(() => completions.usage?.({ error: { message: "no" } })).toThrow("no");
});
