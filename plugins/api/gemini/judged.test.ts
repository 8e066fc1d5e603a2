/** Streamed answers as guardrails see and change them. */
import { expect, test } from "bun:test";
import type { Dialect, Json, StreamEvent } from "#contract";
import { collect } from "../../../core/pipeline/stream/fold.ts";
import { chat } from "../chat/dialect.ts";
import { CHAT } from "../content/index.ts";
import { GENERATED } from "./content.ts";
import { gemini } from "./dialect.ts";

type Part = Json & { readonly functionCall?: { readonly id: string } };
interface Answer {
  candidates: { content: { parts: Part[] } }[];
}
const IMAGE = "data:image/png;base64,AAAA";
const ANSWER = collect([
  { type: "start", id: "r", model: "m" },
  { type: "text", text: "See" },
  { type: "media", url: IMAGE },
  { type: "tool", index: 0, id: "a", name: "f", arguments: "{}", signature: "c2lnLWE=" },
  { type: "tool", index: 1, id: "b", name: "g", arguments: "{}", signature: "c2lnLWI=" },
  { type: "finish", reason: "tool_calls" },
  { type: "text", text: "Other", choice: 1 },
  { type: "finish", reason: "stop", choice: 1 },
]);
const shown = (): Answer => gemini.judged.body(ANSWER) as unknown as Answer; // as the dialect writes it
const eventsIn = (body: object): readonly StreamEvent[] =>
  gemini.judged.events(ANSWER, body as Json).filter(({ type }) => type !== "finish");
const without = (isOut: (part: Part) => boolean): Answer => {
  const body = shown();
  for (const { content } of body.candidates) content.parts = content.parts.filter((part) => !isOut(part));
  return body;
};

test.each<[string, Dialect["judged"], typeof CHAT]>([
  ["chat", chat.judged, CHAT],
  ["gemini", gemini.judged, GENERATED],
])("an image that a model made is seen as one in an answer of %s", (_, judged, content) => {
  const pieces = content.output?.(judged.body(ANSWER)) ?? [];
  expect(pieces.filter(({ kind }) => kind === "image").map(({ text }) => text)).toEqual([IMAGE]);
  expect(judged.events(ANSWER, judged.body(ANSWER))).toContainEqual({ type: "media", url: IMAGE, choice: 0 });
});
test("so is one that stands elsewhere, in a whole answer too", () => {
  const url = "https://x.example/a.png";
  const answer = collect([
    { type: "media", url },
    { type: "finish", reason: "stop" },
  ]);
  const whole = gemini.write(answer, { id: "r", model: "m", created: 1, usage: true, strict: false });
  for (const body of [whole, gemini.judged.body(answer)])
    expect(GENERATED.output?.(body).map(({ kind, text }) => [kind, text])).toEqual([["image", url]]);
});
test("a call is the one of its id, and what was taken out stays out", () => {
  const events = eventsIn(without((part) => part.functionCall?.id === "a"));
  expect(events.filter(({ type }) => type === "tool")).toMatchObject([{ id: "b", name: "g", signature: "c2lnLWI=" }]);
  expect(eventsIn(without((part) => part["inlineData"] !== undefined)).filter(({ type }) => type === "media")).toEqual([]);
});
test("a candidate that was taken out says nothing, and the other keeps its place", () => {
  const events = eventsIn({ candidates: shown().candidates.slice(1) });
  expect(events.filter(({ type }) => type === "text")).toEqual([{ type: "text", text: "Other", choice: 1 }]);
});
test("a changed text keeps the image beside it; another image takes the place of one", () => {
  const events = eventsIn(JSON.parse(JSON.stringify(shown()).replace("See", "***").replace("AAAA", "BBBB")) as Answer);
  expect(events.filter(({ type, choice }: { type: string; choice?: number }) => type !== "tool" && choice === 0)).toEqual([
    { type: "text", text: "***", choice: 0 },
    { type: "media", url: "data:image/png;base64,BBBB", choice: 0 },
  ]);
});
test("a refusal has one place, with a text or without", () => {
  for (const text of ["", "So"]) {
    const refused = collect([
      { type: "text", text },
      { type: "refusal", text: "No." },
      { type: "finish", reason: "stop" },
    ]);
    const found = GENERATED.output?.(gemini.judged.body(refused)).find((piece) => piece.text === "No.");
    expect([found?.path, found?.path]).toEqual(["candidates[0].refusal", gemini.judged.path(0, "refusal")]);
  }
});
