import { expect, test } from "bun:test";
import { jsonObject } from "./body.ts";

test.each([
  ['{"a":[1,[[[[[[[[1]]]]]]]]]}', "an array that begins with a number"],
  [`{"a":${'{"b":'.repeat(9)}1${"}".repeat(9)}}`, "objects"],
  [`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, "very many arrays"],
])("nesting deeper than the limit is refused wherever it hides: %s", (text) =>
  expect(() => jsonObject(text.slice(0, 300_000), 8)).toThrow("nests deeper"),
);
test("nesting within the limit passes", () => expect(jsonObject('{"a":[1,[2,{"b":3}]]}', 8)).toEqual({ a: [1, [2, { b: 3 }]] }));
