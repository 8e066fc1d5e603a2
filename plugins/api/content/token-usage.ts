import { isJson, type Json, type Usage } from "#contract";
import { count, object } from "./wire.ts";

/** `usage` with `input_tokens` and `output_tokens`, as images, speech and transcriptions report it; its parts made disjoint. */
export function tokenUsage({ usage }: Json): Usage | undefined {
  if (!isJson(usage) || (usage["input_tokens"] === undefined && usage["output_tokens"] === undefined)) return undefined;
  const [input, output] = [count(usage["input_tokens"]) ?? 0, count(usage["output_tokens"]) ?? 0];
  const into = object(usage["input_tokens_details"] ?? usage["input_token_details"]);
  const cacheRead = Math.min(count(into["cached_tokens"]) ?? 0, input);
  const inputAudio = Math.min(count(into["audio_tokens"]) ?? 0, input - cacheRead);
  return { input: input - cacheRead - inputAudio, ...(cacheRead && { cacheRead }), ...(inputAudio && { inputAudio }), output };
}

const MEMBER = '"usage":';

/**
 * The usage in the last event of a stream, of which only the end is known: an event may hold a picture of megabytes, and
 * its usage stands behind that.
 */
export const usageAtEnd = (tail: string): Usage | undefined => tokenUsage({ usage: usageObjectAtEnd(tail) });

/** The same, as the provider wrote it. */
export function usageObjectAtEnd(tail: string): unknown {
  const found = tail.lastIndexOf(MEMBER);
  const value = found < 0 ? "" : objectAt(tail, found + MEMBER.length);
  try {
    return value === "" ? undefined : JSON.parse(value);
  } catch {
    return undefined; // what looks like usage inside a text
  }
}

/** The text of the object that begins there: counts and their names hold no braces of their own. */
function objectAt(text: string, from: number): string {
  const start = text.indexOf("{", from);
  if (start < 0 || text.slice(from, start).trim() !== "") return "";
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === "{") depth += 1;
    if (text[at] === "}") depth -= 1;
    if (depth === 0) return text.slice(start, at + 1);
  }
  return "";
}
