import type { Json } from "./json.ts";
import type { GuardrailResult, Side } from "./guardrail.ts";
import type { Caller } from "./request.ts";
import type { OperationName } from "./operation.ts";

/** A request, and on the output side its answer, that guardrails judge without a provider being asked. */
export interface GuardrailQuestion {
  /** Slugs or ids of saved guardrails, or guardrails written out as configs have them. Each is waited for, whatever it says of `async`, `shadow` and its roll-out. */
  readonly guardrails: readonly (string | Json)[];
  readonly side: Side;
  /** Which operation the bodies are of. */
  readonly requestType: OperationName;
  /** Provider id, where checks may ask for one. */
  readonly provider: string | null;
  readonly request: { readonly json: Json; readonly headers: Readonly<Record<string, string>> };
  /** The answer; there on the output side. */
  readonly response?: { readonly json: Json; readonly status: number };
  readonly metadata: Readonly<Record<string, string>>;
}
export interface GuardrailJudgement {
  /** As `hook_results` has them, in the order of the question. */
  readonly results: readonly GuardrailResult[];
  /** The body that was judged, as the guardrails changed it: the very same value where none did. */
  readonly body: Json;
}
export interface GuardrailJudge {
  /**
   * Throws REQUEST_INVALID for bodies that are none of the operation's, GUARDRAIL_UNKNOWN and CHECK_UNKNOWN. When `signal`
   * fires, checks are told to stop.
   */
  judge(question: GuardrailQuestion, as: Caller, signal: AbortSignal): Promise<GuardrailJudgement>;
}
