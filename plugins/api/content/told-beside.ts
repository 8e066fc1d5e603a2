import type { Json } from "#contract";
import { at, below, type Found } from "./found.ts";
import { readLeaves } from "./leaves.ts";
import { text } from "./wire.ts";

/*
 * Members in which a message, or a piece of one, says its thoughts or its content a second time. Nobody promises that they say
 * the same, and clients and providers read either: only what is the same, letter by letter, is left out.
 */

/** Some put a line or a paragraph between the pieces, some nothing. */
const JOINS = ["", "\n", "\n\n"] as const;
const isSaid = (pieces: readonly string[], texts: readonly (string | undefined)[]): boolean =>
  pieces.length === 0 || JOINS.some((join) => texts.includes(pieces.join(join)));

/** Names of kinds, and what nobody but the provider can read. */
const LABELS: ReadonlySet<string> = new Set(["type", "id", "format", "index"]);
const SEALED: ReadonlySet<string> = new Set(["data", "signature", "encrypted_content"]);
const isLabel = (name: string, value: unknown): boolean =>
  LABELS.has(name) || (SEALED.has(name) && typeof value === "string" && /^[\w+/=-]*$/.test(value));

/** What `reasoning_details` say, unless it is what the thoughts beside them say. */
export function detailsBeside(message: Json, path: string): Found {
  const found: Found = [];
  if (message["reasoning_details"] === undefined) return found;
  readLeaves(message["reasoning_details"], at(`${path}.reasoning_details`, "assistant", 0), found, isLabel);
  const thoughts = [text(message["reasoning_content"]), text(message["reasoning"])];
  return isSaidBy(found, thoughts) ? [] : found;
}
/** Do these pieces, put together, say one of the texts? */
export const isSaidBy = (found: readonly Found[number][], texts: readonly (string | undefined)[]): boolean =>
  isSaid(
    found.map((piece) => piece.text),
    texts,
  );

/** What pieces of `content_blocks` in a stream say beyond the content and the thoughts of the same chunk. */
export function blocksBeside(delta: Json): Found {
  const found: Found = [];
  if (delta["content_blocks"] === undefined) return found;
  readLeaves(delta["content_blocks"], at("content_blocks", "assistant", 0), found, isLabel);
  const { content } = delta;
  const texts = [text(content), text(delta["reasoning_content"]), text(delta["reasoning"])];
  return found.filter((piece) => !texts.includes(piece.text));
}

/** What an answer rests on, as it says it: titles, addresses, quotations. Ids of files say nothing. */
export function readCitations(value: unknown, path: string, message: number, found: Found): void {
  const from = found.length;
  readLeaves(value, at(path, "assistant", message), found, isReference);
  for (let piece = from; piece < found.length; piece += 1) found[piece] = { ...found[piece], beside: true } as Found[number]; // leaves hold their texts
}
/** Of an answer, or of one of its choices: before the text, whose patch empties them. */
export function readRests(of: Json, path: string, message: number, found: Found): void {
  for (const name of RESTS) if (of[name] !== undefined && of[name] !== null) readCitations(of[name], below(path, name), message, found);
}
/** What of these members is there. */
export function restsIn(of: Json): Json | undefined {
  let rests: Json | undefined;
  for (const name of RESTS) if (of[name] !== undefined && of[name] !== null) (rests ??= {})[name] = of[name];
  return rests;
}
/** Members in which answers say what they rest on, in the forms of all providers. */
const CAMEL = ["groundingMetadata", "groundingAttributions", "citationMetadata", "urlContextMetadata", "finishMessage"] as const;
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const RESTS: readonly string[] = [...CAMEL, ...CAMEL.map(snake), "citations", "search_results"];

const REFERENCES: ReadonlySet<string> = new Set(["file_id", "container_id", "encrypted_index"]);
const isReference = (name: string, value: unknown): boolean => REFERENCES.has(name) || isLabel(name, value);
