import type { ErrorClass, ErrorCode, Patch, Verdict } from "#contract";
import { CheckFault, GatewayError, isJson, messageOf } from "#contract";
import { isExhaustion } from "../../compute/exhaustion.ts";
import type { BoundCheck } from "../plan/guardrails/active.ts";
import type { Failure, GuardDeps, CheckOutcome } from "./types.ts";

/** A check's answer, or an error the engine itself found. */
export type EngineVerdict =
  | Verdict
  | { readonly verdict: "error"; readonly class: Failure; readonly message: string; readonly data?: unknown };
/** An error the engine found. */
export const error = (failure: Failure, message: string): EngineVerdict => ({ verdict: "error", class: failure, message });

/** Errors of the gateway's own client that say why a check could not ask its service. */
const THROWN: { readonly [C in ErrorCode]?: ErrorClass } & Readonly<Record<string, ErrorClass>> = {
  TIMEOUT: "timeout",
  UPSTREAM_UNREACHABLE: "unavailable",
  UPSTREAM_INVALID: "malformed",
  STORAGE_UNAVAILABLE: "unavailable",
  HOST_BLOCKED: "config",
  HOST_NOT_DECLARED: "config",
  ACCESS_DENIED: "auth",
  SECRET_MISSING: "auth",
  SECRET_ABSENT: "auth",
  SECRET_UNAVAILABLE: "auth",
  CREDENTIALS_MISSING: "auth",
  MEMORY_FULL: "busy",
  INNER_BUSY: "busy",
  INNER_NESTED: "config",
  CONFIG_OVERRIDE: "config",
};
/** What a check threw, as its error. */
export const fromThrown = (thrown: unknown): EngineVerdict => error(classOf(thrown), shortened(thrown));
function classOf(thrown: unknown): ErrorClass {
  if (CheckFault.is(thrown)) return thrown.errorClass;
  if (GatewayError.is(thrown)) return THROWN[thrown.code] ?? "crash";
  return isExhaustion(thrown) ? "budget" : "crash";
}

/** What people are told is no more than they would read: a check may say without end. */
function shortened(said: unknown): string {
  const text = messageOf(said);
  return text.length <= MAX_MESSAGE_CHARS ? text : `${text.slice(0, MAX_MESSAGE_CHARS)}…`;
}
const MAX_MESSAGE_CHARS = 10_000;

/** A check's answer as a judgement, whatever the answer is. */
export function judgedOf(verdict: EngineVerdict, check: BoundCheck, startedAt: number, deps: GuardDeps): CheckOutcome {
  const { kind, failure, message, patches, data } = understood(verdict, check);
  return { check, kind, failure, message, patches, data, startedAt, tookMs: deps.now() - startedAt };
}

type Understood = Pick<CheckOutcome, "kind" | "failure" | "message" | "patches" | "data">;
const NO_PATCHES: readonly Patch[] = [];
const failed = (failure: Failure, message: string, data?: unknown): Understood => ({
  kind: "error",
  failure,
  message,
  patches: NO_PATCHES,
  data,
});

/** How each kind of answer is read; anything else is a crash. */
const UNDERSTOOD: {
  readonly [V in EngineVerdict["verdict"]]: (verdict: Extract<EngineVerdict, { verdict: V }>, check: BoundCheck) => Understood;
} = {
  allow: ({ data }) => ({ kind: "allow", failure: null, message: null, patches: NO_PATCHES, data }),
  deny: ({ reason, data }) => ({
    kind: "deny",
    failure: null,
    message: shortened(reason),
    patches: NO_PATCHES,
    data: data ?? { explanation: shortened(reason) },
  }),
  transform({ patches, data }, { id, loaded }) {
    if (!loaded?.check.transforms) return failed("bad_transform", `${id} answered a transform, which it does not declare.`, data);
    if (!Array.isArray(patches) || patches.some((patch) => !isJson(patch)))
      return failed("bad_transform", `${id} answered a transform without patches.`, data);
    return { kind: "transform", failure: null, message: null, patches, data };
  },
  error: ({ class: failure, message, data }) => failed(failure, shortened(message), data),
};

function understood(verdict: EngineVerdict, check: BoundCheck): Understood {
  try {
    if (!isJson(verdict) || !Object.hasOwn(UNDERSTOOD, verdict.verdict))
      return failed("crash", `${check.id} answered something that is not a verdict.`);
    return (UNDERSTOOD[verdict.verdict] as (verdict: EngineVerdict, check: BoundCheck) => Understood)(verdict, check); // the key selects the reader of its own kind
  } catch (thrown) {
    return failed("crash", `${check.id} answered something that cannot be read: ${messageOf(thrown)}.`);
  }
}

/** Of a check that judged more than once (windows of a text, or again what others left) what weighs more, else the latest. Times add up. */
export function weightier(before: CheckOutcome | undefined, now: CheckOutcome): CheckOutcome {
  if (before === undefined) return now;
  const counts = WEIGHT[before.kind] > WEIGHT[now.kind] ? before : now;
  return { ...counts, startedAt: before.startedAt, tookMs: before.tookMs + now.tookMs };
}
const WEIGHT: Readonly<Record<CheckOutcome["kind"], number>> = { allow: 0, transform: 1, error: 2, deny: 3 };
