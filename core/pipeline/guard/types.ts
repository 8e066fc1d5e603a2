import type { Caller, ErrorClass, HeaderClasses, Json, Logger, Patch, TenantIds } from "#contract";
import type { Spending } from "../../compute/allowance.ts";
import type { Generation } from "../../kernel/generation.ts";
import type { KeyHeaders } from "../../kernel/secrets/caller-key.ts";
import type { Compute } from "../../compute/pool.ts";
import type { Guarded } from "../call/guardrail-report.ts";
import type { BoundCheck } from "../plan/guardrails/active.ts";

/** What running guardrails need of the gateway. */
export interface GuardDeps {
  /** What a header's name says of it, in this deployment. */
  readonly headers: HeaderClasses;
  /** Headers in which clients may say their key. */
  readonly keyHeaders: KeyHeaders;
  now(): number;
  /** Takes known secrets out of what results show. */
  redact(value: unknown): unknown;
  readonly log?: Logger;
  /** Does the work that may be dear. */
  readonly compute: Compute;
  /** Those that the lines of a file may be of. */
  readonly operations: Generation["operations"];
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
  /** The same, for what its tenants keep for checks. */
  readonly tenantIds: TenantIds;
  /** Who asked; absent where its checks may ask no model as that. */
  readonly caller?: Caller;
  /** Nobody writes a record of it. */
  readonly unrecorded?: true;
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
