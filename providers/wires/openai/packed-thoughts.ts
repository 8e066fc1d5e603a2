import { isJson, isPackedThought, type Json } from "#contract";

/** What another provider thought in an earlier turn of a conversation of responses: no other can read it, and each refuses it. */
const isForeign = (item: unknown): boolean => isJson(item) && item["type"] === "reasoning" && isPackedThought(item["encrypted_content"]);

/** A body without such items; the same object where it has none. */
export function withoutPackedThoughts(body: Json): Json {
  const { input } = body;
  return Array.isArray(input) && input.some(isForeign) ? { ...body, input: input.filter((item) => !isForeign(item)) } : body;
}
