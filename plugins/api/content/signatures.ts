import { isJson, type Json } from "#contract";

/* A vendor signs a thought: it takes the thought back as it was, or not at all. */

/** A body that took the place of another one: thoughts that were changed in it have lost their signatures. */
export function withoutBrokenSignatures(before: Json, after: Json): Json {
  const signed = new Set<string>();
  mapThoughts(before, (thought) => {
    signed.add(keyOf(thought));
    return thought;
  });
  return mapThoughts(after, (thought) => (signed.has(keyOf(thought)) ? thought : withoutSignature(thought))) as Json; // an object stays one
}
const keyOf = ({ thinking, signature, summary, content, encrypted_content }: Json): string =>
  JSON.stringify([thinking, signature, summary, content, encrypted_content]);
/** Clients read the member of a block always; an item may have none. */
function withoutSignature(thought: Json): Json {
  const { encrypted_content: _, ...item } = thought;
  return "signature" in thought ? { ...thought, signature: "" } : item;
}
/** A block of the messages form, or an item of a response. */
const THOUGHTS: ReadonlySet<unknown> = new Set(["thinking", "reasoning"]);

/** Members below which a request or an answer may have thoughts, and how many of them on the way at most. */
const HOLDERS = ["messages", "choices", "message", "content", "content_blocks"];
/** The items of a responses request and of its answer. */
const ITEMS = ["input", "output"];
const MAX_LEVELS = 8;

function mapThoughts(value: unknown, map: (thought: Json) => Json, levels = MAX_LEVELS): unknown {
  if (levels === 0) return value;
  if (Array.isArray(value)) return value.map((item) => mapThoughts(item, map, levels - 1));
  if (!isJson(value)) return value;
  if (THOUGHTS.has(value["type"])) return map(value);
  const holders = [...HOLDERS, ...ITEMS].filter((name) => typeof value[name] === "object" && value[name] !== null);
  return { ...value, ...Object.fromEntries(holders.map((name) => [name, mapThoughts(value[name], map, levels - 1)])) };
}
