import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { Price } from "../price.ts";
import { type PAGE_PARTS, USAGE_PARTS, type UsagePart } from "../stream.ts";
import { Nullable, OneOf } from "./column.ts";

/* Prices of an integration's own, and what it charges beside those of the list. On the wire a price is US cents per token. */

/** The names of the wire for what we count. */
const PARTS_OF = {
  request_token: ["input"],
  response_token: ["output"],
  cache_read_input_token: ["cacheRead"],
  cache_write_input_token: ["cacheWrite5m", "cacheWrite1h"],
  request_audio_token: ["inputAudio"],
  response_audio_token: ["outputAudio"],
  reasoning_token: ["reasoning"],
} as const satisfies Readonly<Record<string, readonly UsagePart[]>>;
type PricedToken = keyof typeof PARTS_OF;
const PRICED_TOKENS = Object.keys(PARTS_OF) as readonly PricedToken[]; // the keys of the same object

/** Taken, kept and shown: nothing of it is counted apart. */
const UNCOUNTED_TOKENS = [
  "cache_read_audio_input_token",
  "prediction_accepted_token",
  "prediction_rejected_token",
  "request_image_token",
  "response_image_token",
  "request_text_token",
  "response_text_token",
  "cache_read_image_input_token",
  "cache_read_text_input_token",
  "cache_write_text_input_token",
  "cache_write_image_input_token",
] as const;

const closed = { additionalProperties: false } as const;
const members = <K extends string, S extends TSchema>(names: readonly K[], schema: S): Record<K, S> =>
  Object.fromEntries(names.map((name) => [name, schema])) as Record<K, S>; // each of the names was given one

const TokenPrice = Type.Optional(
  Type.Object({ price: Type.Number({ minimum: 0, maximum: 1_000_000, description: "US cents per token." }) }, closed),
);
/** What a model of an integration costs, in place of its list price. */
export const PricingConfig = Type.Object(
  {
    type: Type.Optional(OneOf(["static"], { default: "static", description: "The price stays the same." })),
    pay_as_you_go: Type.Optional(
      Type.Object(members(PRICED_TOKENS, TokenPrice), {
        ...closed,
        description: "By what is counted. Input or output that is not named costs nothing; other parts cost what those do.",
      }),
    ),
  },
  { ...closed, description: "The model's own price, in place of its list price." },
);
export type PricingConfig = Static<typeof PricingConfig>;

/** The price that it says, for those who count. */
export function priceIn({ pay_as_you_go: said }: PricingConfig): Price | null {
  if (!said) return null;
  const parts = PRICED_TOKENS.flatMap((name) => {
    const { price } = said[name] ?? {};
    return price === undefined ? [] : PARTS_OF[name].map((part) => [part, price] as const);
  });
  return { input: 0, output: 0, ...Object.fromEntries(parts) };
}

const Factor = Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 1_000_000 })));
const Multiplier = Type.Object(
  {
    default: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 1_000_000, description: "Of all that has no factor of its own." }))),
    ...members([...PRICED_TOKENS, ...UNCOUNTED_TOKENS], Factor),
    image: Type.Optional(Nullable(Type.Object({ default: Factor }, closed))),
    additional_units: Type.Optional(
      Nullable(
        Type.Record(Type.String({ maxLength: 128 }), Nullable(Type.Number({ minimum: 0, maximum: 1_000_000 })), { maxProperties: 100 }),
      ),
    ),
  },
  { ...closed, description: "What prices are multiplied by: 1.2 adds a fifth, 0 makes it free." },
);
/** What an integration's requests cost beside their prices. */
export const PricingAdjustments = Type.Object({ multiplier: Type.Optional(Nullable(Multiplier)) }, closed);
export type PricingAdjustments = Static<typeof PricingAdjustments>;

/** What the price of each part is multiplied by. */
export type PriceFactors = { readonly [P in UsagePart | (typeof PAGE_PARTS)[number] | "request"]?: number };

/** `null` where every price stays what it is. */
export function factorsIn(adjustments: PricingAdjustments | null | undefined): PriceFactors | null {
  const multiplier = adjustments?.multiplier;
  if (!multiplier) return null;
  const all = multiplier.default ?? 1;
  const everything = [...USAGE_PARTS, "pages", "annotatedPages", "request"].map((part) => [part, all] as const);
  const own = PRICED_TOKENS.flatMap((name) => PARTS_OF[name].map((part) => [part, multiplier[name] ?? all] as const));
  return Object.fromEntries([...everything, ...own]);
}

/** A price as the wire shows it. */
export function shownPrice(price: Price): Json {
  const parts = PRICED_TOKENS.flatMap((name) => {
    const cents = price[PARTS_OF[name][0]];
    return cents === undefined ? [] : [[name, { price: cents }] as const];
  });
  return Object.fromEntries(parts);
}
type Json = Readonly<Record<string, unknown>>;
