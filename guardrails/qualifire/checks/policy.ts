import { Type } from "@sinclair/typebox";
import { OneOf } from "#contract";
import { CALL, evaluation, type Host, Mode } from "../evaluate.ts";

const Params = Type.Object({
  policies: Type.Array(Type.String({ minLength: 1, maxLength: 4096, description: "A policy, as a sentence." }), {
    minItems: 1,
    maxItems: 100,
    description: "What must hold: `The model promises no discount.`",
  }),
  policy_target: OneOf(["input", "output", "both"], { default: "both", description: "What the policies are about." }),
  mode: Mode,
  ...CALL,
});

export default (host: Host) =>
  evaluation(host, {
    id: "qualifire.policy",
    title: "Policies in your own words",
    on: ["input", "output"],
    params: Params,
    checks: ({ policies, policy_target, mode }) => ({ assertions: policies, assertions_mode: mode, policy_target }),
  });
