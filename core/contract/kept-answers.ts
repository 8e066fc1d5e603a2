import type { Json } from "./json.ts";
import type { Call, Caller } from "./request.ts";

/** A body that takes the place of the client's: the same request, with what it only referred to. */
export interface PreparedBody {
  readonly body: Json;
  /** Bytes that were read for it; they count against the memory that requests may hold. */
  readonly bytes: number;
  /** What the answer repeats of the client's own body, where the new one has it no more. */
  readonly echo?: Json;
}

/**
 * Answers that no provider knows again, because the gateway made them out of those of another operation
 * (`Dialect.served`): their plugin keeps them. Nothing here is asked for answers that a provider gave in this form.
 */
export interface KeptAnswers {
  /** Is the answer to this request to be kept? Where that, or `completed`, throws, it counts as one that could not be kept. */
  wants(call: Call, caller: Caller): boolean;
  /** Asked of every piece of a stream's wire text, whole frames: the answer, where its last event is among them. */
  completed(wire: string): Json | undefined;
  /**
   * Keeps an answer that is complete and good, as guardrails left it, before its client has its end: what the client asks
   * next finds it. It is waited for a few seconds; when it throws, or takes longer, the client gets its answer all the
   * same, and the log and `/metrics` say that it was not kept. `call` is the client's own, before
   * `prepare`, with what the config of the target that answered sets in its body; `judged` is the body that was sent, where
   * guardrails changed it: what they took out is not to be kept.
   */
  keep(answer: Json, call: Call, caller: Caller, judged: Json | null): Promise<void>;
}
