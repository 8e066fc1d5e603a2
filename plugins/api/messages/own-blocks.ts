import { InnerJson, isJson, type Json, type StreamEvent } from "#contract";

/** A block of the vendor's own (a tool it runs itself, what that found, a compaction) while it arrives. */
export interface OwnBlock {
  readonly index: number;
  readonly block: Json;
  /** JSON text of its `input`, as far as it has come. */
  input: string;
}
interface OwnState {
  own: OwnBlock | null;
}
type Events = readonly StreamEvent[];
const NOTHING: Events = [];

/** Characters of a block's input; it is kept until the block's end. */
const MAX_INPUT = 4 * 1024 * 1024;

/** Its end tells it whole: its own, or the next one's beginning, for blocks do not overlap. */
export function beginOwn(block: Json, index: number, state: OwnState): Events {
  const before = state.own ? endOwn(state.own.index, state) : NOTHING;
  if (typeof block.type === "string") state.own = { index, block: { ...block }, input: "" };
  return before;
}
export function addInput(piece: string, own: OwnBlock): Events {
  own.input += piece;
  if (own.input.length > MAX_INPUT) throw new SyntaxError("the input of a block in it does not end");
  return NOTHING;
}
export function addToOwn(members: Json, index: number, { own }: OwnState): Events {
  if (own?.index === index) Object.assign(own.block, members);
  return NOTHING;
}
export function endOwn(index: number, state: OwnState): Events {
  const { own } = state;
  if (own?.index !== index) return NOTHING;
  state.own = null;
  return [{ type: "block", block: { ...own.block, ...inputOf(own.input) } }];
}
function inputOf(text: string): Json {
  try {
    const input: unknown = text === "" ? undefined : new InnerJson().parse(text);
    return isJson(input) ? { input } : {};
  } catch {
    return {}; // none, or too much of it: the vendor ran the tool by itself: what it read there is no call of the client's
  }
}
