import type { CheckResult, GuardrailResult, Json } from "#contract";
import { isJson, isoTime, MAX_JSON_LEVELS, nestsDeeper } from "#contract";
import { type Ran, changes } from "./run.ts";
import type { ActiveGuardrail, BoundCheck, Failure, Feedback, GuardDeps, CheckOutcome } from "./types.ts";

/** When an error counts as passed. A parsed denial is not an error and never does. */
type Opens = (failOnError: boolean | null, denying: boolean) => boolean;
/** The documented default: unless the check's `failOnError` is true. */
const unlessAsked: Opens = (failOnError) => failOnError !== true;
/** A fault that will not pass by itself: a denying guardrail stays shut unless the check says `failOnError: false`. */
const unlessDenying: Opens = (failOnError, denying) => failOnError === false || (failOnError === null && !denying);
/** There is no check to ask, or the text kept it from answering: a denying guardrail stays shut. */
const neverWhenDenying: Opens = (failOnError, denying) => !denying && failOnError !== true;
/** It saw something to change and we could not change it. */
const never: Opens = () => false;

/** The one place that says what an error means for the guardrail's verdict. */
const FAIL_MODE: Readonly<Record<Failure, { readonly opens: Opens; readonly name: string }>> = {
  timeout: { opens: unlessAsked, name: "Timeout error" },
  unavailable: { opens: unlessAsked, name: "Unavailable error" },
  malformed: { opens: unlessAsked, name: "Malformed answer error" },
  config: { opens: unlessAsked, name: "Configuration error" },
  crash: { opens: unlessAsked, name: "Check error" },
  auth: { opens: unlessDenying, name: "Authentication error" },
  budget: { opens: neverWhenDenying, name: "Budget error" },
  busy: { opens: neverWhenDenying, name: "Busy error" },
  not_running: { opens: neverWhenDenying, name: "Unavailable error" },
  bad_transform: { opens: never, name: "Malformed transform error" },
};
/** A check may name a class we do not have; then it crashed. */
const failMode = (failure: Failure | null) => FAIL_MODE[failure !== null && Object.hasOwn(FAIL_MODE, failure) ? failure : "crash"];

/** Does this count as passed for the guardrail's verdict? */
export function passes({ kind, failure, check }: CheckOutcome, guardrail: ActiveGuardrail): boolean {
  if (kind === "error") return failMode(failure).opens(check.failOnError, guardrail.deny);
  return kind !== "deny";
}

/** Is this guardrail's verdict true? */
export function passed({ guardrail, judged }: Ran): boolean {
  for (const outcome of judged) if (!passes(outcome, guardrail)) return false;
  return true;
}

/** The documented result of a guardrail. */
export const resultOf = (ran: Ran, deps: GuardDeps): GuardrailResult => plainly(shownResult(ran, passed(ran), deps));

/** The same with the data of its checks as they gave it: only its text may be kept. */
export function shownResult({ guardrail, judged, tookMs }: Ran, verdict: boolean, deps: GuardDeps): GuardrailResult {
  const checks: CheckResult[] = [];
  for (const outcome of judged) checks.push(shownCheck(outcome, guardrail, deps));
  return {
    verdict,
    id: guardrail.id,
    transformed: !guardrail.async && judged.some(changes), // nothing that runs beside the request changes it
    checks,
    feedback: judged.length === guardrail.checks.length && judged.every(isSuccess) ? guardrail.praise : feedbackOf(guardrail, judged),
    execution_time: tookMs,
    async: guardrail.async,
    type: "guardrail",
    created_at: isoTime(deps.now()),
    deny: guardrail.deny && !verdict,
  };
}

function shownCheck(outcome: CheckOutcome, guardrail: ActiveGuardrail, deps: GuardDeps): CheckResult {
  return {
    data: shownData(outcome, deps),
    verdict: isSuccess(outcome),
    id: outcome.check.id,
    error: outcome.kind === "error" ? shownError(outcome, guardrail, deps) : null,
    execution_time: outcome.tookMs,
    transformed: changes(outcome) && !guardrail.async,
    created_at: isoTime(outcome.startedAt),
    log: null,
    fail_on_error: outcome.check.failOnError === true,
  };
}

function shownError({ check, failure, message, tookMs }: CheckOutcome, guardrail: ActiveGuardrail, deps: GuardDeps): CheckResult["error"] {
  const why = String(deps.redact(message ?? ""));
  deps.log?.("warn", "guardrail.check_error", { guardrail: guardrail.id, check: check.id, class: failure, ms: tookMs, why });
  return { name: failMode(failure).name, message: why };
}

function shownData({ data, kind, message }: CheckOutcome, deps: GuardDeps): unknown {
  if (data === undefined || data === null) return null;
  try {
    const redacted = deps.redact(data);
    const shown = isJson(redacted) && typeof redacted["toJSON"] !== "function" ? redacted : plain(redacted);
    return kind === "deny" && isJson(shown) ? explained(shown, deps.redact(message ?? "")) : shown;
  } catch {
    return null; // a getter that throws: the verdict stands without it
  }
}
/** The reason of a denial is shown with whatever else the check shows, unless that explains itself. */
const explained = (shown: Json, explanation: unknown): Json => ("explanation" in shown ? shown : { ...shown, explanation });

/* ── their text ──────────────────────────────────────────────────────────────────────────────────────────────── */

/** Results as the JSON text of their list, whatever data their checks gave. */
export function textOf(results: readonly GuardrailResult[]): string {
  try {
    return JSON.stringify(results);
  } catch {
    return JSON.stringify(results.map(plainly));
  }
}
const plainly = (result: GuardrailResult): GuardrailResult => ({
  ...result,
  checks: result.checks.map((check) => ({ ...check, data: plain(check.data) })),
});

/** A check's data as plain JSON: whatever it is, the result that carries it can be written. */
function plain(data: unknown): unknown {
  try {
    if (nestsDeeper(data, MAX_JSON_LEVELS)) return null; // the runtime would take seconds to find that it cannot write it
    return JSON.parse(JSON.stringify(data) ?? "null");
  } catch {
    return null; // a number too big for JSON, a getter that throws: the verdict stands without it
  }
}

/* ── feedback ────────────────────────────────────────────────────────────────────────────────────────────────── */

const isSuccess = ({ kind }: CheckOutcome): boolean => kind === "allow" || kind === "transform";

/** The feedback when every check of a guardrail ran and passed. */
export const praise = (chosen: Feedback | null, checks: readonly BoundCheck[]): GuardrailResult["feedback"] =>
  chosen && feedback(chosen, idsOf(checks), "", "");

/** Errors do not spoil the feedback: it is about what was judged. */
function feedbackOf({ onSuccess, onFail }: ActiveGuardrail, judged: readonly CheckOutcome[]): GuardrailResult["feedback"] {
  const checksThat = (is: (outcome: CheckOutcome) => boolean): string => idsOf(judged.filter(is).map(({ check }) => check));
  const denied = checksThat(({ kind }) => kind === "deny");
  const chosen = judged.some(({ kind }) => kind === "deny") ? onFail : onSuccess;
  return (
    chosen &&
    feedback(
      chosen,
      checksThat(isSuccess),
      denied,
      checksThat(({ kind }) => kind === "error"),
    )
  );
}

const idsOf = (checks: readonly BoundCheck[]): string => checks.map(({ id }) => id).join(",");
const feedback = (
  { value, weight, ...chosen }: Feedback,
  successfulChecks: string,
  failedChecks: string,
  erroredChecks: string,
): NonNullable<GuardrailResult["feedback"]> => ({
  value,
  weight,
  metadata: { ...configured(chosen), successfulChecks, failedChecks, erroredChecks },
});

/** Feedback metadata is an object, or a string that may hold one. */
function configured({ metadata }: Pick<Feedback, "metadata">): object {
  if (isJson(metadata)) return metadata;
  if (metadata === "") return {};
  try {
    const parsed: unknown = JSON.parse(metadata);
    if (isJson(parsed)) return parsed;
  } catch {
    // not JSON: it is a plain note
  }
  return { metadata };
}
