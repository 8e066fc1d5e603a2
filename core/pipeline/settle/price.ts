import { LRUCache } from "lru-cache";
import type { MaybePromise } from "../../kernel/process/maybe-promise.ts";
import { inputTokens, outputTokens, type Price, type Provider, tokens, USAGE_PARTS, type Usage, type UsagePart } from "#contract";

/*
 * What an answer cost, in US cents. A provider's own price comes first; list prices of public models come from a
 * maintained package, whose data is loaded at the first use.
 */

export interface Priced {
  readonly providerId: string;
  readonly provider: Pick<Provider, "price">;
  readonly model: string;
}

/** `null` when nobody knows the price: an unknown price is not a price of zero. */
export function costOf(usage: Usage, priced: Priced): MaybePromise<number | null> {
  const own = priced.provider.price?.(priced.model);
  if (own) return sumOf(usage, own);
  return loaded ? listed(usage, priced, loaded) : listedLater(usage, priced);
}

const listed = (usage: Usage, { providerId, model }: Priced, list: ListPrices): number | null =>
  inputTokens(usage) > TIERED_FROM ? list.exact(usage, providerId, model) : list.byPart(usage, providerId, model);
const listedLater = async (usage: Usage, priced: Priced): Promise<number | null> => listed(usage, priced, await listPrices());

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
function sumOf(usage: Usage, price: Price): number {
  let cents = 0;
  for (const part of USAGE_PARTS) cents += tokens(usage[part]) * (price[part] ?? price[BASE_PART[part]]);
  return cents;
}

/** Some models cost more per token beyond a long prompt; below this, a price per token holds. */
const TIERED_FROM = 100_000;
const SAMPLE_TOKENS = 1_000;
const MAX_REMEMBERED = 2_000;
const CENTS_PER_DOLLAR = 100;

interface ListPrices {
  exact(usage: Usage, providerId: string, model: string): number | null;
  byPart(usage: Usage, providerId: string, model: string): number | null;
}
let loading: Promise<ListPrices> | undefined;
let loaded: ListPrices | undefined;
const listPrices = (): Promise<ListPrices> => (loading ??= loadListPrices());

async function loadListPrices(): Promise<ListPrices> {
  const { calcPrice } = await import("@pydantic/genai-prices");
  const cents = (tokens: Readonly<Record<string, number>>, providerId: string, model: string): number | null => {
    const found = calcPrice(tokens, model, { providerId });
    return found ? found.total_price * CENTS_PER_DOLLAR : null;
  };
  const remembered = new LRUCache<string, { readonly price: Price | null }>({ max: MAX_REMEMBERED });
  const pricePerToken = (providerId: string, model: string): Price | null => {
    const key = `${providerId}/${model}`;
    const known = remembered.get(key);
    if (known !== undefined) return known.price;
    const price = sampled(centsOf(providerId, model));
    remembered.set(key, { price });
    return price;
  };
  const centsOf = (providerId: string, model: string) => (tokens: Readonly<Record<string, number>>) => cents(tokens, providerId, model);
  return (loaded = {
    exact: (usage, providerId, model) => cents(tokensOf(usage), providerId, model),
    byPart(usage, providerId, model) {
      const price = pricePerToken(providerId, model);
      return price && sumOf(usage, price);
    },
  });
}

/** One part at a time, so that the sum over any usage needs no further look-up. */
function sampled(cents: (tokens: Readonly<Record<string, number>>) => number | null): Price | null {
  const one = (usage: Usage): number | null => {
    const total = cents(tokensOf(usage));
    return total === null ? null : total / SAMPLE_TOKENS;
  };
  const entries = USAGE_PARTS.map((part) => [part, one({ [part]: SAMPLE_TOKENS })] as const);
  if (entries.some(([, price]) => price === null)) return null;
  return Object.fromEntries(entries) as unknown as Price; // every part is there, none is null, by the two lines above
}

/** The package counts cached and audio tokens inside the input total. */
const tokensOf = (usage: Usage): Readonly<Record<string, number>> => ({
  input_tokens: inputTokens(usage),
  cache_read_tokens: usage.cacheRead ?? 0,
  cache_write_tokens: (usage.cacheWrite5m ?? 0) + (usage.cacheWrite1h ?? 0),
  output_tokens: outputTokens(usage),
  ...(usage.inputAudio && { input_audio_tokens: usage.inputAudio }),
  ...(usage.outputAudio && { output_audio_tokens: usage.outputAudio }),
});
