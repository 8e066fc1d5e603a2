import { expect, test } from "bun:test";
import { piecesOf } from "./text-pieces.ts";

test("no piece ends within a character, and none is left out or said twice", () => {
  for (const text of ["", "a", "abcdef", "ab😀cd😀", "😀😀😀", "a😀"])
    for (const length of [1, 2, 3, 4]) {
      const pieces = [...piecesOf(text, length)];
      expect(pieces.join("")).toBe(text);
      expect(pieces.every((piece) => piece.isWellFormed() && piece.length <= length + 1)).toBe(true);
    }
});
