import { type Static, Type } from "@sinclair/typebox";
import { type Catalog, definePlugin, defineRoute, type Price, type Prices, type Route, shownPrice } from "#contract";

const Cents = Type.Object({ price: Type.Number({ minimum: 0, description: "US cents." }) }, { additionalProperties: false });
const ModelPricing = Type.Object(
  {
    pay_as_you_go: Type.Intersect([
      Type.Record(Type.String(), Type.Unknown(), { description: "By what is counted, per token: `request_token`, `response_token` …" }),
      Type.Object({ additional_units: Type.Optional(Type.Record(Type.String(), Cents, { description: "Per request, and per page." })) }),
    ]),
    currency: Type.Literal("USD"),
  },
  { additionalProperties: false },
);

/** What a model costs, as its requests are counted. */
export default definePlugin({
  kind: "admin",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["catalog", "prices"],
  setup: ({ catalog, prices }) => ({ provides: { routes: [priceRoute(catalog, prices)] } }),
});

/** No model has a longer name, and looking for it would hold others up. */
const MAX_NAME = 256;

const priceRoute = (catalog: Catalog, prices: Prices): Route =>
  defineRoute({
    plane: "control",
    method: "GET",
    path: "/model-configs/pricing/:provider/:model",
    tag: "Model Pricing",
    summary: "Get the price of a model",
    description: "In US cents. Slashes in a model's name are written as `%2F`. 404 for one whose price nobody knows; no key is needed.",
    scope: { public: true },
    query: Type.Object({}, { additionalProperties: false }),
    reply: ModelPricing,
    errors: [400, 404],
    async handle({ params }) {
      const { provider = "", model = "" } = params;
      const isAskable = model.length <= MAX_NAME && catalog.providerIds().includes(provider);
      const price = isAskable ? await prices.of(provider, model) : undefined;
      return price ? shown(price) : Response.json({ error: unknownPrice(provider, model) }, { status: 404 });
    },
  });

const unknownPrice = (provider: string, model: string): string =>
  `Nobody here knows the price of the model ${model.slice(0, MAX_NAME)} of the provider ${provider.slice(0, MAX_NAME)}.`;

function shown(price: Price): Static<typeof ModelPricing> {
  const units = (["request", "pages", "annotatedPages"] as const).flatMap((unit) => {
    const cents = price[unit];
    return cents === undefined ? [] : [[NAMES[unit], { price: cents }] as const];
  });
  return {
    pay_as_you_go: { ...shownPrice(price), ...(units.length > 0 && { additional_units: Object.fromEntries(units) }) },
    currency: "USD",
  };
}
const NAMES = { request: "request", pages: "page", annotatedPages: "annotated_page" } as const;
