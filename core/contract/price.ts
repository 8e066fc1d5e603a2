import type { Caller } from "./request.ts";
import type { PAGE_PARTS, Usage, UsagePart } from "./stream.ts";

/**
 * US cents per token, by part of the usage; a part without a price of its own costs what its base part costs. `request` is
 * what each request costs besides its tokens.
 */
export type Price = { readonly [P in UsagePart]?: number } & {
  readonly input: number;
  readonly output: number;
  readonly request?: number;
} & {
  /** For each page that was read. */
  readonly [P in (typeof PAGE_PARTS)[number]]?: number;
};

/** Where prices come from. A provider's own `price` comes first, then the sources in the order of the profile: the first that knows a price. */
export interface PriceSource {
  /**
   * `undefined` where it does not know one: an unknown price is not a price of zero. It is asked for every answer with
   * usage, so what takes time is got once and kept: a promise is waited for a few seconds, and the same question later
   * is answered without one.
   */
  price(asked: PriceQuestion): Price | undefined | Promise<Price | undefined>;
}

/** An answer whose price is asked for. */
export interface PriceQuestion {
  /** Whoever answered: `openai`. */
  readonly providerId: string;
  /** `@slug` of the saved provider, where the answer came through one. */
  readonly providerSlug: string | null;
  /** As the provider calls it. */
  readonly model: string;
  /** A price may depend on it: some models cost more per token beyond a long prompt. */
  readonly usage: Usage;
  readonly caller: Caller | null;
}
