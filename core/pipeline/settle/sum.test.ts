import { expect, test } from "bun:test";
import { remainder } from "./sum.ts";

test("what is left of a usage is what was not counted before, of each side and of no part less than nothing", () => {
  const all = { input: 30, cacheRead: 10, output: 5, reasoning: 7 };
  expect(remainder(all, { input: 0, output: 0 })).toEqual(all);
  expect(remainder(all, { input: 35, output: 6 })).toEqual({ input: 0, cacheRead: 5, output: 0, reasoning: 6 });
  expect(remainder(all, { input: 900, output: 900 })).toEqual({ input: 0, cacheRead: 0, output: 0, reasoning: 0 });
});
