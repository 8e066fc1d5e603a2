import { describe, expect, test } from "bun:test";
import type { Price, PriceQuestion, PriceSource } from "#contract";
import { priceQuestion } from "../../../tests/kit/price.ts";
import type { Provided } from "../../kernel/generation.ts";
import { type CostOf, costing, pricing } from "./cost.ts";

const none = { price: () => undefined };
const asked = (more: Partial<PriceQuestion> = {}): PriceQuestion => priceQuestion("x", "m", more);
/** With what it logs; a source that answers late has so many milliseconds. */
function costsBy(prices: readonly PriceSource["price"][], limitMs = 10_000): { costOf: CostOf; lines: unknown[] } {
  const lines: unknown[] = [];
  const sources = prices.map((price, at) => ({ name: `price/${at}`, provides: { price } }) as Provided<PriceSource>); // no more is looked at
  return { costOf: costing(pricing(sources, (level, event, fields) => lines.push([level, event, fields?.["plugin"]]), limitMs)), lines };
}
const cents = (input: number): Price => ({ input, output: 0 });

describe("what an answer cost", () => {
  test("is added up by part, in cents", () => {
    const provider = { price: () => ({ input: 2, output: 4, cacheRead: 1, request: 100 }) };
    const usage = { input: 10, cacheRead: 5, cacheWrite5m: 1, output: 3, reasoning: 2 };
    expect(costsBy([]).costOf(asked({ usage }), provider)).toBe(100 + 20 + 5 + 2 + 12 + 8);
  });
  test("is never less than nothing", () => {
    const provider = { price: () => ({ input: 2, output: 4 }) };
    expect(costsBy([]).costOf(asked({ usage: { input: -1_000, output: 1 } }), provider)).toBe(4);
  });
  test("is unknown, not zero, where nobody knows the price", () => {
    expect(costsBy([]).costOf(asked(), none)).toBeNull();
    expect(costsBy([() => undefined]).costOf(asked(), {})).toBeNull();
  });
  test("is unknown where a plugin calls something a price that is none", () => {
    for (const price of [
      {},
      { input: Number.NaN, output: 1 },
      { input: -1, output: 0 },
      { input: "2" },
      { input: Number.POSITIVE_INFINITY, output: 0 },
    ])
      expect(costsBy([() => price as Price]).costOf(asked(), none)).toBeNull();
  });
});

describe("a price", () => {
  test("is the provider's own, then that of the first source that knows one", () => {
    const { costOf } = costsBy([() => undefined, () => cents(3), () => cents(4)]);
    expect(costOf(asked(), { price: () => cents(2) })).toBe(20);
    expect(costOf(asked(), none)).toBe(30);
  });
  test("is asked for with all that it may depend on", () => {
    const heard: PriceQuestion[] = [];
    const { costOf } = costsBy([(question) => void heard.push(question) as undefined]);
    const question = asked({ providerSlug: "@saved", usage: { input: 200_000 } });
    void costOf(question, none);
    expect(heard).toEqual([question]);
  });
  test("is waited for where a source has to get it, the next one's too", async () => {
    const { costOf } = costsBy([async () => undefined, async () => cents(3), () => cents(4)]);
    expect(await costOf(asked(), none)).toBe(30);
  });
  test("that cannot be one is the next one's, and the log names the source", () => {
    const bad = [{}, { input: -1, output: 0 }, { input: 1, output: 1, cacheRead: Number.NaN }, { input: 1, output: 1, request: -5 }, 5];
    const { costOf, lines } = costsBy([...bad.map((price) => () => price as Price), () => cents(5)]);
    expect(costOf(asked(), none)).toBe(50);
    expect(lines).toEqual(bad.map((_, at) => ["error", "plugin did not answer", `price/${at}`]));
  });
  test.each<[string, () => Price]>([
    [
      "fails",
      () => {
        throw new Error("no luck");
      },
    ],
    ["is none", () => ({ input: Number.NaN, output: 1 })],
  ])("of the provider's own that %s is that of the sources, and the log names the provider", (_, price) => {
    const { costOf, lines } = costsBy([() => cents(5)]);
    expect(costOf(asked(), { price })).toBe(50);
    expect(lines).toEqual([["error", "plugin did not answer", "provider/x"]]);
  });
  test("of the provider's own that is promised is waited for", async () => {
    const late = (price: Price | undefined) => ({ price: () => Promise.resolve(price) as never }); // its type says that it is none
    const { costOf } = costsBy([() => cents(5)]);
    expect(await costOf(asked(), late(cents(2)))).toBe(20);
    expect(await costOf(asked(), late(undefined))).toBe(50);
  });
  test("of a source that fails or does not answer in time is the next one's, and the log names the source", async () => {
    const { costOf, lines } = costsBy(
      [
        () => {
          throw new Error("no luck");
        },
        () => Promise.reject(new Error("no luck")),
        () => new Promise(() => undefined),
        () => cents(5),
      ],
      5,
    );
    expect(await costOf(asked(), none)).toBe(50);
    expect(lines).toEqual([0, 1, 2].map((at) => ["error", "plugin did not answer", `price/${at}`]));
  });
});
