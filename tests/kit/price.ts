import { describe, expect, test } from "bun:test";
import type { Price, PriceQuestion, Usage } from "#contract";
import { forAll, frozen, type PluginCase } from "./set-up.ts";
import { CALLERS } from "./tenants.ts";

export interface PriceCase extends PluginCase<"price"> {
  /** Prices that it must know. */
  readonly known?: readonly (Pick<PriceQuestion, "providerId" | "model"> & Partial<PriceQuestion> & { readonly price: Price })[];
}
const ODD_NAMES = ["", " ", "\u0000", "__proto__", "constructor", "a/b/c", "@slug", "x".repeat(5_000)];
const ODD_USAGES: readonly Usage[] = [{}, { input: 0, output: 0 }, { input: -5, output: Number.NaN }, { cacheRead: 1e15, reasoning: 1 }];

/** The question about an answer of this provider and model. */
export const priceQuestion = (providerId: string, model: string, more: Partial<PriceQuestion> = {}): PriceQuestion => ({
  providerId,
  providerSlug: null,
  model,
  usage: { input: 10, output: 5 },
  caller: CALLERS.workspace,
  ...more,
});

/** Conformance of a source of prices: what it says can be added up, what it does not know it does not say, and it says it at once. */
export function testPrice({ known = [], ...given }: PriceCase): void {
  describe(`price ${given.manifest.id}`, () => {
    const at = forAll(given);

    test("whatever it is asked, it says a price that can be added up, or none", async () => {
      const usages = ODD_USAGES.map((usage) => priceQuestion("gateway-kit", "m", { usage }));
      for (const asked of [...ODD_NAMES.flatMap((name) => [priceQuestion(name, "m"), priceQuestion("gateway-kit", name)]), ...usages]) {
        const price = await at().provides.price(frozen(asked));
        const amounts = price === undefined ? [0, 0] : [price.input, price.output, ...Object.values(price)];
        expect(amounts.filter((cents) => !(typeof cents === "number" && cents >= 0 && cents < Number.POSITIVE_INFINITY))).toEqual([]);
      }
    });
    test("a request without a caller is priced too", async () => {
      expect(await at().provides.price(priceQuestion("gateway-kit", "m", { caller: null }))).toEqual(
        await at().provides.price(priceQuestion("gateway-kit", "m")),
      );
    });
    test("what it has said once, it says again without a promise", async () => {
      const asked = known.map(({ providerId, model, price: _, ...more }) => priceQuestion(providerId, model, more));
      for (const question of [priceQuestion("gateway-kit", "m"), ...asked]) {
        const first = await at().provides.price(question);
        expect(at().provides.price(question)).toEqual(first as Price); // a promise equals no price
      }
    });
    for (const { providerId, model, price, ...more } of known)
      test(`${providerId}/${model} costs what it should`, async () => {
        expect(await at().provides.price(priceQuestion(providerId, model, more))).toEqual(price);
      });
  });
}
