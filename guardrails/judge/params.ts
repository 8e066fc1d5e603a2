import { type Static, Type } from "@sinclair/typebox";
import { modelParams, OneOf } from "#contract";

const Score = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
const Example = Type.Object(
  {
    text: Type.String({ minLength: 1, maxLength: 2_000, description: "A text." }),
    score: Score("Its score."),
    reason: Type.Optional(Type.String({ maxLength: 300, description: "Why." })),
  },
  { additionalProperties: false },
);

export const Params = Type.Object({
  rubric: Type.String({
    minLength: 1,
    maxLength: 8_000,
    description: "What a text ought to be like, in plain words: what meets it passes.",
  }),
  ...modelParams(),
  threshold: Type.Number({
    default: 0.5,
    minimum: 0,
    maximum: 1,
    description: "A text passes with this score or more; 1 meets the rubric entirely.",
  }),
  not: Type.Boolean({ default: false, description: "Turn the verdict around: what meets the rubric fails." }),
  examples: Type.Array(Example, { default: [], maxItems: 20, description: "Texts with the score that each deserves." }),
  maxChars: Type.Integer({ default: 20_000, minimum: 100, maximum: 200_000, description: "Characters of a text that the model is shown." }),
  longText: OneOf(["refuse", "cut"], {
    default: "refuse",
    description:
      "A longer text: `refuse` is an error (a guardrail that denies stays shut), `cut` shows the model its beginning and its end.",
  }),
  structured: Type.Boolean({
    default: true,
    description: "Ask for the verdict by a JSON schema; asked again without it where a provider refuses that.",
  }),
  maxTokens: Type.Integer({
    default: 1_024,
    minimum: 16,
    maximum: 32_768,
    description: "Tokens of the model's answer, its thoughts included.",
  }),
  cacheSeconds: Type.Integer({
    default: 300,
    minimum: 0,
    maximum: 86_400,
    description: "A verdict on the same text counts for so long; 0 asks each time.",
  }),
  callsPerMinute: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: "Calls of the model a minute, of the workspace with this rubric and model.",
    }),
  ),
  centsPerDay: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 10_000_000,
      description: "US cents a day (UTC), counted alike. A model without a known price costs nothing here.",
    }),
  ),
  whenSpent: OneOf(["closed", "open"], {
    default: "closed",
    description: "Either of them is used up: `closed` refuses where the guardrail denies, `open` goes on unless `failOnError` is true.",
  }),
  timeout: Type.Number({ default: 15_000, minimum: 1, description: "Milliseconds that the check may take." }),
});
export type Params = Static<typeof Params>;
