import {
  after,
  type Logger,
  type MaybePromise,
  PAGE_PARTS,
  type Price,
  type PriceFactors,
  type PriceQuestion,
  type Prices,
  type PriceSource,
  type Provider,
  tokens,
  type Usage,
  USAGE_PARTS,
  type UsagePart,
} from "#contract";
import type { Provided } from "../../kernel/generation.ts";
import { markOfOwner } from "../../kernel/process/watchdog/marks.ts";
import { answerOf, firstKnown } from "./first-known.ts";

/** What an answer cost, in US cents. `null` when nobody knows the price: an unknown price is not a price of zero. */
export type CostOf = (asked: PriceQuestion, provider: Priced, terms?: PriceTerms) => MaybePromise<number | null>;
type Priced = Pick<Provider, "price">;
/** What was agreed on with whoever is asked. */
export interface PriceTerms {
  /** The model's own price, in place of any other. */
  readonly price?: Price | null | undefined;
  /** What each part of a price is multiplied by. */
  readonly factors?: PriceFactors | null | undefined;
}

/** A request that waits for its price holds what it holds of the memory budget. */
const PRICE_MS = 5_000;

/** What a price is, whoever says it. */
export type PriceOf = (asked: PriceQuestion, provider: Priced) => MaybePromise<Price | undefined>;

/** A provider's own price comes first, then the sources of prices in their order. */
export function pricing(plugins: readonly Provided<PriceSource>[], log: Logger, limitMs = PRICE_MS): PriceOf {
  const how = { check: checkPrice, limitMs, log };
  const listed = firstKnown({ ...how, plugins, ask: (source, asked: PriceQuestion) => source.price(asked) });
  const own = { ...how, ask: (provider: Priced, asked: PriceQuestion) => provider.price?.(asked.model) };
  return (asked, provider) => {
    if (!provider.price) return listed(asked);
    const plugin = { name: `provider/${asked.providerId}`, provides: provider, mark: markOfOwner(provider) };
    return after(answerOf(plugin, asked, own), (price) => price ?? listed(asked));
  };
}

export const costing =
  (priceOf: PriceOf): CostOf =>
  (asked, provider, { price: own, factors } = {}) => {
    const price = own ?? priceOf(asked, provider);
    return price instanceof Promise
      ? price.then((late) => costFor(asked.usage, late, factors ?? undefined))
      : costFor(asked.usage, price, factors ?? undefined);
  };

/** The price of a few tokens, for nobody in particular. */
export const pricesOf = (priceOf: PriceOf, providers: ReadonlyMap<string, { readonly provides: Priced }>): Prices => ({
  of(providerId, model) {
    const asked: PriceQuestion = { providerId, providerSlug: null, model, usage: { input: 1, output: 1 }, caller: null };
    return priceOf(asked, providers.get(providerId)?.provides ?? NO_PRICES);
  },
});
const NO_PRICES: Priced = Object.freeze({});

/** Cents that can be added up, for input and for output at least. */
function checkPrice(price: Price): void {
  checkCents("input", price.input);
  checkCents("output", price.output);
  checkCents("request", price.request ?? 0);
  for (const part of [...USAGE_PARTS, ...PAGE_PARTS]) checkCents(part, price[part] ?? 0);
}
function checkCents(part: string, cents: unknown): void {
  if (!(typeof cents === "number" && cents >= 0 && cents < Number.POSITIVE_INFINITY))
    throw new TypeError(`the price of ${part} is no price`);
}

/** What a part costs when it has no price of its own. */
const BASE_PART: { readonly [P in UsagePart]: "input" | "output" } = {
  input: "input",
  cacheRead: "input",
  cacheWrite5m: "input",
  cacheWrite1h: "input",
  inputAudio: "input",
  output: "output",
  reasoning: "output",
  outputAudio: "output",
};
function costFor(usage: Usage, price: Price | undefined, factors: PriceFactors = AS_IT_IS): number | null {
  if (!price) return null;
  let cents = (price.request ?? 0) * (factors.request ?? 1);
  for (const part of USAGE_PARTS) cents += tokens(usage[part]) * (price[part] ?? price[BASE_PART[part]]) * (factors[part] ?? 1);
  for (const part of PAGE_PARTS) cents += tokens(usage[part]) * (price[part] ?? 0) * (factors[part] ?? 1);
  return cents < Number.POSITIVE_INFINITY ? cents : null; // high prices may add up to more than a number holds
}
const AS_IT_IS: PriceFactors = Object.freeze({});
