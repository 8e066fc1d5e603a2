import { describe, expect, test } from "bun:test";
import { usageAtEnd } from "../content/token-usage.ts";
import { transcripts } from "./transcript.ts";

const TYPE = "text/event-stream; charset=utf-8";
const event = (body: object): string => `data: ${JSON.stringify(body)}\n\n`;
const DONE = event({ type: "transcript.text.done", text: "my secret", usage: { input_tokens: 1 }, logprobs: [{ token: "my secret" }] });
const EVENTS = event({ type: "transcript.text.delta", delta: "my " }) + event({ type: "transcript.text.delta", delta: "secret" }) + DONE;

describe("a transcript that is no JSON", () => {
  test("is read as one text: as it stands, or as its events spell it", async () => {
    expect(await transcripts.read("1\n00:00 --> 00:01\nHi\n", "text/plain")).toEqual({ text: "1\n00:00 --> 00:01\nHi\n" });
    expect(await transcripts.read(EVENTS, TYPE)).toEqual({ text: "my secret" });
    expect(await transcripts.read(EVENTS.replace(DONE, "data: [DONE]\n\n"), TYPE)).toEqual({ text: "my secret" });
    expect(await transcripts.read('data: {"type":"transcript.text.segment","text":"Hi","speaker":"A"}\r\n\r\n', TYPE)).toEqual({
      text: "Hi",
    });
  });
  test("that guardrails changed says nothing of what it was", async () => {
    expect(await transcripts.write({ text: "Ho" }, "Hi", "text/plain")).toBe("Ho");
    const changed = await transcripts.write({ text: "my ***" }, EVENTS, TYPE);
    expect(await transcripts.read(changed, TYPE)).toEqual({ text: "my ***" });
    expect(changed).not.toContain("secret");
    expect(changed).not.toContain("[DONE]");
    expect(changed).toContain('"usage":{"input_tokens":1}');
    expect(await transcripts.write({ text: "a" }, `${EVENTS}data: [DONE]\n\n`, TYPE)).toEndWith("data: [DONE]\n\n");
  });
});

describe("usage at the end of events", () => {
  const counts = { input_tokens: 140, input_token_details: { audio_tokens: 100, text_tokens: 40 }, output_tokens: 20 };
  test.each([
    ["behind what was cut off", `AAAA","usage":${JSON.stringify(counts)}}\n\n`],
    ["with spaces, before a marker", `{"usage": ${JSON.stringify(counts, null, 1)} }\n\ndata: [DONE]\n\n`],
  ])("is found %s", (_, tail) => expect(usageAtEnd(tail)).toEqual({ input: 40, inputAudio: 100, output: 20 }));
  test.each(["", "data: {}", '"usage":', '"usage":null', '"usage":{', '"usage":{"seconds":3}', 'the word "usage": {braces}'])(
    "is not found in %j",
    (tail) => expect(usageAtEnd(tail)).toBeUndefined(),
  );
});
