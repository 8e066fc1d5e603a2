import { isJson, type Json } from "#contract";

/* A vendor signs a thought: it takes the thought back as it was, or not at all. */

/** How a form writes a thought that is signed: the members that say it, its signature among them. */
interface SignedForm {
  is(value: Json): boolean;
  readonly members: readonly string[];
  withoutSignature(thought: Json): Json;
}
const FORMS: readonly SignedForm[] = [
  {
    is: ({ type }) => type === "thinking",
    members: ["thinking", "signature"],
    withoutSignature: (thought) => ("signature" in thought ? { ...thought, signature: "" } : thought), // clients read the member always
  },
  {
    is: ({ type, encrypted_content: sealed }) => type === "reasoning" && sealed !== undefined,
    members: ["summary", "content", "encrypted_content"],
    withoutSignature: ({ encrypted_content: _, ...thought }) => thought,
  },
  {
    is: ({ text, thoughtSignature, thought_signature: signature = thoughtSignature }) => text !== undefined && signature !== undefined,
    members: ["text", "thoughtSignature", "thought_signature"],
    withoutSignature: ({ thoughtSignature: _, thought_signature: __, ...thought }) => thought,
  },
];

/** A body that took the place of another one: thoughts that were changed in it have lost their signatures. */
export function withoutBrokenSignatures(before: Json, after: Json): Json {
  const signed = new Set<string>();
  mapThoughts(before, (thought, form) => {
    signed.add(keyOf(thought, form));
    return thought;
  });
  const checked: MapThought = (thought, form) => (signed.has(keyOf(thought, form)) ? thought : form.withoutSignature(thought));
  return mapThoughts(after, checked) as Json; // an object stays one
}
const keyOf = (thought: Json, { members }: SignedForm): string => JSON.stringify(members.map((name) => thought[name]));

/** Members below which a request or an answer may have thoughts, and how many of them on the way at most. */
const HOLDERS = [
  ...["messages", "choices", "message", "content", "content_blocks", "input", "output"],
  ...["contents", "candidates", "parts", "generateContentRequest", "generate_content_request"],
];
const MAX_LEVELS = 8;

type MapThought = (thought: Json, form: SignedForm) => Json;
function mapThoughts(value: unknown, map: MapThought, levels = MAX_LEVELS): unknown {
  if (levels === 0) return value;
  if (Array.isArray(value)) return value.map((item) => mapThoughts(item, map, levels - 1));
  if (!isJson(value)) return value;
  const form = FORMS.find(({ is }) => is(value));
  if (form) return map(value, form);
  const holders = HOLDERS.filter((name) => typeof value[name] === "object" && value[name] !== null);
  return { ...value, ...Object.fromEntries(holders.map((name) => [name, mapThoughts(value[name], map, levels - 1)])) };
}
