import type { AdapterInput, Call, Caller, Dialect, EncodeOptions, Json, Leaf, MountedOperation, Plan } from "#contract";
import type { Spending } from "../../compute/allowance.ts";
import type { Held } from "../../kernel/process/memory-budget.ts";
import type { Prepared } from "../plan/prepare.ts";
import type { Resolved } from "../plan/targets.ts";
import type { GuardedCall } from "./guardrail-report.ts";
import type { LeftBehind } from "./left-behind.ts";

/** A planned request on its way through its targets. */
export interface RoutedRequest {
  readonly call: Call;
  readonly caller: Caller;
  readonly plan: Plan;
  readonly prepared: Prepared;
  readonly held: Held;
  /** What answers repeat of the client's own body, where another took its place. */
  readonly echo?: Json | undefined;
  /** The answers that it went on without so far. */
  leftBehind?: LeftBehind[];
  /** What is let go once the request is over, whether anybody read it to its end or not. */
  letGo?: (() => void)[];
  /** What its checks have taken so far, whichever target they ran for. */
  spending?: Spending;
  /** Input guardrails that have run, by their list and the body they saw: another target with both the same does not run them again. */
  guarded?: Map<Leaf["inputGuardrails"], { readonly saw: Json | null; readonly result: GuardedCall }>;
}

/** One target's turn at a request: made once, when its input guardrails have run, and read-only from then on. */
export interface Try {
  readonly request: RoutedRequest;
  /** The call as the target's input guardrails left it. */
  readonly call: Call;
  readonly leaf: Leaf;
  readonly to: Resolved;
  readonly form: ClientForm;
  readonly ask: AdapterInput;
  /** The request's JSON body as the provider wants it; `null` when the body is not JSON. */
  readonly body: Json | null;
  /** What its input guardrails said; `null` where it has none. */
  readonly guarded: GuardedCall | null;
}

/** The client's side: its dialect, when the operation has one, and how to write it. */
export interface ClientForm {
  readonly dialect: Dialect | null;
  readonly encode: EncodeOptions;
  /** The operation that was asked. */
  readonly row: MountedOperation;
}
