import { isJson, type Json, type Usage } from "#contract";
import { count, object } from "./wire.ts";

/** `usage` with `input_tokens` and `output_tokens`, as responses, images, speech and transcriptions report it; its parts made disjoint. */
export function tokenUsage({ usage }: Json): Usage | undefined {
  if (!isJson(usage) || (usage["input_tokens"] === undefined && usage["output_tokens"] === undefined)) return undefined;
  const [input, output] = [count(usage["input_tokens"]) ?? 0, count(usage["output_tokens"]) ?? 0];
  const into = object(usage["input_tokens_details"] ?? usage["input_token_details"]);
  const cacheRead = Math.min(count(into["cached_tokens"]) ?? 0, input);
  const inputAudio = Math.min(count(into["audio_tokens"]) ?? 0, input - cacheRead);
  const reasoning = Math.min(count(object(usage["output_tokens_details"])["reasoning_tokens"]) ?? 0, output);
  return {
    ...{ input: input - cacheRead - inputAudio, ...(cacheRead && { cacheRead }), ...(inputAudio && { inputAudio }) },
    ...{ output: output - reasoning, ...(reasoning && { reasoning }) },
  };
}

const MEMBER = /"usage"[ \t]*:[ \t]*(?=\{)/g;

/**
 * The usage in the events of a stream, of which only the end is known: an event may hold a picture of megabytes, and its
 * usage stands behind that. The last that is none (`null`) takes nothing back.
 */
export const usageAtEnd = (tail: string): Usage | undefined => usageFoundAtEnd(tail, tokenUsage);

/** The same in any form: `read` is given each object as the `usage` of a body. */
export function usageFoundAtEnd(tail: string, read: (body: Json) => Usage | undefined): Usage | undefined {
  for (const usage of usageObjects(tail)) {
    const found = read({ usage });
    if (found) return found;
  }
  return undefined;
}

/** Places that look like usage; each is read up to its end. */
const MOST_PLACES = 16;
/** From the end on. */
function* usageObjects(tail: string): Generator<unknown, undefined> {
  for (const { index, 0: name } of [...tail.matchAll(MEMBER)].slice(-MOST_PLACES).reverse()) {
    const usage = parsed(objectAt(tail, index + name.length));
    if (usage !== undefined) yield usage;
  }
}
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // what looks like usage inside a text
  }
}

/** The text of the object that begins there: counts and their names hold no braces of their own. */
function objectAt(text: string, start: number): string {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === "{") depth += 1;
    if (text[at] === "}") depth -= 1;
    if (depth === 0) return text.slice(start, at + 1);
  }
  return "";
}
