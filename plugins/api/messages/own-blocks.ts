import { InnerJson, isJson, type Json, type StreamEvent } from "#contract";

/** A block of the vendor's own (a tool it runs itself, what that found, a compaction) while it arrives. */
interface OwnBlock {
  readonly block: Json;
  /** JSON text of its `input`, as far as it has come. */
  input: string;
}
/** By the index of the block. */
export type OwnBlocks = Map<number, OwnBlock>;
type Events = readonly StreamEvent[];

/** Its end tells it whole. */
export function beginOwn(block: Json, index: number, own: OwnBlocks): Events {
  if (typeof block.type === "string") own.set(index, { block: { ...block }, input: "" });
  return [];
}
export function addInput(piece: string, index: number, own: OwnBlocks): Events {
  const there = own.get(index);
  if (there) there.input += piece;
  return [];
}
export function addToOwn(members: Json, index: number, own: OwnBlocks): Events {
  Object.assign(own.get(index)?.block ?? {}, members);
  return [];
}
export function endOwn(index: number, own: OwnBlocks): Events {
  const there = own.get(index);
  if (!there) return [];
  own.delete(index);
  return [{ type: "block", block: { ...there.block, ...inputOf(there.input) } }];
}
function inputOf(text: string): Json {
  try {
    const input: unknown = text === "" ? undefined : new InnerJson().parse(text);
    return isJson(input) ? { input } : {};
  } catch {
    return {}; // none, or too much of it: the vendor ran the tool by itself: what it read there is no call of the client's
  }
}
