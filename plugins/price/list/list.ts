import type { ModelPrice, TieredPrices } from "@pydantic/genai-prices";
import type { Price, UsagePart } from "#contract";

/*
 * What the package says of a model, as our price. It names its prices by unit: `_mtok` is US dollars per million tokens,
 * `_kcount` per thousand.
 */

const CENTS_PER_TOKEN = 100 / 1_000_000;
const CENTS_PER_REQUEST = 100 / 1_000;

/** The units that price a part; of several the first that the model has. */
const UNITS: { readonly [P in UsagePart]: readonly string[] } = {
  input: ["input_mtok"],
  cacheRead: ["cache_read_mtok"],
  cacheWrite5m: ["cache_write_5m_mtok", "cache_write_mtok"],
  cacheWrite1h: ["cache_write_1h_mtok", "cache_write_mtok"],
  inputAudio: ["input_audio_mtok"],
  output: ["output_mtok"],
  reasoning: ["output_reasoning_mtok"],
  outputAudio: ["output_audio_mtok"],
};
const REQUESTS = "requests_kcount";
const PAGES = { pages: "input_document_kpages", annotatedPages: "input_annotated_document_kpages" } as const;
const CENTS_PER_PAGE = 100 / 1_000;

/** The price for prompts of any length, or one by their tokens where the model has tiers. */
export type ListPrice = Price | ((inputTokens: number) => Price);

/** `undefined` for a model that is priced by what we do not count: hours of audio, searches. A model without any price is free. */
export function listPriceOf(prices: ModelPrice): ListPrice | undefined {
  const units = Object.keys(prices);
  const isCounted = units.length === 0 || units.some((unit) => COUNTED.has(unit));
  if (!isCounted) return undefined;
  const hasTiers = Object.values(prices).some((price) => typeof price === "object");
  return hasTiers ? (inputTokens) => priceAt(prices, inputTokens) : priceAt(prices, 0);
}
const COUNTED: ReadonlySet<string> = new Set([...Object.values(UNITS).flat(), ...Object.values(PAGES), REQUESTS]);

function priceAt(prices: ModelPrice, inputTokens: number): Price {
  const parts = Object.entries(UNITS).flatMap(([part, units]) => {
    const listed = units.map((unit) => prices[unit]).find((price) => price !== undefined);
    return listed === undefined ? [] : [[part, dollars(listed, inputTokens) * CENTS_PER_TOKEN] as const];
  });
  const perRequest = prices[REQUESTS];
  const pages = Object.entries(PAGES).flatMap(([part, unit]) => {
    const listed = prices[unit];
    return listed === undefined ? [] : [[part, dollars(listed, inputTokens) * CENTS_PER_PAGE] as const];
  });
  return {
    input: 0,
    output: 0,
    ...Object.fromEntries([...parts, ...pages]),
    ...(perRequest !== undefined && { request: dollars(perRequest, inputTokens) * CENTS_PER_REQUEST }),
  };
}

/** Beyond a tier's start, all tokens cost the tier's price. */
const dollars = (price: number | TieredPrices, inputTokens: number): number =>
  typeof price === "number" ? price : (price.tiers.findLast(({ start }) => inputTokens > start)?.price ?? price.base);
