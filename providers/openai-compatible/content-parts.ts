import { isJson, type Json } from "#contract";

/** Content that came in parts: what is text, what was thought, and the parts in their order as `content_blocks` has them. */
export interface Spoken {
  readonly text: string;
  readonly reasoning: string;
  readonly blocks: readonly Json[];
}

/** Mistral's reasoning models answer in parts: `text`, and `thinking` whose own parts are text. `null` for content in one piece. */
export function spokenIn(content: unknown): Spoken | null {
  if (!Array.isArray(content)) return null;
  const blocks = content.filter(isJson).map(blockOf);
  return { text: joined(blocks, "text"), reasoning: joined(blocks, "thinking"), blocks };
}

const blockOf = (part: Json): Json => (part["type"] === "thinking" ? { type: "thinking", thinking: thoughtIn(part["thinking"]) } : part);
const thoughtIn = (thinking: unknown): string =>
  Array.isArray(thinking) ? joined(thinking.filter(isJson), "text") : typeof thinking === "string" ? thinking : "";

/** The texts of the parts of this type, which hold them under its name. */
const joined = (parts: readonly Json[], type: "text" | "thinking"): string =>
  parts.map((part) => (part["type"] === type && typeof part[type] === "string" ? part[type] : "")).join("");
