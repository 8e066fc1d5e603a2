import { expect, test } from "bun:test";
import type { Json } from "#contract";
import { turnsDuring } from "#kit";
import { writtenInTurns } from "./written.ts";

const LONG = `${'a line, "quoted"\n'.repeat(100_000)}${"😀".repeat(800_000)}\ud800`;
test.each<[string, Json]>([
  ["nothing", {}],
  ["empty lists and objects", { a: [], b: {}, c: [[], {}] }],
  ["members that are not there", { a: undefined, b: [undefined, null], c: { d: undefined } }],
  [
    "long texts",
    {
      messages: [
        { role: "user", content: LONG },
        { role: "user", content: [{ type: "text", text: `x${LONG}` }] },
      ],
    },
  ],
  ["very many messages", { messages: Array.from({ length: 20_000 }, (_, i) => ({ role: "user", content: `m ${i}`, name: 'a"b' })) }],
  ["deep values", { a: { b: { c: { d: { e: { f: [1, [2, [3, { g: LONG }]]] } } } } } }],
  ["numbers and words", { a: [1.5, -0, 1e21, true, false, null], 'q"': "x" }],
])("a body is written as the runtime writes it: %s", async (_, body) =>
  expect(new TextDecoder().decode(await writtenInTurns(body))).toBe(JSON.stringify(body)),
);

test.each([
  ["flat", (text: string): Json => ({ a: text })],
  ["in a part of a message", (text: string): Json => ({ messages: [{ content: [{ type: "image_url", image_url: { url: text } }] }] })],
  ["deep", (text: string): Json => ({ a: { b: { c: { d: { e: [{ f: { g: [[[text]]] } }] } } } } })],
])("others have their turn while a long text is written that stands %s", async (_, body) => {
  expect(await turnsDuring(() => writtenInTurns(body("漢".repeat(4_000_000))))).toBeGreaterThan(9);
  const many = body("x".repeat(1_000)); // and where many short ones do
  expect(await turnsDuring(() => writtenInTurns({ list: Array.from({ length: 3_000 }, () => many) }))).toBeGreaterThan(5);
});
test("others have their turn while it is written", async () => {
  const turns = await turnsDuring(() => writtenInTurns({ messages: [{ role: "user", content: "x\n".repeat(5_000_000) }] }));
  expect(turns).toBeGreaterThan(9);
});
