import {
  type Logger,
  type Price,
  type PriceQuestion,
  type PriceSource,
  type Provider,
  tokens,
  USAGE_PARTS,
  type Usage,
  type UsagePart,
} from "#contract";
import type { Provided } from "../../kernel/generation.ts";
import type { MaybePromise } from "../../kernel/process/maybe-promise.ts";
import { firstKnown } from "./first-known.ts";

/** What an answer cost, in US cents. `null` when nobody knows the price: an unknown price is not a price of zero. */
export type CostOf = (asked: PriceQuestion, provider: Pick<Provider, "price">) => MaybePromise<number | null>;

/** A request that waits for its price holds what it holds of the memory budget. */
const PRICE_MS = 5_000;

/** A provider's own price comes first, then the sources of prices in their order. */
export function costing(plugins: readonly Provided<PriceSource>[], log: Logger, limitMs = PRICE_MS): CostOf {
  const priceOf = firstKnown({ plugins, ask: (source, asked: PriceQuestion) => source.price(asked), limitMs, log });
  return (asked, provider) => {
    const price = provider.price?.(asked.model) ?? priceOf(asked);
    return price instanceof Promise ? price.then((late) => costFor(asked.usage, late)) : costFor(asked.usage, price);
  };
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
function costFor(usage: Usage, price: Price | undefined): number | null {
  if (!price) return null;
  let cents = price.request ?? 0;
  for (const part of USAGE_PARTS) cents += tokens(usage[part]) * (price[part] ?? price[BASE_PART[part]]);
  return cents >= 0 && cents < Number.POSITIVE_INFINITY ? cents : null; // what a plugin calls a price may be none
}
