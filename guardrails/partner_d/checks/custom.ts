import { Type } from "@sinclair/typebox";
import { vendorParams } from "#contract";
import type { Evaluator, Host } from "../evaluate.ts";
import { judgedBy } from "../judge.ts";

const Params = Type.Object({
  profile: Type.String({
    minLength: 1,
    maxLength: 255,
    description: "Evaluator and criteria, as `evaluator:criteria`, or the criteria alone, which the evaluator `judge` then judges by.",
  }),
  ...vendorParams(15_000),
});

export default (host: Host) =>
  judgedBy(host, {
    id: "partner_d.custom",
    title: "An evaluator of your own",
    params: Params,
    by: ({ profile }) => evaluatorIn(profile),
  });

/** Criteria of the vendor's own begin with its name and a colon, which names no evaluator. */
const OWN = "patronus:";
function evaluatorIn(profile: string): Evaluator {
  const [, evaluator, criteria] = (profile.startsWith(OWN) ? null : /^([^:]+):(.+)$/s.exec(profile)) ?? [];
  return evaluator === undefined || criteria === undefined ? { evaluator: "judge", criteria: profile } : { evaluator, criteria };
}
