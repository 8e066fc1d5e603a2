import type { CheckResult, GuardrailResult, Json } from "#contract";
import { isJson, isoTime, MAX_JSON_LEVELS, nestsDeeper } from "#contract";
import { roomBeside } from "../../json/written.ts";
import { type Ran, changes } from "./run.ts";
import type { ActiveGuardrail, BoundCheck } from "../plan/guardrails/active.ts";
import { feedback } from "../plan/guardrails/feedback.ts";
import { failMode } from "./fail-mode.ts";
import type { GuardDeps, CheckOutcome } from "./types.ts";

/** Does this count as passed for the guardrail's verdict? */
export function passes({ kind, failure, check }: CheckOutcome, guardrail: ActiveGuardrail): boolean {
  if (guardrail.isMutator) return kind !== "error" || check.failOnError !== true;
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
    deny: (guardrail.deny || guardrail.isMutator) && !verdict,
    ...(guardrail.shadow && { shadow: true as const }),
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
    const redacted = deps.redact(roomBeside(data, MAX_DATA_CHARS) < 0 ? OMITTED : data);
    const shown = isJson(redacted) && typeof redacted["toJSON"] !== "function" ? redacted : plain(redacted);
    return kind === "deny" && isJson(shown) ? explained(shown, deps.redact(message ?? "")) : shown;
  } catch {
    return null; // a getter that throws: the verdict stands without it
  }
}
/** Data of more values and characters is not looked through: that would hold up everybody else. */
const MAX_DATA_CHARS = 1_000_000;
const OMITTED = { omitted: `The data has more than ${MAX_DATA_CHARS} values and characters, and is not shown.` };
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
/** With the data of its checks as JSON would have it. */
export const plainly = (result: GuardrailResult): GuardrailResult => ({
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

/** Errors do not spoil the feedback: it is about what was judged. */
function feedbackOf({ onSuccess, onFail }: ActiveGuardrail, judged: readonly CheckOutcome[]): GuardrailResult["feedback"] {
  const checksThat = (is: (outcome: CheckOutcome) => boolean): readonly BoundCheck[] => judged.filter(is).map(({ check }) => check);
  const failed = checksThat(({ kind }) => kind === "deny");
  const chosen = failed.length > 0 ? onFail : onSuccess;
  return chosen && feedback(chosen, { successful: checksThat(isSuccess), failed, errored: checksThat(({ kind }) => kind === "error") });
}
