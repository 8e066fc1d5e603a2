import { isJson, type Json } from "#contract";
import { withoutForeign } from "./foreign.ts";
import { isSignedThought } from "./thinking.ts";

/** A message request in Anthropic's own form: the same object, or without what Anthropic would refuse in it. */
export const nativeRequest = (body: Json): Json => withoutUnsignedThinking(withoutForeign(withoutTopP(body)));

/** Does it ask for an answer in a schema? Not every cloud promises that for Claude. */
export const wantsFormat = ({ output_config: config, output_format: format }: Json): boolean =>
  isJson(format) || (isJson(config) && isJson(config.format));

/** Anthropic takes one of the two. */
function withoutTopP(body: Json): Json {
  if (typeof body.temperature !== "number" || typeof body.top_p !== "number") return body;
  const { top_p: _dropped, ...rest } = body;
  return rest;
}

/** With a budget, a turn that has called tools goes on only if it began with its signed thoughts; another one is ended without. */
function withoutUnsignedThinking(body: Json): Json {
  const { thinking, messages: turns, ...rest } = body;
  if (!isJson(thinking) || thinking.type !== "enabled" || !Array.isArray(turns) || !goesOnUnsigned(turns)) return body;
  return { ...rest, messages: turns };
}
function goesOnUnsigned(turns: readonly unknown[]): boolean {
  const begun = turns[turns.findLastIndex(asks) + 1];
  return isJson(begun) && begun.role === "assistant" && !(Array.isArray(begun.content) && isSigned(begun.content[0]));
}
const asks = (turn: unknown): boolean => isJson(turn) && turn.role !== "assistant" && !hasResult(turn.content);
const hasResult = (content: unknown): boolean =>
  Array.isArray(content) && content.some((block) => isJson(block) && block.type === "tool_result");
const isSigned = (block: unknown): boolean => isJson(block) && isSignedThought(block);
