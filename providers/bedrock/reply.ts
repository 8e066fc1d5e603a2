import {
  type FinishReason,
  type Frame,
  GatewayError,
  isJson,
  type Json,
  parseJson,
  signedBy,
  type StreamEvent,
  type StreamMap,
} from "#contract";
import { failure, isFailure, spliced } from "./errors.ts";
import { CLAUDE_WIRE } from "../wires/anthropic/thinking.ts";
import { ANSWER_TOOL } from "../wires/anthropic/tools.ts";
import { usageOf } from "./usage.ts";

/** What the handlers below remember of one answer. */
export interface ConverseState {
  begun: boolean;
  /** A `messageStart` was seen; some servers leave it out. */
  announced: boolean;
  ended: boolean;
  /** Its usage was told: behind `messageStop` mostly, before it sometimes. */
  counted: boolean;
  /** Tool calls begun. */
  calls: number;
  /** Tool blocks under way, by block index. */
  readonly tools: Map<unknown, ToolBlock>;
  /** The image under way. */
  image: Image | null;
  /** Index of the block whose text came last; text of another one is a block of its own. */
  text: unknown;
}
interface Image {
  /** Index of its block. */
  readonly index: unknown;
  readonly format: string;
  base64: string;
}
interface ToolBlock {
  /** Place among the tool calls; `null` for the gateway's own answer tool, whose input is the text. */
  readonly call: number | null;
  bare: boolean;
}
type Handler = (payload: Json, state: ConverseState) => readonly StreamEvent[];

/** By event type; others (of server tools, of tomorrow) are let pass. */
const ON: Readonly<Record<string, Handler>> = {
  messageStart: (_payload, state) => {
    if (state.announced) throw spliced();
    state.announced = true;
    return [];
  },
  contentBlockStart: ({ contentBlockIndex: index, start }, state) => {
    if (!isJson(start)) return [];
    if (isJson(start.image)) state.image = { index, format: String(start.image.format), base64: "" };
    return isJson(start.toolUse) ? openTool(index, start.toolUse, state) : [];
  },
  contentBlockDelta: ({ contentBlockIndex: index, delta }, state) => (isJson(delta) ? deltaEvents(delta, index, state) : []),
  contentBlockStop: ({ contentBlockIndex: index }, state) =>
    state.tools.get(index)?.bare ? argument("{}", index, state) : endImage(index, state),
  messageStop: ({ stopReason }, state) => {
    state.ended = true;
    return [finish(stopReason, state)];
  },
  metadata: ({ usage }, state) => {
    state.counted = true;
    return isJson(usage) ? [{ type: "usage", usage: usageOf(usage) }] : [];
  },
};

function deltaEvents(
  { text, toolUse, reasoningContent, citation, image }: Json,
  index: unknown,
  state: ConverseState,
): readonly StreamEvent[] {
  if (isJson(toolUse)) return toolUse.input ? argument(String(toolUse.input), index, state) : [];
  if (isJson(reasoningContent)) return reasoned(reasoningContent);
  if (isJson(citation)) return [{ type: "citation", citation }];
  if (isJson(image)) return addImage(image, index, state);
  return text ? spoken(String(text), index, state) : [];
}
function spoken(text: string, index: unknown, state: ConverseState): StreamEvent[] {
  const begins = state.text !== null && state.text !== index;
  state.text = index;
  return [begins ? { type: "text", text, begins } : { type: "text", text }];
}
/** Characters of an image, which is kept until its block's end. */
const MAX_IMAGE = 64 * 1024 * 1024;
function addImage({ source }: Json, index: unknown, { image }: ConverseState): StreamEvent[] {
  if (image === null || image.index !== index || !isJson(source) || typeof source.bytes !== "string") return [];
  image.base64 += source.bytes;
  if (image.base64.length > MAX_IMAGE) throw new SyntaxError("an image in it does not end");
  return [];
}
function endImage(index: unknown, state: ConverseState): StreamEvent[] {
  const { image } = state;
  if (image === null || image.index !== index) return [];
  state.image = null;
  return imageEvent(image);
}
const imageEvent = (image: Image): StreamEvent[] =>
  image.base64 !== "" ? [{ type: "media", url: `data:image/${image.format};base64,${image.base64}` }] : [];

/** A tool the service itself runs (`type: server_tool_use`) is not the client's to call. */
function openTool(index: unknown, { toolUseId, name, type }: Json, state: ConverseState): readonly StreamEvent[] {
  if (type !== undefined && type !== "tool_use") return [];
  const call = name === ANSWER_TOOL ? null : state.calls++;
  state.tools.set(index, { call, bare: true });
  return call === null ? [] : [{ type: "tool", index: call, id: String(toolUseId), name: String(name) }];
}
function argument(text: string, index: unknown, { tools }: ConverseState): readonly StreamEvent[] {
  const tool = tools.get(index);
  if (!tool) return [];
  tool.bare = false;
  return [tool.call === null ? { type: "text", text } : { type: "tool", index: tool.call, arguments: text }];
}

/** Claude alone signs what it thinks, here as at Anthropic; each takes the other's. */
function reasoned({ text, signature, redactedContent, data = redactedContent }: Json): readonly StreamEvent[] {
  return [
    ...(text ? [{ type: "reasoning", text: String(text) } as const] : []),
    ...(signature ? [{ type: "reasoning", text: "", signature: signedBy(CLAUDE_WIRE, String(signature)) } as const] : []),
    ...(data ? [{ type: "reasoning", text: "", redacted: String(data) } as const] : []),
  ];
}

const FINISH: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  guardrail_intervened: "content_filter",
  content_filtered: "content_filter",
  // nothing of what was meant can be told: no "stop" for an answer that is not there
  malformed_model_output: "content_filter",
  malformed_tool_use: "content_filter",
};
function finish(stopReason: unknown, { calls }: ConverseState): StreamEvent {
  const native = typeof stopReason === "string" ? stopReason : undefined;
  const meant = (native !== undefined && Object.hasOwn(FINISH, native) && FINISH[native]) || "stop";
  // the answer tool is the gateway's own: its client sees text and no call
  const reason = meant === "tool_calls" && calls === 0 ? "stop" : meant;
  return { type: "finish", reason, ...(native !== undefined && { native }) };
}

const start = (): ConverseState => ({
  begun: false,
  announced: false,
  ended: false,
  counted: false,
  calls: 0,
  tools: new Map(),
  image: null,
  text: null,
});

function handle(event: string, payload: Json, state: ConverseState): readonly StreamEvent[] {
  if (state.ended && event !== "metadata") return []; // one request has one answer; its usage comes last
  const on = Object.hasOwn(ON, event) ? ON[event] : undefined;
  if (!on) return [];
  const first: StreamEvent[] = state.begun ? [] : [{ type: "start" }]; // the wire gives neither id nor model
  state.begun = true;
  return [...first, ...on(payload, state)];
}

export const converseStream: StreamMap<ConverseState> = {
  start,
  event({ event, data }: Frame, state) {
    const payload: unknown = data === "" ? {} : parseJson(data);
    if (isFailure(event)) throw failure(event, payload);
    return handle(event, isJson(payload) ? payload : {}, state);
  },
  ends: (_frame, { ended, counted }) => ended && counted,
};

/** A whole answer, told as the stream that would have brought it. */
export function reply(body: Json): readonly StreamEvent[] {
  const { output, stopReason, usage } = body;
  const content = isJson(output) && isJson(output.message) ? output.message.content : undefined;
  if (!Array.isArray(content)) throw new GatewayError("UPSTREAM_INVALID", { provider: "bedrock", why: "it has no output message" });
  const state = start();
  const events: (readonly [string, Json])[] = [
    ["messageStart", {}],
    ...content.filter(isJson).flatMap(streamed),
    ["messageStop", { stopReason }],
    ["metadata", { usage }],
  ];
  return events.flatMap(([event, payload]) => handle(event, payload, state));
}
function streamed(block: Json, contentBlockIndex: number): (readonly [string, Json])[] {
  const deltas = deltasOf(block).map((delta) => ["contentBlockDelta", { contentBlockIndex, delta }] as const);
  return [["contentBlockStart", { contentBlockIndex, start: block }], ...deltas, ["contentBlockStop", { contentBlockIndex }]];
}
function deltasOf({ text, toolUse, reasoningContent, citationsContent, image }: Json): Json[] {
  if (isJson(toolUse)) return [{ toolUse: { input: inputText(toolUse.input) } }];
  if (isJson(reasoningContent)) return [{ reasoningContent: { ...reasoningContent, ...objectOf(reasoningContent.reasoningText) } }];
  if (isJson(citationsContent)) return citedDeltas(citationsContent);
  if (isJson(image)) return [{ image }];
  return [{ text }];
}
const citedDeltas = ({ content, citations }: Json): Json[] => [...list(content), ...list(citations).map((citation) => ({ citation }))];
const list = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isJson) : []);
const objectOf = (value: unknown): Json => (isJson(value) ? value : {});
/** No input is no text: the block's end then says `{}`. */
const inputText = (input: unknown): string => (isJson(input) && Object.keys(input).length > 0 ? JSON.stringify(input) : "");
