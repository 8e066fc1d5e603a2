import type { GuardrailResult, Json, MaybePromise, Scope, SegmentKind, TenantIds } from "#contract";
import type { LoadedCheck } from "../../../kernel/generation.ts";

/** What a guardrail says of itself, its checks apart. */
export interface GuardrailRules {
  /** Slug or id, as `hook_results` show it. */
  readonly id: string;
  readonly deny: boolean;
  readonly async: boolean;
  readonly sequential: boolean;
  /** It changes texts and has no verdict. */
  readonly isMutator: boolean;
  /** A denial is answered with 200, where an answer can say so. */
  readonly softDeny: boolean;
  /** Percent of traces for which it acts; for the others it is watched: what it would have done is reported, and not done. */
  readonly rollout: number;
  readonly onSuccess: Feedback | null;
  readonly onFail: Feedback | null;
}

/** A guardrail ready to run: found, its checks bound to running code, its parameters judged and complete. */
export interface ActiveGuardrail extends GuardrailRules {
  /** Request headers that its checks write, in lower case: no client may. */
  readonly writes: readonly string[];
  /** A default guardrail of the workspace or the organisation that may change texts: all others see what it leaves. */
  readonly leads?: true;
  /** On this request it is watched only. */
  readonly shadow?: true;
  readonly checks: readonly BoundCheck[];
  /** The feedback when every check ran and passed. */
  readonly praise: GuardrailResult["feedback"];
}
export interface Feedback {
  readonly value: number;
  readonly weight: number;
  readonly metadata: string | Json;
}
export interface BoundCheck {
  readonly id: string;
  /** `null` when no running plugin provides it: the result is then the error `not_running`. */
  readonly loaded: LoadedCheck | null;
  readonly params: unknown;
  /** Where parameters are kept elsewhere: the same check with all of them. Throws SECRET_ABSENT, SECRET_UNAVAILABLE. */
  readonly whole?: (tenant: TenantIds) => MaybePromise<BoundCheck>;
  readonly wants: ReadonlySet<SegmentKind>;
  readonly scope: Scope;
  /** It sees the text under test alone, and nothing that stands beside it. */
  readonly measures: boolean;
  readonly timeoutMs: number;
  /** The parameter `failOnError`; `null` when the guardrail does not say. */
  readonly failOnError: boolean | null;
}
