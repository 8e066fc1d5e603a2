import { expect, test } from "bun:test";
import { inputTokens, outputTokens, tokens, UpstreamFailure } from "./stream.ts";

test("counts are whole and never negative, whatever a wire says", () => {
  for (const nonsense of [-1_000_000, Number.NaN, Number.NEGATIVE_INFINITY, "12", null, undefined, {}]) expect(tokens(nonsense)).toBe(0);
  expect([0, 1, 1.4, 1e300, Number.POSITIVE_INFINITY].map(tokens)).toEqual([0, 1, 1, 1e12, 1e12]);
});
test("one part below zero takes nothing from the others", () => {
  expect(inputTokens({ input: 10, cacheRead: -100, inputAudio: 2.6 })).toBe(13);
  expect(outputTokens({ output: -3, reasoning: 4 })).toBe(4);
});

test("a failure is recognised whichever copy of this module made it: a plugin's bundle holds one of its own", async () => {
  const path = "./stream.ts?copy";
  const copy = (await import(path)) as typeof import("./stream.ts");
  expect(copy.UpstreamFailure).not.toBe(UpstreamFailure);
  const failure: unknown = new copy.UpstreamFailure(429, { message: "slow down", type: "t", param: null, code: null });
  expect([failure instanceof UpstreamFailure, UpstreamFailure.is(failure)]).toEqual([false, true]);
  expect([new Error("no"), null, "x", { status: 429 }].map((thrown) => UpstreamFailure.is(thrown))).toEqual([false, false, false, false]);
});
