import { InnerJson, isJson, type Json, type StreamEvent } from "#contract";

/** A block of the vendor's own (a tool it runs itself, what that found, a compaction) while it arrives. */
export interface OwnBlock {
  readonly block: Json;
  /** JSON text of its `input`, as far as it has come. */
  input: string;
}
interface OwnBlocks {
  readonly others: Map<number, OwnBlock>;
}

/** Its end tells it whole. */
export function ownBlock(block: Json, index: number, { others }: OwnBlocks): readonly StreamEvent[] {
  if (typeof block.type === "string") others.set(index, { block: { ...block }, input: "" });
  return [];
}
export function addInput(own: OwnBlock | undefined, text: string): readonly StreamEvent[] {
  if (own) own.input += text;
  return [];
}
export function addOwn(own: OwnBlock | undefined, members: Json): readonly StreamEvent[] {
  if (own) Object.assign(own.block, members);
  return [];
}
export function endOwn(index: number, { others }: OwnBlocks): readonly StreamEvent[] {
  const own = others.get(index);
  others.delete(index);
  return own ? [{ type: "block", block: { ...own.block, ...inputOf(own) } }] : [];
}
function inputOf({ input: text }: OwnBlock): Json {
  try {
    const input: unknown = text === "" ? undefined : new InnerJson().parse(text);
    return isJson(input) ? { input } : {};
  } catch {
    return {}; // none, or too much of it: the vendor ran the tool by itself: what it read there is no call of the client's
  }
}
