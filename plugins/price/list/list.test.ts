import { describe, expect, test } from "bun:test";
import type { Manifest, Price, PriceQuestion } from "#contract";
import { atWork, priceQuestion, testPrice } from "#kit";
import plugin from "./index.ts";
import { listPriceOf } from "./list.ts";
import manifest from "./manifest.json";

const DOLLAR_PER_MILLION = 100 / 1_000_000;
const given = { plugin, manifest: manifest as Manifest };
const priceOf = async (providerId: string, model: string, more: Partial<PriceQuestion> = {}, now?: number): Promise<Price | undefined> => {
  const { provides } = await atWork({ ...given, ...(now !== undefined && { host: { now } }) });
  return provides.price(priceQuestion(providerId, model, more));
};
/** In US dollars per million tokens, as lists write it. */
const dollars = (price: Price | undefined): Record<string, number> =>
  Object.fromEntries(Object.entries(price ?? {}).map(([part, cents]) => [part, Math.round((cents / DOLLAR_PER_MILLION) * 1e6) / 1e6]));

testPrice(given);

describe("list prices", () => {
  test("are known for public models; cached input costs less", async () => {
    expect(dollars(await priceOf("openai", "gpt-4o"))).toEqual({ input: 2.5, cacheRead: 1.25, output: 10 });
  });
  test("of a model or a provider that nobody listed are unknown", async () => {
    expect(await priceOf("openai", "no-such-model")).toBeUndefined();
    expect(await priceOf("no-such-provider", "gpt-4o")).toBeUndefined();
  });
  test("of a long prompt are those of its tier, for all of its tokens", async () => {
    const of = async (usage: PriceQuestion["usage"]) => dollars(await priceOf("google", "gemini-2.5-pro", { usage }));
    expect(await of({ input: 200_000 })).toEqual({ input: 1.25, cacheRead: 0.125, output: 10 });
    expect(await of({ input: 100_001, cacheRead: 100_000 })).toEqual({ input: 2.5, cacheRead: 0.25, output: 15 });
  });
  test("tell what is kept in a cache for an hour from what is kept for minutes", async () => {
    expect(dollars(await priceOf("anthropic", "claude-sonnet-4-5"))).toMatchObject({ cacheWrite5m: 3.75, cacheWrite1h: 6 });
  });
  test("change with the hour where a model's do, and are looked up again when they may have", async () => {
    const { provides, clock } = await atWork({ ...given, host: { now: Date.UTC(2026, 0, 1, 12) } });
    const now = async () => dollars(await provides.price(priceQuestion("deepseek", "deepseek-chat")));
    const byDay = await now();
    clock.now = Date.UTC(2026, 0, 1, 20);
    expect(await now()).not.toEqual(byDay);
  });
  test("count what a request costs besides its tokens, once", () => {
    expect(listPriceOf({ input_mtok: 1, output_mtok: 1, requests_kcount: 5 })).toEqual({
      input: DOLLAR_PER_MILLION,
      output: DOLLAR_PER_MILLION,
      request: 0.5,
    });
  });
  test("of what is priced by hours or pages are unknown; what has no price at all is free", () => {
    expect(listPriceOf({ audio_hours: 0.36 })).toBeUndefined();
    expect(listPriceOf({})).toEqual({ input: 0, output: 0 });
  });
});
