import { isJson, type Json, type Usage } from "#contract";
import { tokenUsage, usageFoundAtEnd } from "../content/token-usage.ts";
import { usageOf } from "../content/usage.ts";
import { count } from "../content/wire.ts";

/** What an answer used, where it says so in one of the forms that many APIs have: chat and embeddings, responses, messages. */
export function recognisedUsage(answer: Json): Usage | undefined {
  const { usage } = answer;
  return usageOf(usage) ?? (isJson(usage) && isMessages(usage) ? messagesUsage(usage) : tokenUsage(answer));
}

/** The same of events, of which only the end is known. */
export const recognisedAtEnd = (tail: string): Usage | undefined => usageFoundAtEnd(tail, recognisedUsage);

/** Messages count what was cached beside the input, all others within it. */
const isMessages = (usage: Json): boolean => "cache_read_input_tokens" in usage || "cache_creation_input_tokens" in usage;
function messagesUsage(usage: Json): Usage {
  const cacheRead = count(usage["cache_read_input_tokens"]) ?? 0;
  const cacheWrite5m = count(usage["cache_creation_input_tokens"]) ?? 0;
  return {
    ...{ input: count(usage["input_tokens"]) ?? 0, output: count(usage["output_tokens"]) ?? 0 },
    ...{ ...(cacheRead > 0 && { cacheRead }), ...(cacheWrite5m > 0 && { cacheWrite5m }) },
  };
}
