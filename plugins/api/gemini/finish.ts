import type { FinishReason } from "#contract";
import { entry } from "./wire.ts";

/** Google's reasons -> the vocabulary of answers. */
const FINISH: Readonly<Record<string, FinishReason>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  SAFETY: "content_filter",
  RECITATION: "content_filter",
  PROHIBITED_CONTENT: "content_filter",
  BLOCKLIST: "content_filter",
  SPII: "content_filter",
  LANGUAGE: "content_filter",
  IMAGE_SAFETY: "content_filter",
  IMAGE_PROHIBITED_CONTENT: "content_filter",
  IMAGE_RECITATION: "content_filter",
  // what was meant was left out of the answer
  MALFORMED_FUNCTION_CALL: "content_filter",
  UNEXPECTED_TOOL_CALL: "content_filter",
  TOO_MANY_TOOL_CALLS: "content_filter",
  MISSING_THOUGHT_SIGNATURE: "content_filter",
  MALFORMED_RESPONSE: "content_filter",
  NO_IMAGE: "content_filter",
  IMAGE_OTHER: "content_filter",
};
/** Google has no word of its own for calls. */
export function finishOf(native: string, calls: boolean): FinishReason {
  const finish = entry(FINISH, native) ?? "stop";
  return finish === "stop" && calls ? "tool_calls" : finish;
}

const REASON = {
  stop: "STOP",
  length: "MAX_TOKENS",
  tool_calls: "STOP",
  function_call: "STOP",
  content_filter: "SAFETY",
} as const satisfies Record<FinishReason, string>;

/** How an answer ended. */
export interface Ending {
  readonly finish?: FinishReason;
  readonly native?: string;
  readonly refused: boolean;
}
/** The provider's own word where it is one of Google's. */
export function reasonOf({ finish = "stop", native, refused }: Ending): string {
  const own = entry(FINISH, native);
  if (native !== undefined && own !== undefined && REASON[own] === REASON[finish]) return native;
  return finish === "stop" && refused ? "SAFETY" : REASON[finish];
}
