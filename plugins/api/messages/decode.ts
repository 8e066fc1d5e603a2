import { type Frame, isJson, type Json, parseJson, type StreamEvent, type StreamMap, type Usage } from "#contract";
import { failure, spliced } from "./failure.ts";
import { addInput, addToOwn, beginOwn, endOwn, type OwnBlock } from "./own-blocks.ts";
import { finishOf } from "./stops.ts";
import { type CacheSplit, usageOf } from "./usage.ts";
import { entry, object, objects, text } from "../content/wire.ts";

/** What the messages wire makes a reader remember. A reader may begin in the middle of an answer. */
export interface MessageState extends CacheSplit {
  /** Id of the message under way. */
  id: string | null;
  /** Why it stops, as far as it was told. */
  stopReason: string | null;
  stopSequence: string | null;
  finished: boolean;
  /** Its terminal marker was read: one request has one answer. */
  ended: boolean;
  /** Tool calls begun. */
  calls: number;
  /** Tool calls under way, by the index of their block. */
  readonly tools: Map<number, ToolBlock>;
  /** The block of the vendor's own under way. */
  own: OwnBlock | null;
  /** Type of the block that began last. */
  last: unknown;
  /** What the beginning says when it comes again is told too: a client may read it. */
  readonly judged: boolean;
}
interface ToolBlock {
  /** Place among the tool calls. */
  readonly call: number;
  bare: boolean;
}
type Events = readonly StreamEvent[];
type Handler = (event: Json, state: MessageState) => Events;

const start = (judged = false): MessageState => ({
  id: null,
  stopReason: null,
  stopSequence: null,
  finished: false,
  ended: false,
  calls: 0,
  tools: new Map(),
  own: null,
  last: null,
  judged,
  write1h: 0,
});

/** Frames -> events. */
export const decode: StreamMap<MessageState> = {
  start,
  event: ({ event, data }: Frame, state) => {
    if (data === "" || state.ended) return NOTHING;
    return event === "ping" ? pinged(data, state) : handle(eventIn(data), state);
  },
  ends: ({ event, data }) => event === "message_stop" || (event === "" && data.includes('"message_stop"')),
};
const NOTHING: Events = [];

/** Many clients go by what the data says, whatever its event is called. A ping's own says nothing, and need not be JSON. */
function pinged(data: string, state: MessageState): Events {
  const event = jsonIn(data);
  return isJson(event) ? handle(event, state) : NOTHING;
}
function jsonIn(data: string): unknown {
  try {
    return parseJson(data);
  } catch {
    return undefined; // nor can a client read it
  }
}

function eventIn(data: string): Json {
  const event: unknown = parseJson(data);
  if (!isJson(event)) throw new SyntaxError("an event of the stream is not a JSON object");
  return event;
}
const handle = (event: Json, state: MessageState): Events => entry(ON, event.type)?.(event, state) ?? NOTHING;

/** Text behind text is a block of its own: the citations of the one are not the other's. */
const BEGINS: Events = [{ type: "text", text: "", begins: true }];

const ON: Readonly<Record<string, Handler>> = {
  message_start: ({ message }, state) => begin(object(message), state),
  content_block_start: ({ index, content_block }, state) => {
    const block = object(content_block);
    const begins = block.type === "text" && state.last === "text" ? BEGINS : NOTHING;
    state.last = block.type;
    const map = entry(FROM_BLOCK, block.type);
    return map ? [...begins, ...map(block, Number(index), state)] : beginOwn(block, Number(index), state);
  },
  content_block_delta: ({ index, delta }, state) => {
    const piece = object(delta);
    return entry(FROM_DELTA, piece.type)?.(piece, Number(index), state) ?? NOTHING;
  },
  content_block_stop: ({ index }, state) =>
    state.tools.get(Number(index))?.bare ? argument("{}", Number(index), state) : endOwn(Number(index), state),
  message_delta: ({ delta, usage }, state) => {
    stops(object(delta), state);
    return [...counted(usage, state), ...(state.stopReason === null ? NOTHING : finish(state))];
  },
  message_stop: (_event, state) => {
    state.ended = true;
    return finish(state);
  },
  error: (event) => {
    throw failure(event);
  },
};

/** Index of a block that was there when the stream began, whose own blocks count from 0. */
const THERE = -1;
const wholeBlock = (content_block: Json, index: number, state: MessageState): Events => [
  ...handle({ type: "content_block_start", index, content_block }, state),
  ...handle({ type: "content_block_stop", index }, state),
];

function begin(message: Json, state: MessageState): Events {
  const { id, model, usage, content } = message;
  const before = state.id;
  // some intermediaries send the frame twice; another message before the end is a retry spliced into the same body
  if (before !== null && before === id)
    return state.judged ? objects(content).flatMap((block) => wholeBlock(block, THERE, state)) : NOTHING;
  if (before !== null) throw spliced(before, String(id));
  state.id = String(id);
  const named = { ...(text(id) && { id: String(id) }), ...(text(model) && { model: String(model) }) };
  stops(message, state);
  return [{ type: "start", ...named }, ...counted(usage, state), ...objects(content).flatMap((block) => wholeBlock(block, THERE, state))];
}
function counted(wire: unknown, state: MessageState): StreamEvent[] {
  const usage = usageOf(wire, state);
  return usage ? [{ type: "usage", usage }] : [];
}
/** Why the message stops, as far as an event tells it. */
function stops({ stop_reason, stop_sequence }: Json, state: MessageState): void {
  state.stopReason = text(stop_reason) ?? state.stopReason;
  state.stopSequence = text(stop_sequence) ?? state.stopSequence;
}
function finish(state: MessageState): Events {
  if (state.finished) return NOTHING;
  state.finished = true;
  const { stopReason: native, stopSequence } = state;
  if (native === null) return [{ type: "finish", reason: "stop" }];
  return [{ type: "finish", reason: finishOf(native), native, ...(stopSequence !== null && { stopSequence }) }];
}

type FromJson = (from: Json, index: number, state: MessageState) => Events;
/** Content that a block brings with it at its start: all of it in a whole answer, mostly none in a stream. */
const FROM_BLOCK: Readonly<Record<string, FromJson>> = {
  text: (block) => [...textEvents(block.text), ...objects(block.citations).flatMap(cited)],
  thinking: ({ thinking, signature }) => [...thought(thinking), ...signed(signature)],
  redacted_thinking: ({ data }) => [{ type: "reasoning", text: "", redacted: String(data) }],
  tool_use: ({ id, name, input, thought_signature: signature }, index, state) => {
    const call = callBegun(index, state);
    const mark = text(signature);
    const begun: StreamEvent = { type: "tool", index: call, id: String(id), name: String(name), ...(mark && { signature: mark }) };
    return isJson(input) && Object.keys(input).length > 0 ? [begun, ...argument(JSON.stringify(input), index, state)] : [begun];
  },
};
const FROM_DELTA: Readonly<Record<string, FromJson>> = {
  text_delta: (delta) => textEvents(delta.text),
  citations_delta: ({ citation }) => cited(citation),
  compaction_delta: ({ content }, index, state) => addToOwn({ content }, index, state),
  thinking_delta: ({ thinking }) => thought(thinking),
  signature_delta: ({ signature }) => signed(signature),
  input_json_delta: ({ partial_json }, index, state) => {
    const piece = text(partial_json);
    if (piece === undefined) return NOTHING;
    if (state.own?.index === index) return addInput(piece, state.own);
    if (!state.tools.has(index)) callBegun(index, state); // its beginning came before this reader's
    return argument(piece, index, state);
  },
};
const cited = (citation: unknown): StreamEvent[] => (isJson(citation) ? [{ type: "citation", citation }] : []);
const textEvents = (value: unknown): StreamEvent[] => (text(value) ? [{ type: "text", text: String(value) }] : []);
const thought = (value: unknown): StreamEvent[] => (text(value) ? [{ type: "reasoning", text: String(value) }] : []);
const signed = (value: unknown): StreamEvent[] => (text(value) ? [{ type: "reasoning", text: "", signature: String(value) }] : []);

/** Of one answer; nobody asks for so many. */
const MAX_CALLS = 4_096;
function callBegun(index: number, state: MessageState): number {
  if (state.calls >= MAX_CALLS) throw new SyntaxError(`it holds more than ${MAX_CALLS} tool calls`);
  const call = state.calls++;
  state.tools.set(index, { call, bare: true });
  return call;
}
function argument(piece: string, index: number, { tools }: MessageState): Events {
  const tool = tools.get(index);
  if (!tool) return NOTHING;
  tool.bare = false;
  return [{ type: "tool", index: tool.call, arguments: piece }];
}

/** A whole message -> the events its stream would have brought. */
export function read(body: Json): Events {
  const content = contentOf(body);
  const { id, model, stop_reason, stop_sequence, usage } = body;
  const state = start();
  return [
    ...begin({ id, model, stop_reason: text(stop_reason) ?? "end_turn", stop_sequence }, state),
    ...content.flatMap((block, index) => wholeBlock(block, index, state)),
    ...counted(usage, state),
    ...finish(state),
  ];
}

/** The usage of a whole message, without its events. */
export function usageIn(body: Json): Usage | undefined {
  contentOf(body);
  return usageOf(body.usage, { write1h: 0 });
}

function contentOf(body: Json): readonly Json[] {
  if (body.type === "error") throw failure(body);
  if (!Array.isArray(body.content)) throw new SyntaxError("the answer has no list of content");
  return objects(body.content);
}
