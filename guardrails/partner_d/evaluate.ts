import { type Static, Type } from "@sinclair/typebox";
import { type CheckInput, type Handles, type Json, questionOf } from "#contract";
import { Credentials } from "./credentials.ts";

export type Host = Pick<Handles, "fetch">;

/** Who judges an answer, and by what. */
export interface Evaluator {
  readonly evaluator: string;
  readonly criteria?: string;
}
const Reply = Type.Object({
  results: Type.Array(
    Type.Object({ evaluation_result: Type.Object({ pass: Type.Boolean(), additional_info: Type.Optional(Type.Unknown()) }) }),
    { minItems: 1 },
  ),
});
export type Evaluation = Static<typeof Reply>["results"][number]["evaluation_result"];

/** The vendor's one call, as every check makes it: one evaluator judges one answer, beside what was asked. */
export const CALL = {
  credentials: Credentials,
  reply: Reply,
  url: () => "https://api.patronus.ai/v1/evaluate",
  headers: (_: unknown, { apiKey }: Static<typeof Credentials>) => ({ "x-api-key": apiKey }),
} as const;

export const bodyOf = (output: string, by: Evaluator, { call }: Pick<CheckInput<unknown>, "call">): Json => ({
  evaluators: [{ evaluator: by.evaluator, explain_strategy: "always", ...(by.criteria !== undefined && { criteria: by.criteria }) }],
  evaluated_model_input: questionOf(call.request),
  evaluated_model_output: output,
});
/** There is one, by the schema. */
export const evaluationIn = ({ results }: Static<typeof Reply>): Evaluation => (results[0] as (typeof results)[number]).evaluation_result;
