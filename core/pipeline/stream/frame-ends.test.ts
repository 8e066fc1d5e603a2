import { expect, test } from "bun:test";
import fc from "fast-check";
import { firstFrameEnd, lastFrameEnd } from "./frame-ends.ts";

const ends = (text: string): readonly number[] =>
  [...text.matchAll(/\n(?=(\r?\n))/g)].map(({ index, 1: blank = "" }) => index + 1 + blank.length);
const piece = fc.constantFrom("\n", "\n", "\r\n", "\r", "data: a");

test("the first and the last blank line are found, however many lines and characters stand between", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const text = pieces.join("");
      const bytes = Buffer.from(text);
      expect([firstFrameEnd(bytes), lastFrameEnd(bytes)]).toEqual([ends(text)[0] ?? bytes.length, ends(text).at(-1) ?? 0]);
    }),
    { numRuns: 2_000 },
  );
});
