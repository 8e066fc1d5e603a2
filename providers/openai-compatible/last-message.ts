import { isJson, type Json } from "#contract";
import { withQuestion } from "../wires/chat/question.ts";

/** For vendors whose last message is a user's or a tool's: system messages alone are the question, and an answer that was begun says so. */
export const withLastMessage = (body: Json): Json => withPrefix(withQuestion(body));

function withPrefix(body: Json): Json {
  const messages: unknown = body["messages"];
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (!Array.isArray(messages) || !isJson(last) || last["role"] !== "assistant" || "prefix" in last || calls(last)) return body;
  return { ...body, messages: [...messages.slice(0, -1), { ...last, prefix: true }] };
}
const calls = ({ tool_calls }: Json): boolean => Array.isArray(tool_calls) && tool_calls.length > 0;
