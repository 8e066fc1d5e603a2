import { Type } from "@sinclair/typebox";
import { type Handles, questionOf, remoteCheck, SAID, vendorParams } from "#contract";
import { Credentials } from "../credentials.ts";

const EVALUATOR = "hallucination";

export default (host: Pick<Handles, "fetch">) =>
  remoteCheck(host, {
    id: "patronus.retrievalHallucination",
    title: "The answer makes nothing up",
    on: ["output"],
    wants: SAID,
    scope: "turn",
    params: Type.Object(vendorParams(15_000)),
    credentials: Credentials,
    reply: Type.Object({
      results: Type.Array(
        Type.Object({ evaluation_result: Type.Object({ pass: Type.Boolean(), additional_info: Type.Optional(Type.Unknown()) }) }),
        { minItems: 1 },
      ),
    }),
    url: () => "https://api.patronus.ai/v1/evaluate",
    headers: (_, { apiKey }) => ({ "x-api-key": apiKey }),
    ask: ({ text, call }) => ({
      evaluators: [{ evaluator: EVALUATOR, explain_strategy: "always" }],
      evaluated_model_input: questionOf(call.request),
      evaluated_model_output: text,
    }),
    judge({ results }) {
      const pass = results.every(({ evaluation_result }) => evaluation_result.pass);
      const data = { evaluator: EVALUATOR, pass, additional_info: results[0]?.evaluation_result.additional_info };
      return pass ? { verdict: "allow", data } : { verdict: "deny", reason: "The answer makes something up.", data };
    },
  });
