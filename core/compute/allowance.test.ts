import { expect, test } from "bun:test";
import { Allowance, nothingSpent } from "./allowance.ts";

test("all checks of a request together take 5 ms at most: of many at 4.9 ms one is done here", () => {
  const allowance = new Allowance();
  const spending = nothingSpent();
  expect(Array.from({ length: 20 }, () => allowance.take(4.9, spending, 0)).filter(Boolean)).toHaveLength(1);
  expect(allowance.take(0.1, spending, 0)).toBe(true);
  expect(allowance.take(0.001, spending, 0)).toBe(false);
});

test("a burst of requests takes no more than 20 ms within 50", () => {
  const allowance = new Allowance();
  const taken = (now: number) => Array.from({ length: 100 }, () => allowance.take(4, nothingSpent(), now)).filter(Boolean).length;
  expect([taken(1_000), taken(1_049), taken(1_050), taken(5)]).toEqual([5, 0, 5, 5]);
});

test("what is little is always done here, and what cannot be told never", () => {
  const allowance = new Allowance();
  for (let i = 0; i < 10; i += 1) allowance.take(5, nothingSpent(), 0);
  expect(allowance.take(0.9, nothingSpent(), 0)).toBe(true);
  for (const ms of [Infinity, Number.NaN, 5.01]) expect(allowance.take(ms, nothingSpent(), 100)).toBe(false);
});
