import { Type } from "@sinclair/typebox";
import { type Check, isJson, RedactParam, remoteCheckOfEach, SAID, type TextFinding, vendorParams } from "#contract";
import { bodyOf, CALL, type Evaluation, evaluationIn, type Host } from "./evaluate.ts";
import { masked, type Span } from "./mask.ts";

const Params = Type.Object({ redact: RedactParam, ...vendorParams() });

/** A check that finds places in each text of an answer, and can mask them. */
export const entities = (
  host: Host,
  { id, title, evaluator }: { readonly id: string; readonly title: string; readonly evaluator: string },
): Check =>
  remoteCheckOfEach(host, {
    ...CALL,
    id,
    title,
    on: ["output"],
    wants: SAID,
    scope: "turn",
    transforms: true,
    params: Params,
    ask: ({ text }, input) => bodyOf(text, { evaluator }, input),
    judge: (reply, { text }, { params }) => found(text, evaluationIn(reply), params.redact, evaluator),
  });

/** Where it stands is not shown: it would point at what was masked. */
function found(text: string, { pass, additional_info }: Evaluation, redact: boolean, evaluator: string): TextFinding {
  if (pass) return { reason: null };
  const spans = spansIn(additional_info);
  const data = { evaluator, pass, found: spans.length };
  const reason = `The evaluator ${evaluator} does not pass the answer.`;
  return redact && spans.length > 0 ? { reason, redacted: masked(text, spans), data } : { reason, data };
}

const spansIn = (info: unknown): readonly Span[] =>
  isJson(info) && Array.isArray(info["positions"]) ? info["positions"].filter(isSpan) : [];
const isSpan = (span: unknown): span is Span =>
  Array.isArray(span) && span.length === 2 && span.every((at) => Number.isInteger(at) && at >= 0) && span[0] < span[1];
