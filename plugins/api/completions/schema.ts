import { Type } from "@sinclair/typebox";
import { Nullable } from "#contract";
import { ModelOrSet, open } from "../content/schema.ts";

const integer = (minimum: number, maximum: number | undefined, description: string) =>
  Type.Optional(Nullable(Type.Integer({ minimum, ...(maximum !== undefined && { maximum }), description })));
const number = (minimum: number, maximum: number, description: string) =>
  Type.Optional(Nullable(Type.Number({ minimum, maximum, description })));

export const CompletionBody = Type.Object(
  {
    model: Type.Optional(ModelOrSet),
    prompt: Type.Optional(
      Nullable(
        Type.Union([Type.String(), Type.Array(Type.Unknown(), { minItems: 1 })], {
          description: "A text, a list of texts, a list of tokens, or a list of such lists. Each entry of a list is answered.",
        }),
      ),
    ),
    suffix: Type.Optional(Nullable(Type.String({ description: "What comes behind the completion." }))),
    max_tokens: integer(0, undefined, "The longest a completion may be; default: 16."),
    n: integer(1, 128, "Completions of each prompt."),
    best_of: integer(0, 20, "The best of so many are chosen; not streamed."),
    echo: Type.Optional(Nullable(Type.Boolean({ default: false, description: "Whether the prompt comes first in its completion." }))),
    logprobs: integer(0, undefined, "How many of the likeliest tokens come with each."),
    stop: Type.Optional(Nullable(Type.Union([Type.String(), Type.Array(Type.String())]))),
    temperature: number(0, 2, "How far the model may stray from the likeliest."),
    top_p: number(0, 1, "Tokens that make up so much of the probability are chosen from."),
    presence_penalty: number(-2, 2, "Against topics that were there before."),
    frequency_penalty: number(-2, 2, "Against words that were there often."),
    logit_bias: Type.Optional(Nullable(Type.Record(Type.String(), Type.Number(), { description: "Token -> bias." }))),
    seed: Type.Optional(Nullable(Type.Integer({ description: "The same seed gives the same completion, as far as the provider can." }))),
    stream: Type.Optional(Nullable(Type.Boolean({ default: false, description: "Answer as server-sent events." }))),
    stream_options: Type.Optional(Nullable(Type.Object({ include_usage: Type.Optional(Type.Boolean()) }, open))),
    user: Type.Optional(Nullable(Type.String({ description: "Your user's id." }))),
  },
  { ...open, $id: "CreateCompletionRequest" },
);

export const Completion = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("text_completion"),
    created: Type.Integer({ description: "Unix seconds." }),
    model: Type.String(),
    choices: Type.Array(
      Type.Object(
        {
          text: Type.String(),
          index: Type.Integer({ description: "Of all completions of all prompts." }),
          logprobs: Nullable(Type.Object({}, open)),
          finish_reason: Nullable(Type.String({ description: "`stop`, `length` or `content_filter`." })),
        },
        open,
      ),
    ),
    usage: Type.Optional(
      Type.Object({ prompt_tokens: Type.Integer(), completion_tokens: Type.Integer(), total_tokens: Type.Integer() }, open),
    ),
  },
  { ...open, $id: "CreateCompletionResponse" },
);
