import { createHash } from "node:crypto";
import { isJson, type Json } from "#contract";

/** Forms that a vendor may want ids of tool calls in. */
const FORMS = {
  /** Mistral's. */
  "nine-letters-and-digits": { accepted: /^[a-zA-Z0-9]{9}$/, made: 9 },
  /** OpenAI's: servers of vLLM, for one, make longer ones. */
  "forty-characters": { accepted: /^.{1,40}$/s, made: 24 },
} as const;
export type CallIdForm = keyof typeof FORMS;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/**
 * Ids of tool calls in this form. Another provider's id always becomes the same one: a call and its result stay
 * together, and the same conversation is the same text in the vendor's prompt cache. Nothing has to be translated back,
 * since an answer only holds ids of calls that it makes itself.
 */
export function withCallIds(form: CallIdForm): (body: Json) => Json {
  const { accepted, made } = FORMS[form];
  const isForeign = (id: unknown): id is string => typeof id === "string" && !accepted.test(id);
  const isForeignCall = (call: unknown): call is Json => isJson(call) && isForeign(call["id"]);
  const ofMessage = (message: unknown): unknown => {
    if (!isJson(message)) return message;
    const { tool_call_id, tool_calls } = message;
    const calls = Array.isArray(tool_calls) && tool_calls.some(isForeignCall) ? tool_calls : undefined;
    if (calls === undefined && !isForeign(tool_call_id)) return message;
    return {
      ...message,
      ...(calls && { tool_calls: calls.map((call: unknown) => (isForeignCall(call) ? { ...call, id: digest(call["id"], made) } : call)) }),
      ...(isForeign(tool_call_id) && { tool_call_id: digest(tool_call_id, made) }),
    };
  };
  return (body) => withMessages(body, ofMessage);
}

function withMessages(body: Json, change: (message: unknown) => unknown): Json {
  const messages: unknown = body["messages"];
  if (!Array.isArray(messages)) return body;
  const changed = messages.map(change);
  return changed.every((message, index) => message === messages[index]) ? body : { ...body, messages: changed };
}

const digest = (id: unknown, length: number): string =>
  [...createHash("sha256").update(String(id)).digest().subarray(0, length)].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
