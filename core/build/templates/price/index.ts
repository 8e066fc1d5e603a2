import { Type } from "@sinclair/typebox";
import { definePlugin, type Price } from "#contract";

const Dollars = Type.Object(
  { input: Type.Number({ minimum: 0, description: "Of input." }), output: Type.Number({ minimum: 0, description: "Of output." }) },
  { additionalProperties: false, description: "US dollars per million tokens." },
);
const CENTS_PER_TOKEN = 100 / 1_000_000;

/** Prices that an operator has agreed on: `{"models": {"openai/gpt-4o": {"input": 2, "output": 8}}}`. */
export default definePlugin({
  kind: "price",
  config: Type.Object(
    { models: Type.Record(Type.String(), Dollars, { default: {}, description: "Prices by `<provider>/<model>`." }) },
    { additionalProperties: false },
  ),
  needs: [],
  setup(_, { models }) {
    const prices = new Map(
      Object.entries(models).map(([name, { input, output }]): [string, Price] => [
        name,
        { input: input * CENTS_PER_TOKEN, output: output * CENTS_PER_TOKEN },
      ]),
    );
    return { provides: { price: ({ providerId, model }) => prices.get(`${providerId}/${model}`) } };
  },
});
