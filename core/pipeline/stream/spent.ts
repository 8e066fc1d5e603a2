import type { Json, JsonText, Usage } from "#contract";

/** What came of an answer that its client does not get, because a guardrail denied it: it is paid for all the same. */
export interface Spent {
  /** As the provider reported it. */
  readonly usage: Usage | null;
  readonly model: string | null;
  /** Did it come to its end? Else what was reported may be said of its beginning only. */
  readonly isComplete: boolean;
  /** What was received, to be counted where nobody reported it: a whole body, or the texts of a stream. */
  readonly received: WholeBody | string;
}
export interface WholeBody {
  readonly body: Json | null;
  readonly text: JsonText;
}
