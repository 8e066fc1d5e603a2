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

/** Characters of a block's input; it is kept until the block's end. */
const MAX_INPUT = 4 * 1024 * 1024;

/** Its end tells it whole: its own, or the next one's beginning, for blocks do not overlap. */
export function ownBlock(block: Json, index: number, state: OwnBlocks): readonly StreamEvent[] {
  const before = [...state.others.keys()].flatMap((open) => endOwn(open, state));
  if (typeof block.type === "string") state.others.set(index, { block: { ...block }, input: "" });
  return before;
}
export function addInput(own: OwnBlock | undefined, text: string): readonly StreamEvent[] {
  if (!own) return [];
  own.input += text;
  if (own.input.length > MAX_INPUT) throw new SyntaxError("the input of a block in it does not end");
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
