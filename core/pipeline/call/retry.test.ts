import { expect, test } from "bun:test";
import { retryAfterMs, Tries } from "./retry.ts";

const retry = { attempts: 3, onStatusCodes: [429, 500], useRetryAfter: false };

test("waits back off with jitter and end after the attempts", () => {
  const counter = new Tries(retry, 0, () => 1);
  expect([1, 2, 3, 4].map(() => counter.next(500, null))).toEqual([1000, 2000, 4000, null]);
  expect(counter.used).toBe(3);
});

test("a status that is not listed is not retried", () => {
  expect(new Tries(retry, 0).next(400, null)).toBeNull();
});

test("Retry-After of a 429 is honoured, in each of its spellings", () => {
  for (const [name, value, ms] of [
    ["retry-after", "2", 2000],
    ["retry-after-ms", "30", 30],
    ["x-ms-retry-after-ms", "40", 40],
    ["retry-after", "Thu, 01 Jan 1970 00:00:05 GMT", 5000],
  ] as const)
    expect(new Tries(retry, 0).next(429, { [name]: value })).toBe(ms);
});

test("waiting that would pass 60 seconds in all is not begun", () => {
  const counter = new Tries(retry, 0);
  expect(counter.next(429, { "retry-after": "50" })).toBe(50_000);
  expect(counter.next(429, { "retry-after": "11" })).toBeNull();
});

test("an unreadable Retry-After counts as none", () => {
  expect(retryAfterMs({ "retry-after": "soon" }, 0)).toBeNull();
});
