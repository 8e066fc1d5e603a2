import { expect, test } from "bun:test";
import { inputTokens, outputTokens, tokens } from "./stream.ts";

test("counts are whole and never negative, whatever a wire says", () => {
  for (const nonsense of [-1_000_000, Number.NaN, Number.NEGATIVE_INFINITY, "12", null, undefined, {}]) expect(tokens(nonsense)).toBe(0);
  expect([0, 1, 1.4, 1e300, Number.POSITIVE_INFINITY].map(tokens)).toEqual([0, 1, 1, 1e12, 1e12]);
});
test("one part below zero takes nothing from the others", () => {
  expect(inputTokens({ input: 10, cacheRead: -100, inputAudio: 2.6 })).toBe(13);
  expect(outputTokens({ output: -3, reasoning: 4 })).toBe(4);
});
