import { expect, test } from "bun:test";
import { saysTheSame } from "./same-words.ts";

test.each([
  ["a b", "a b", true],
  ["a b", " a \n\tb ", true],
  ["", "  ", true],
  ["a b", "ab", false],
  ["a b", "a b c", false],
  ["a b", "a c", false],
  ["a", "", false],
])("%j and %j: %p", async (one, other, expected) => {
  expect(await saysTheSame(one, other)).toBe(expected);
  expect(await saysTheSame(other, one)).toBe(expected);
});
