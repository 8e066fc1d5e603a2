import type { Call, GuardrailResult } from "#contract";
import { type Json, isJson } from "#contract";
import { withFields } from "./guardrail-form.ts";
import { resultOf } from "./guardrail-result.ts";
import { type Ran, applied, runGuardrail } from "./guardrail-run.ts";
import { Subject, bodyOf } from "./guardrail-subject.ts";
import type { ActiveGuardrail, GuardDeps, GuardView, Guarded, GuardedAnswer, GuardedCall } from "./guardrail-types.ts";
import { type MaybePromise, after, all } from "./maybe-promise.ts";
import { hasContent } from "./segments.ts";

export { activeGuardrails } from "./guardrail-active.ts";
export type { ActiveGuardrail, GuardDeps, GuardView, Guarded, GuardedAnswer, GuardedCall } from "./guardrail-types.ts";

/** Judges a request before it is sent, and gives it back as the guardrails changed it. */
export function guardInput(list: readonly ActiveGuardrail[], call: Call, view: GuardView, deps: GuardDeps): MaybePromise<GuardedCall> {
  if (list.length === 0) return { call, ...NOTHING };
  const subject = new Subject("input", bodyOf(call) ?? {}, { call, view, status: null });
  return after(guarded(list, subject, deps), (done) =>
    after(withBody(call, subject.body, done.body), (changed) => ({ ...done, call: changed })),
  );
}

/** Judges a whole answer before the client gets it. Only good answers of operations with content are judged. */
export function guardOutput(
  list: readonly ActiveGuardrail[],
  call: Call,
  body: Json,
  status: number,
  view: GuardView,
  deps: GuardDeps,
): MaybePromise<GuardedAnswer> {
  if (list.length === 0 || !isGood(status) || !hasContent(call.operation, "output")) return { body, ...NOTHING };
  return guarded(list, new Subject("output", body, { call, view, status }), deps);
}

/** Every 2xx: an answer does not leave its guardrails behind by being "created". */
export const isGood = (status: number): boolean => status >= 200 && status < 300;

const NO_RESULTS: Promise<readonly GuardrailResult[]> = Promise.resolve([]);
const NOTHING: Guarded = { results: [], denied: false, failed: false, pending: NO_RESULTS };

/** All guardrails at once; the patches of those that were waited for, in their order. */
function guarded(list: readonly ActiveGuardrail[], subject: Subject, deps: GuardDeps): MaybePromise<GuardedAnswer> {
  const pending = beside(
    list.filter((guardrail) => guardrail.async),
    subject,
    deps,
  );
  const waited = all(list.filter((guardrail) => !guardrail.async).map((guardrail) => runGuardrail(guardrail, subject, deps)));
  return after(waited, (ran) => ({ ...outcome(ran, subject.body, deps), pending }));
}

/** Folds what ran into a body and results. */
export function outcome(ran: readonly Ran[], body: Json, deps: GuardDeps): Omit<GuardedAnswer, "pending"> {
  let changed = body;
  const results = ran.map((one) => {
    const judged = one.judged.map((said) => {
      const step = applied(changed, said);
      changed = step.body;
      return step.judged;
    });
    return resultOf({ ...one, judged }, deps);
  });
  return { body: changed, results, denied: results.some(({ deny }) => deny), failed: results.some(({ verdict }) => !verdict) };
}

/** Runs asynchronous guardrails after the request has gone on. They change nothing and a failure of ours stays here. */
export function beside(list: readonly ActiveGuardrail[], subject: Subject, deps: GuardDeps): Promise<readonly GuardrailResult[]> {
  if (list.length === 0) return NO_RESULTS;
  const calm = subject.untied();
  const run = async (guardrail: ActiveGuardrail): Promise<GuardrailResult> => resultOf(await runGuardrail(guardrail, calm, deps), deps);
  return NO_RESULTS.then(() => Promise.all(list.map(run))).catch((thrown: unknown) => {
    deps.log?.("error", "guardrail.async_failed", { why: String(thrown) });
    return [];
  });
}

function withBody(call: Call, before: Json, after: Json): MaybePromise<Call> {
  if (after === before) return call;
  if (call.body.kind === "json") return { ...call, body: { kind: "json", value: after, text: JSON.stringify(after) } };
  if (call.body.kind !== "form-read") return call;
  return withFields(call.body, textsOf(after)).then((body) => ({ ...call, body }));
}
const textsOf = (fields: Json): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === "string" ? value : isJson(value) ? JSON.stringify(value) : String(value),
    ]),
  );

/** The guardrails that denied, as `HOOKS_FAILED` names them. */
export const deniedBy = (results: readonly GuardrailResult[]): string =>
  results
    .filter(({ deny, async: beside }) => deny && !beside)
    .map(({ id }) => id)
    .join(", ");
