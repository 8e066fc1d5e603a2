import type { CheckResult, GuardrailResult } from "#contract";
import { isJson, isoTime } from "#contract";
import type { Ran } from "./guardrail-run.ts";
import type { ActiveGuardrail, Failure, Feedback, GuardDeps, Judged } from "./guardrail-types.ts";

/** When an error counts as passed. A parsed denial is not an error and never does. */
type Opens = (failOnError: boolean | null, denying: boolean) => boolean;
/** The documented default: unless the check's `failOnError` is true. */
const unlessAsked: Opens = (failOnError) => failOnError !== true;
/** A fault that will not pass by itself: a denying guardrail stays shut unless the check says `failOnError: false`. */
const unlessDenying: Opens = (failOnError, denying) => failOnError === false || (failOnError === null && !denying);
/** There is no check to ask: a denying guardrail stays shut. */
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
  not_running: { opens: neverWhenDenying, name: "Unavailable error" },
  bad_transform: { opens: never, name: "Malformed transform error" },
};
/** A check may name a class we do not have; then it crashed. */
const failMode = (failure: Failure | null) => FAIL_MODE[failure !== null && Object.hasOwn(FAIL_MODE, failure) ? failure : "crash"];

/** Does this count as passed for the guardrail's verdict? */
export function passes({ kind, failure, check }: Judged, guardrail: ActiveGuardrail): boolean {
  if (kind === "error") return failMode(failure).opens(check.failOnError, guardrail.deny);
  return kind !== "deny";
}

/** The documented result of a guardrail (data-plane fact sheet 6). */
export function resultOf({ guardrail, judged, tookMs }: Ran, deps: GuardDeps): GuardrailResult {
  const verdict = judged.every((one) => passes(one, guardrail));
  const checks = judged.map((one) => checkResult(one, guardrail, deps));
  return {
    verdict,
    id: guardrail.id,
    transformed: checks.some(({ transformed }) => transformed),
    checks,
    feedback: feedbackOf(guardrail, judged),
    execution_time: tookMs,
    async: guardrail.async,
    type: "guardrail",
    created_at: isoTime(deps.now()),
    deny: guardrail.deny && !verdict,
  };
}

function checkResult(one: Judged, guardrail: ActiveGuardrail, deps: GuardDeps): CheckResult {
  if (one.kind === "error")
    deps.log?.("warn", "guardrail.check_error", { guardrail: guardrail.id, check: one.check.id, class: one.failure, ms: one.tookMs });
  return {
    data: shownData(one.data, deps),
    verdict: one.kind === "allow" || one.kind === "transform",
    id: one.check.id,
    error: one.kind === "error" ? { name: failMode(one.failure).name, message: String(deps.redact(one.message ?? "")) } : null,
    execution_time: one.tookMs,
    transformed: one.kind === "transform" && !guardrail.async, // nothing that runs beside the request changes it
    created_at: isoTime(one.startedAt),
    log: null,
    fail_on_error: one.check.failOnError === true,
  };
}

/** A check's data as plain JSON: whatever it is, the result that carries it can be written. */
function shownData(data: unknown, deps: GuardDeps): unknown {
  if (data === undefined || data === null) return null;
  try {
    return JSON.parse(JSON.stringify(deps.redact(data)) ?? "null");
  } catch {
    return null; // a number too big for JSON, a getter that throws: the verdict stands without it
  }
}

/** Errors do not spoil the feedback: it is about what was judged. */
function feedbackOf({ onSuccess, onFail }: ActiveGuardrail, judged: readonly Judged[]): GuardrailResult["feedback"] {
  const chosen = judged.some(({ kind }) => kind === "deny") ? onFail : onSuccess;
  if (chosen === null) return null;
  const ids = (...kinds: readonly Judged["kind"][]): string =>
    judged
      .filter(({ kind }) => kinds.includes(kind))
      .map(({ check }) => check.id)
      .join(",");
  const counted = { successfulChecks: ids("allow", "transform"), failedChecks: ids("deny"), erroredChecks: ids("error") };
  return { value: chosen.value, weight: chosen.weight, metadata: { ...configured(chosen), ...counted } };
}

/** Feedback metadata is an object, or a string that may hold one (guardrails fact sheet 1). */
function configured({ metadata }: Feedback): object {
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
