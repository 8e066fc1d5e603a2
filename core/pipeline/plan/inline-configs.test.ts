import { expect, test } from "bun:test";
import { InlineConfigs } from "./inline-configs.ts";

const text = (nth: number, chars: number): string => String(nth).padStart(chars, " ");

test("what was compiled is found by its whole text, and by no other", () => {
  const configs = new InlineConfigs<number>();
  configs.keep('{"provider":"a"}', 1);
  expect([configs.get('{"provider":"a"}'), configs.get('{"provider":"a"} ')]).toEqual([1, undefined]);
});
test("the oldest goes when there are more than 256", () => {
  const configs = new InlineConfigs<number>();
  for (let nth = 0; nth < 300; nth += 1) configs.keep(text(nth, 10), nth);
  expect([configs.get(text(43, 10)), configs.get(text(44, 10)), configs.get(text(299, 10))]).toEqual([undefined, 44, 299]);
});
test("texts of the greatest length are kept only as far as memory allows", () => {
  const configs = new InlineConfigs<number>();
  const chars = 262_144;
  for (let nth = 0; nth < 40; nth += 1) configs.keep(text(nth, chars), nth);
  const kept = Array.from({ length: 40 }, (_, nth) => configs.get(text(nth, chars))).filter((one) => one !== undefined);
  expect(kept).toEqual(Array.from({ length: 16 }, (_, i) => 24 + i));
});
