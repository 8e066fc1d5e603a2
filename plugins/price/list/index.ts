import { Type } from "@sinclair/typebox";
import { LRUCache } from "lru-cache";
import { definePlugin, inputTokens, type Price, type PriceQuestion, type Usage } from "#contract";
import { type ListPrice, listPriceOf } from "./list.ts";
import { loadedOnce } from "./loaded-once.ts";

const MAX_REMEMBERED = 2_000;
/** Some models cost more at certain hours, or from a day on. */
const REMEMBERED_MS = 60_000;

/** Says the list price of a model at this time; `undefined` where nobody has listed one. */
type Lookup = (providerId: string, model: string) => ListPrice | undefined;

/** List prices of public models. The data is loaded at the first question. */
export default definePlugin({
  kind: "price",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: ({ now }) => {
    const list = loadedOnce(async () => remembering(await openList(now), now), now);
    return {
      provides: {
        price(question) {
          const lookup = list();
          return lookup instanceof Promise ? lookup.then((loaded) => priceOf(question, loaded)) : lookup && priceOf(question, lookup);
        },
      },
    };
  },
});

const priceOf = ({ providerId, model, usage }: PriceQuestion, lookup: Lookup): Price | undefined =>
  forUsage(lookup(providerId, model), usage);

const forUsage = (price: ListPrice | undefined, usage: Usage): Price | undefined =>
  typeof price === "function" ? price(inputTokens(usage)) : price;

async function openList(now: () => number): Promise<Lookup> {
  const { calcPrice } = await import("@pydantic/genai-prices");
  return (providerId, model) => {
    const found = calcPrice({}, model, { providerId, timestamp: new Date(now()) });
    return found ? listPriceOf(found.model_price) : undefined;
  };
}

/** The list is long, and looked through from its beginning. */
function remembering(lookup: Lookup, now: () => number): Lookup {
  const remembered = new LRUCache<string, { readonly price: ListPrice | undefined }>({
    max: MAX_REMEMBERED,
    ttl: REMEMBERED_MS,
    ttlResolution: 0,
    perf: { now },
  });
  return (providerId, model) => {
    const key = `${providerId}/${model}`;
    const found = remembered.get(key);
    if (found) return found.price;
    const price = lookup(providerId, model);
    remembered.set(key, { price });
    return price;
  };
}
