import { type Frame, GatewayError, isJson, type Json, parseJson, signedBy, type StreamEvent, type StreamMap } from "#contract";
import { failure, spliced } from "./errors.ts";
import { addInput, addOwn, endOwn, type OwnBlock, ownBlock } from "./own-blocks.ts";
import { finish } from "./finish.ts";
import { CLAUDE_WIRE } from "./thinking.ts";
import { ANSWER_TOOL } from "./tools.ts";
import { type CacheSplit, usageOf, type WireUsage } from "./usage.ts";
import type { Wire } from "./wire.ts";

/** What the handlers below remember of one answer. */
export interface MessageState extends CacheSplit {
  /** Id of the message under way. */
  message: string | null;
  ended: boolean;
  stopReason: string | null;
  /** Tool calls begun. */
  calls: number;
  /** Tool blocks under way, by block index. */
  readonly tools: Map<number, ToolBlock>;
  /** Blocks of the vendor's own that are under way, by block index. */
  readonly others: Map<number, OwnBlock>;
  /** Type of the block that began last. */
  last: unknown;
}
interface ToolBlock {
  /** Place among the tool calls; `null` for the gateway's own answer tool, whose input is the text. */
  readonly call: number | null;
  bare: boolean;
}

type Handler<E = Wire> = (event: E, state: MessageState) => readonly StreamEvent[];
type Handlers = { readonly [T in Wire["type"]]: Handler<Extract<Wire, { type: T }>> };

const ON: Handlers = {
  message_start: ({ message }, state) => {
    // some intermediaries send the frame twice; another message before the end is a retry spliced into the same body
    if (state.message === message.id) return [];
    if (state.message !== null) throw spliced(state.message, message.id);
    state.message = message.id;
    state.stopReason = message.stop_reason ?? null;
    const start: StreamEvent = { type: "start", id: message.id, model: message.model };
    return [
      start,
      ...usage(message.usage, state),
      ...(message.content ?? []).filter(isJson).flatMap((block) => wholeBlock(block, THERE, state)),
    ];
  },
  content_block_start: ({ index, content_block: block }, state) => {
    const begins = block.type === "text" && state.last === "text" ? BEGINS : [];
    state.last = block.type;
    return [...begins, ...(look(FROM_BLOCK, block.type) ?? ownBlock)(block, index, state)];
  },
  content_block_delta: ({ index, delta }, state) => look(FROM_DELTA, delta.type)?.(delta, index, state) ?? [],
  content_block_stop: ({ index }, state) => [
    ...(state.tools.get(index)?.bare ? argument("{}", index, state) : []),
    ...endOwn(index, state),
  ],
  message_delta: ({ delta, usage: counts }, state) => {
    state.stopReason = delta.stop_reason ?? state.stopReason;
    return usage(counts, state);
  },
  message_stop: (_event, state) => {
    state.ended = true;
    return [finish(state)];
  },
  error: (event) => {
    throw failure(event);
  },
};

/** Text behind text is a block of its own: the citations of the one are not the other's. */
const BEGINS: readonly StreamEvent[] = [{ type: "text", text: "", begins: true }];
/** Index of a block that was there when the stream began, whose own blocks count from 0. */
const THERE = -1;
function wholeBlock(content_block: Json, index: number, state: MessageState): StreamEvent[] {
  return [
    ...ON.content_block_start({ type: "content_block_start", index, content_block }, state),
    ...ON.content_block_stop({ type: "content_block_stop", index }, state),
  ];
}

/** Of one answer; nobody asks for so many. */
const MAX_CALLS = 4_096;

type FromJson = (from: Json, index: number, state: MessageState) => readonly StreamEvent[];
/** Text that a block brings with it at its start: all of it in a whole answer, mostly none in a stream. */
const FROM_BLOCK: Readonly<Record<string, FromJson>> = {
  text: ({ text, citations }) => [...spoken(text), ...(Array.isArray(citations) ? citations.flatMap(cited) : [])],
  thinking: ({ thinking, signature }) => [...thought(thinking), ...signed(signature)],
  redacted_thinking: ({ data }) => [{ type: "reasoning", text: "", redacted: String(data) }],
  tool_use: ({ id, name, input }, index, state) => {
    if (state.tools.size >= MAX_CALLS) throw new SyntaxError(`it holds more than ${MAX_CALLS} tool calls`);
    const call = name === ANSWER_TOOL ? null : state.calls++;
    state.tools.set(index, { call, bare: true });
    const begun: StreamEvent[] = call === null ? [] : [{ type: "tool", index: call, id: String(id), name: String(name) }];
    return isJson(input) && Object.keys(input).length > 0 ? [...begun, ...argument(JSON.stringify(input), index, state)] : begun;
  },
};
const FROM_DELTA: Readonly<Record<string, FromJson>> = {
  text_delta: ({ text }) => spoken(text),
  thinking_delta: ({ thinking }) => thought(thinking),
  signature_delta: ({ signature }) => signed(signature),
  citations_delta: ({ citation }) => cited(citation),
  input_json_delta: ({ partial_json }, index, state) => (partial_json ? argument(String(partial_json), index, state) : []),
  compaction_delta: ({ content }, index, state) => addOwn(state.others.get(index), { content }),
};
const cited = (citation: unknown): StreamEvent[] => (isJson(citation) ? [{ type: "citation", citation }] : []);
const spoken = (text: unknown): StreamEvent[] => (text ? [{ type: "text", text: String(text) }] : []);
const thought = (text: unknown): StreamEvent[] => (text ? [{ type: "reasoning", text: String(text) }] : []);
const signed = (signature: unknown): StreamEvent[] =>
  signature ? [{ type: "reasoning", text: "", signature: signedBy(CLAUDE_WIRE, String(signature)) }] : [];

/** Argument text of the tool block at `index`; that of the vendor's own tool waits for the block's end. */
function argument(text: string, index: number, { tools, others }: MessageState): readonly StreamEvent[] {
  const tool = tools.get(index);
  if (!tool) return addInput(others.get(index), text);
  tool.bare = false;
  return [tool.call === null ? { type: "text", text } : { type: "tool", index: tool.call, arguments: text }];
}
const usage = (counts: WireUsage | undefined, state: MessageState): StreamEvent[] =>
  counts ? [{ type: "usage", usage: usageOf(counts, state) }] : [];

const look = <T>(table: Readonly<Record<string, T>>, key: unknown): T | undefined =>
  typeof key === "string" && Object.hasOwn(table, key) ? table[key] : undefined;

const start = (): MessageState => ({
  message: null,
  ended: false,
  stopReason: null,
  calls: 0,
  tools: new Map(),
  others: new Map(),
  last: null,
  write1h: 0,
});

function handle(event: Wire, state: MessageState): readonly StreamEvent[] {
  if (state.ended) return []; // one request has one answer
  const on = look<unknown>(ON, event.type) as Handler | undefined; // the key chose the event's own handler
  return on?.(event, state) ?? [];
}

export const messageStream: StreamMap<MessageState> = {
  start,
  event: ({ data }: Frame, state) => handle(parseJson(data) as Wire, state), // a vendor's wire; only what is read is named
  ends: ({ event, data }) => event === "message_stop" || (event === "" && data.includes('"message_stop"')),
};

/** A provider's whole answer, told as the stream that would have brought it. */
export function reply(body: Json, provider: string): readonly StreamEvent[] {
  if (body.type === "error") throw failure(body);
  const { content } = body;
  if (!Array.isArray(content)) throw new GatewayError("UPSTREAM_INVALID", { provider, why: "it has no content list" });
  const state = start();
  return streamed(body, content.filter(isJson)).flatMap((event) => handle(event, state));
}
const streamed = ({ id, model, stop_reason, usage }: Json, content: readonly Json[]): Wire[] => [
  { type: "message_start", message: { id: String(id), model: String(model) } },
  ...content.flatMap((content_block, index): Wire[] => [
    { type: "content_block_start", index, content_block },
    { type: "content_block_stop", index },
  ]),
  { type: "message_delta", delta: { stop_reason: typeof stop_reason === "string" ? stop_reason : null }, ...(isJson(usage) && { usage }) },
  { type: "message_stop" },
];
