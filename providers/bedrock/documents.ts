import { isJson, type Json } from "#contract";
import type { Block } from "./blocks.ts";

const MAX_NAME = 190;

/**
 * Gives every document of a conversation a name of its own, in the characters that are accepted, and every message
 * that has documents a text beside them: both are demanded by the wire.
 */
export function withNamedDocuments(contents: readonly Block[][]): Block[][] {
  const taken: Taken = new Map();
  return contents.map((blocks) => withText(blocks.map((block) => named(block, taken))));
}

function named(block: Block, taken: Taken): Block {
  const { document, toolResult } = block;
  if (isJson(document)) return { document: { ...document, name: free(usable(document.name), taken) } };
  if (!isJson(toolResult) || !Array.isArray(toolResult.content)) return block;
  return { toolResult: { ...toolResult, content: toolResult.content.map((block) => (isJson(block) ? named(block, taken) : block)) } };
}
/** Names that were given, in lower case, and the number that was tried last behind each: thousands may have asked for the same. */
type Taken = Map<string, number>;
const usable = (name: unknown): string => {
  const text =
    typeof name === "string"
      ? name
          .slice(0, 4 * MAX_NAME)
          .replace(/[^A-Za-z0-9()[\]-]+/g, " ")
          .trim()
      : "";
  return text.slice(0, MAX_NAME).trim() || "document";
};
function free(name: string, taken: Taken): string {
  const wanted = name.toLowerCase();
  let unique = name;
  for (let count = taken.get(wanted) ?? 1; taken.has(unique.toLowerCase()); unique = `${name} ${count}`) taken.set(wanted, ++count);
  taken.set(unique.toLowerCase(), 1);
  return unique;
}

function withText(blocks: Block[]): Block[] {
  const names = blocks.flatMap(({ document }) => (isJson(document) ? [String(document.name)] : []));
  if (names.length === 0 || blocks.some(({ text }: Json) => text !== undefined)) return blocks;
  return [...blocks, { text: `Attached: ${names.join(", ")}.` }];
}
