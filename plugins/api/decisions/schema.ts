import { Type } from "@sinclair/typebox";
import { Nullable } from "#contract";
import { ModelOrSet, open } from "../content/schema.ts";

const anyText = [Type.String(), Type.Record(Type.String(), Type.Unknown()), Type.Array(Type.Unknown())];
const Instructions = Type.Union(anyText, { description: "What is asked about the state." });

const Noul = Type.Object(
  {
    type: Type.Literal("noul"),
    instructions: Instructions,
    criteria: Type.Optional(
      Nullable(
        Type.Object(
          { true: Type.Optional(Type.Unknown()), false: Type.Optional(Type.Unknown()) },
          { ...open, description: "When it is a yes, and when a no." },
        ),
      ),
    ),
  },
  { ...open, description: "Yes or no." },
);
const Choice = Type.Object(
  {
    type: Type.Literal("choice"),
    instructions: Instructions,
    criteria: Type.Record(Type.String(), Type.Unknown(), { minProperties: 1, description: "Option -> when it is right, or null." }),
  },
  { ...open, description: "One of several options." },
);
const Score = Type.Object(
  {
    type: Type.Literal("score"),
    instructions: Instructions,
    criteria: Type.Array(Type.Unknown(), { minItems: 2, maxItems: 10, description: "The levels, the lowest first." }),
  },
  { ...open, description: "A place on a scale." },
);

export const DecisionBody = Type.Object(
  {
    model: Type.Optional(ModelOrSet),
    state: Type.Union(anyText, { description: "What is judged. Input guardrails read it, and nothing else of the body." }),
    questions: Type.Record(Type.String(), Type.Union([Noul, Choice, Score]), {
      minProperties: 1,
      description: "Id -> question; answers come back by these ids.",
    }),
  },
  { ...open, $id: "CreateDecisionRequest" },
);

const Probability = Type.Number({ minimum: 0, maximum: 1 });
const Probabilities = Type.Record(Type.String(), Probability);
const Answer = Type.Union([
  Type.Object({ type: Type.Literal("noul"), noul: Probability }, { ...open, description: "How likely a yes is." }),
  Type.Object({ type: Type.Literal("choice"), choice: Type.String(), probabilities: Probabilities, confidence: Probability }, open),
  Type.Object(
    {
      type: Type.Literal("score"),
      score: Type.Number({ description: "The place on the scale, weighted by the probabilities." }),
      probabilities: Type.Unknown(),
      legend: Type.Unknown(),
      confidence: Probability,
    },
    open,
  ),
]);
export const DecisionResult = Type.Object(
  {
    model: Type.String({ description: "The exact version that answered." }),
    answers: Type.Record(Type.String(), Answer),
    usage: Type.Optional(Type.Object({ input_tokens: Type.Integer(), output_tokens: Type.Integer() }, open)),
  },
  { ...open, $id: "CreateDecisionResponse" },
);
