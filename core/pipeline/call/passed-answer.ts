import { GatewayError, type HeaderRecord, type Json, type JsonText } from "#contract";
import { isJsonType } from "../../json/json-type.ts";
import type { Answer } from "../../egress/answer.ts";
import type { Try } from "./try.ts";
import type { Reading } from "./interpret.ts";
import { jsonOf, modelIn } from "./whole-answer.ts";

/**
 * The answer to what passed and belongs to no operation. JSON is read, for what it used and for the ids in it; what is
 * none after all passes as it is, and so do all other bytes, unread.
 */
export async function passedAnswer(answer: Answer, headers: HeaderRecord, it: Try): Promise<Reading> {
  const { content } = it.call.row;
  const base = { status: answer.status, headers, error: null };
  const type = answer.headers.get("content-type") ?? "";
  const usageAtEnd = type.includes("event-stream") ? content.usageAtEnd : undefined;
  if (!isJsonType(type)) return { ...base, content: { kind: "bytes", bytes: answer.pieces(), usageAtEnd }, model: null };
  const text = await answer.text();
  const body = await objectIn(text, it.to.id);
  const usage = (body && content.usage?.(body)) ?? null;
  return { ...base, content: { kind: "whole", text, body, usage }, model: body && modelIn(body) };
}
/** `null` for a list, a number, or what only calls itself JSON. */
async function objectIn(text: JsonText, provider: string): Promise<Json | null> {
  try {
    return await jsonOf(text, provider);
  } catch (thrown) {
    if (GatewayError.is(thrown) && thrown.code === "UPSTREAM_INVALID") return null;
    throw thrown;
  }
}
