import type { FinishReason } from "#contract";

/** Others, of tomorrow, count as a stop. */
export const FINISH: Readonly<Record<string, FinishReason>> = {
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
  // what was meant was left out of the answer: clients must not take what there is for all of it
  MALFORMED_FUNCTION_CALL: "content_filter",
  UNEXPECTED_TOOL_CALL: "content_filter",
  TOO_MANY_TOOL_CALLS: "content_filter",
  MISSING_THOUGHT_SIGNATURE: "content_filter",
  MALFORMED_RESPONSE: "content_filter",
  NO_IMAGE: "content_filter",
  IMAGE_OTHER: "content_filter",
};
