import { expect, test } from "bun:test";
import { inlineConfigs } from "./inline-configs.ts";

const text = (nth: number, chars: number): string => String(nth).padStart(chars, " ");

test("what was compiled is found by its whole text, and by no other", () => {
  const configs = inlineConfigs<number>();
  configs.set('{"provider":"a"}', 1);
  expect([configs.get('{"provider":"a"}'), configs.get('{"provider":"a"} ')]).toEqual([1, undefined]);
});
test("the oldest goes when there are more than 256", () => {
  const configs = inlineConfigs<number>();
  for (let nth = 0; nth < 300; nth += 1) configs.set(text(nth, 10), nth);
  expect([configs.get(text(43, 10)), configs.get(text(44, 10)), configs.get(text(299, 10))]).toEqual([undefined, 44, 299]);
});
test("one that is in use stays, however many others come", () => {
  const configs = inlineConfigs<number>();
  configs.set(text(0, 10), 0);
  for (let nth = 1; nth < 600; nth += 1) {
    expect(configs.get(text(0, 10))).toBe(0);
    configs.set(text(nth, 10), nth);
  }
});
test("texts of the greatest length are kept only as far as memory allows", () => {
  const configs = inlineConfigs<number>();
  const chars = 262_144;
  for (let nth = 0; nth < 40; nth += 1) configs.set(text(nth, chars), nth);
  const kept = Array.from({ length: 40 }, (_, nth) => configs.get(text(nth, chars))).filter((one) => one !== undefined);
  expect(kept).toEqual(Array.from({ length: 16 }, (_, i) => 24 + i));
});
