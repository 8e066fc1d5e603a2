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
import type { Loaded } from "../../kernel/generation.ts";
import type { MaybePromise } from "../../kernel/process/maybe-promise.ts";
import { pluginAnswer } from "../../kernel/process/plugin-answer.ts";
import { entering } from "../../kernel/process/watchdog/marks.ts";

/** What an answer cost, in US cents. `null` when nobody knows the price: an unknown price is not a price of zero. */
export type CostOf = (asked: PriceQuestion, provider: Pick<Provider, "price">) => MaybePromise<number | null>;

/** A provider's own price comes first, then the sources of prices in their order. */
export function costing(sources: readonly Loaded<PriceSource>[], log: Logger, limitMs = PRICE_MS): CostOf {
  const asking: Asking = { sources, log, limitMs };
  return (asked, provider) => {
    const own = provider.price?.(asked.model);
    return own ? costFor(asked.usage, own) : costFrom(0, asked, asking);
  };
}
/** A request that waits for its price holds what it holds of the memory budget. */
const PRICE_MS = 5_000;

interface Asking {
  readonly sources: readonly Loaded<PriceSource>[];
  readonly log: Logger;
  readonly limitMs: number;
}

/** By the first source that knows a price, from the one at this place on. No promise where no source gives one. */
function costFrom(place: number, asked: PriceQuestion, asking: Asking): MaybePromise<number | null> {
  const source = asking.sources[place];
  if (!source) return null;
  const price = priceOf(source, asked, asking);
  if (price instanceof Promise) return price.then((found) => (found ? costFor(asked.usage, found) : costFrom(place + 1, asked, asking)));
  return price ? costFor(asked.usage, price) : costFrom(place + 1, asked, asking);
}

/** A source that fails, or takes too long, knows no price. */
function priceOf(source: Loaded<PriceSource>, asked: PriceQuestion, { log, limitMs }: Asking): MaybePromise<Price | undefined> {
  const { name, provides, mark = 0 } = source;
  try {
    entering(mark);
    const price = pluginAnswer(provides.price(asked), limitMs, name, mark);
    return price instanceof Promise ? price.catch((thrown: unknown) => failed(thrown, name, log)) : price;
  } catch (thrown) {
    return failed(thrown, name, log);
  }
}
const failed = (thrown: unknown, source: string, log: Logger): undefined => void log("error", "price failed", { source, why: thrown });

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
function costFor(usage: Usage, price: Price): number | null {
  let cents = price.request ?? 0;
  for (const part of USAGE_PARTS) cents += tokens(usage[part]) * (price[part] ?? price[BASE_PART[part]]);
  return cents >= 0 && cents < Number.POSITIVE_INFINITY ? cents : null; // what a plugin calls a price may be none
}
