import type { ErrorClass, GuardrailResult, HeaderClasses, Json, Logger, Patch, Scope, SegmentKind } from "#contract";
import type { Spending } from "../../compute/allowance.ts";
import type { Compute } from "../../compute/pool.ts";
import type { Generation, LoadedCheck } from "../../kernel/generation.ts";
import type { Guarded } from "../call/guardrail-report.ts";

/** What a guardrail says of itself, its checks apart. */
export interface GuardrailRules {
  /** Slug or id, as `hook_results` show it. */
  readonly id: string;
  readonly deny: boolean;
  readonly async: boolean;
  readonly sequential: boolean;
  readonly onSuccess: Feedback | null;
  readonly onFail: Feedback | null;
}

/** A guardrail ready to run: found, its checks bound to running code, its parameters judged and complete. */
export interface ActiveGuardrail extends GuardrailRules {
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
  readonly wants: ReadonlySet<SegmentKind>;
  readonly scope: Scope;
  readonly timeoutMs: number;
  /** The parameter `failOnError`; `null` when the guardrail does not say. */
  readonly failOnError: boolean | null;
}

/** What guardrails need of the running gateway. */
export interface GuardDeps {
  readonly checks: Generation["checks"];
  readonly plugins: Generation["plugins"];
  readonly stores: { readonly records: Generation["stores"]["records"] };
  /** What a header's name says of it, in this deployment. */
  readonly headers: HeaderClasses;
  /** Opens the secret parameters of saved checks. */
  readonly vault: Pick<Generation["vault"], "open">;
  now(): number;
  /** Takes known secrets out of what results show. */
  redact(value: unknown): unknown;
  readonly log?: Logger;
  /** Does the work that may be dear. */
  readonly compute: Compute;
}
/** Where the request goes, as checks may know it. */
export interface GuardView {
  readonly provider: string | null;
  readonly model: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** What the checks of this request have taken so far. */
  readonly spending: Spending;
  /** Whose request it is, where work is shared fairly. */
  readonly tenant: string;
}

/** Why a check could not judge: what it said itself, or what the engine found wrong with it. */
export type Failure = ErrorClass | "not_running" | "bad_transform";

/** What came of one check. */
export interface CheckOutcome {
  readonly check: BoundCheck;
  readonly kind: "allow" | "deny" | "transform" | "error";
  readonly failure: Failure | null;
  readonly message: string | null;
  readonly patches: readonly Patch[];
  readonly data: unknown;
  readonly startedAt: number;
  readonly tookMs: number;
}

export interface GuardedAnswer extends Guarded {
  readonly body: Json;
}
