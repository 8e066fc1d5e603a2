import { createHash } from "node:crypto";
import { isJson, type Json } from "#contract";

const ACCEPTED = /^[a-zA-Z0-9]{9}$/;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/**
 * Ids of tool calls as nine letters and digits. Another provider's id always becomes the same one: a call and its result
 * stay together, and the same conversation is the same text in the vendor's prompt cache. Nothing has to be translated
 * back, since an answer only holds ids of calls that it makes itself.
 */
export function withCallIds(body: Json): Json {
  const messages: unknown = body["messages"];
  if (!Array.isArray(messages)) return body;
  const rewritten = messages.map(withIdsOfMessage);
  return rewritten.every((message, index) => message === messages[index]) ? body : { ...body, messages: rewritten };
}

function withIdsOfMessage(message: unknown): unknown {
  if (!isJson(message)) return message;
  const { tool_call_id, tool_calls } = message;
  const isForeignCall = (call: unknown): call is Json => isJson(call) && isForeign(call["id"]);
  const calls = Array.isArray(tool_calls) && tool_calls.some(isForeignCall) ? tool_calls : undefined;
  if (calls === undefined && !isForeign(tool_call_id)) return message;
  return {
    ...message,
    ...(calls && { tool_calls: calls.map((call: unknown) => (isForeignCall(call) ? { ...call, id: nine(String(call["id"])) } : call)) }),
    ...(isForeign(tool_call_id) && { tool_call_id: nine(tool_call_id) }),
  };
}

const isForeign = (id: unknown): id is string => typeof id === "string" && !ACCEPTED.test(id);
const nine = (id: string): string =>
  [...createHash("sha256").update(id).digest().subarray(0, 9)].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
