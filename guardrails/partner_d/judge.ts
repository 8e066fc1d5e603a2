import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { type Check, remoteCheck, SAID, vendorParams } from "#contract";
import { bodyOf, CALL, type Evaluator, evaluationIn, type Host } from "./evaluate.ts";

/** A check that one evaluator decides. */
interface Judged {
  readonly id: string;
  readonly title: string;
  readonly by: Evaluator;
}

export const judged = (host: Host, { id, title, by }: Judged): Check => judgedBy(host, { id, title, params: Params, by: () => by });

const Params = Type.Object({
  redact: Type.Boolean({ default: false, description: "Of no effect here: there is nothing to take out of an answer that fails." }),
  ...vendorParams(),
});

/** The same, where its parameters say which evaluator. */
export const judgedBy = <P extends TSchema>(
  host: Host,
  { id, title, params, by }: { readonly id: string; readonly title: string; readonly params: P; by(params: Static<P>): Evaluator },
): Check =>
  remoteCheck(host, {
    ...CALL,
    id,
    title,
    on: ["output"],
    wants: SAID,
    scope: "turn",
    params,
    ask: (input) => bodyOf(input.text, by(input.params), input),
    judge(reply, input) {
      const evaluator = by(input.params);
      const { pass, additional_info } = evaluationIn(reply);
      const data = { ...evaluator, pass, additional_info };
      return pass
        ? { verdict: "allow", data }
        : { verdict: "deny", reason: `The evaluator ${nameOf(evaluator)} does not pass the answer.`, data };
    },
  });
const nameOf = ({ evaluator, criteria }: Evaluator): string => (criteria === undefined ? evaluator : `${evaluator} by ${criteria}`);

/** Criteria of the vendor's own. */
export const ownCriteria = (name: string): Evaluator => ({ evaluator: "judge", criteria: `patronus:${name}` });
