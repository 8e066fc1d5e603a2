import { expect, test } from "bun:test";
import { costOf } from "./price.ts";

const none = { price: () => undefined };

test("a provider's own price comes first, by part, in cents", async () => {
  const provider = { price: () => ({ input: 2, output: 4, cacheRead: 1 }) };
  expect(
    await costOf({ input: 10, cacheRead: 5, cacheWrite5m: 1, output: 3, reasoning: 2 }, { providerId: "x", provider, model: "m" }),
  ).toBe(20 + 5 + 2 + 12 + 8);
});
test("list prices are known for public models; cached input costs less", async () => {
  const at = { providerId: "openai", provider: none, model: "gpt-4o" };
  expect(await costOf({ input: 1_000_000 / 10, output: 0 }, at)).toBeCloseTo(25);
  expect(await costOf({ cacheRead: 100_000 }, at)).toBeCloseTo(12.5);
  expect(await costOf({ output: 1_000 }, at)).toBeCloseTo(1);
});
test("an unknown price is unknown, not zero", async () => {
  expect(await costOf({ input: 5 }, { providerId: "openai", provider: none, model: "no-such-model" })).toBeNull();
  expect(await costOf({ input: 5 }, { providerId: "no-such-provider", provider: none, model: "gpt-4o" })).toBeNull();
});
test("a long prompt is priced by its tier, and the parts still add up", async () => {
  const at = { providerId: "google", provider: none, model: "gemini-2.5-pro" };
  const short = await costOf({ input: 100_000 }, at);
  const long = await costOf({ input: 300_000 }, at);
  expect((long ?? 0) / 3).toBeGreaterThan(short ?? Number.POSITIVE_INFINITY);
});
test("no usage costs less than nothing", async () => {
  const provider = { price: () => ({ input: 2, output: 4 }) };
  expect(await costOf({ input: -1_000, output: 1 }, { providerId: "x", provider, model: "m" })).toBe(4);
});
