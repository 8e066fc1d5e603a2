import {
  type FinishReason,
  type Frame,
  isJson,
  type Json,
  parseJson,
  type StreamEvent,
  type StreamMap,
  type TokenLogprob,
  type Usage,
} from "#contract";
import { failureFrame, failureIn } from "../content/failure.ts";
import { tokensIn } from "../content/logprobs.ts";
import { addTools, type OpenCall } from "./tools.ts";
import { usageOf } from "../content/usage.ts";
import { count, object, objects, text } from "../content/wire.ts";

/** What the chat wire makes a reader remember. */
export interface ChatState {
  started: boolean;
  id: string;
  readonly choices: Map<number, ChoiceState>;
}
interface ChoiceState {
  finished: boolean;
  readonly calls: OpenCall[];
}

/** chat.completion.chunk frames -> events. */
export const decode: StreamMap<ChatState> = {
  start: () => ({ started: false, id: "", choices: new Map() }),
  event(frame, state) {
    if (frame.data === "[DONE]" || frame.data === "" || frame.event === "ping") return [];
    const chunk = chunkIn(frame);
    const failed = frame.event === "error" ? failureFrame(chunk) : failureIn(chunk);
    if (failed) throw failed;
    return chunkEvents(chunk, state);
  },
};

/** A whole chat.completion -> the events its stream would have brought. */
export const read = (body: Json): readonly StreamEvent[] =>
  chunkEvents({ ...body, choices: objects(choicesIn(body)).map(asChunkChoice) }, decode.start());

/** The usage of a whole chat.completion, without its events. */
export function usageIn(body: Json): Usage | undefined {
  choicesIn(body);
  return usageOf(body["usage"]);
}

function choicesIn(body: Json): readonly unknown[] {
  const failed = failureIn(body);
  if (failed) throw failed;
  const choices = body["choices"];
  if (!Array.isArray(choices)) throw new SyntaxError("the answer has no choices");
  return choices;
}

/** A message is one big delta whose tool calls stand in order and whose end is known. */
function asChunkChoice(choice: Json): Json {
  const message = object(choice["message"]);
  const calls = objects(message["tool_calls"]).map((call, index) => ({ ...call, index }));
  return { ...choice, delta: { ...message, tool_calls: calls }, finish_reason: text(choice["finish_reason"]) ?? "stop" };
}

/** A frame that is no JSON (one cut in its middle, a proxy's page) throws a SyntaxError. */
function chunkIn(frame: Frame): Json {
  const chunk: unknown = parseJson(frame.data);
  if (!isJson(chunk)) throw new SyntaxError("a stream chunk is not a JSON object");
  return chunk;
}

/** One list for all events of a chunk: a stream has thousands of chunks, most with a single event. */
function chunkEvents(chunk: Json, state: ChatState): StreamEvent[] {
  const { choices } = chunk;
  const usage = usageOf(chunk["usage"]);
  // Azure's first chunk holds filter results only: no id, no choice, nothing to start with.
  if (text(chunk["id"]) === undefined && objects(choices).length === 0 && usage === undefined) return [];
  const events: StreamEvent[] = state.started ? [] : [begin(chunk, state)];
  if (Array.isArray(choices)) for (const choice of choices) if (isJson(choice)) addChoice(choice, state, events);
  if (usage) events.push({ type: "usage", usage });
  return events;
}

function begin(chunk: Json, state: ChatState): StreamEvent {
  const id = text(chunk["id"]);
  const model = text(chunk["model"]);
  const created = count(chunk["created"]);
  state.started = true;
  state.id = id ?? "";
  return { type: "start", ...(id && { id }), ...(model && { model }), ...(created && { created }) };
}

function addChoice(wire: Json, state: ChatState, events: StreamEvent[]): void {
  const index = count(wire["index"]) ?? 0;
  const choice = choiceOf(state, index);
  if (choice.finished) return; // some providers repeat the last chunk
  const before = events.length;
  // Some providers stream `message` where `delta` should be.
  const delta = object(wire["delta"] ?? wire["message"]);
  addContent(delta, events);
  addTools(delta, choice.calls, state.id, events);
  const tokens = isJson(wire["logprobs"]) ? tokensIn(wire["logprobs"]["content"]) : NO_TOKENS;
  if (tokens.length > 0) events.push({ type: "logprobs", tokens });
  const reason = text(wire["finish_reason"]);
  if (reason !== undefined) {
    choice.finished = true;
    events.push({ type: "finish", ...finish(reason) });
  }
  if (index !== 0) number(events, before, index);
}

const NO_TOKENS: readonly TokenLogprob[] = [];

/** The first choice's events carry no number. */
function number(events: StreamEvent[], from: number, choice: number): void {
  for (let at = from; at < events.length; at += 1) events[at] = { ...events[at], choice } as StreamEvent; // events of a choice, all of them
}

/** Of one answer; nobody can ask for so many. */
const MAX_CHOICES = 4_096;

function choiceOf(state: ChatState, index: number): ChoiceState {
  const known = state.choices.get(index);
  if (known) return known;
  if (state.choices.size === MAX_CHOICES) throw new SyntaxError(`it holds more than ${MAX_CHOICES} choices`);
  const fresh: ChoiceState = { finished: false, calls: [] };
  state.choices.set(index, fresh);
  return fresh;
}

const REASONS: ReadonlySet<string> = new Set<FinishReason>(["stop", "length", "tool_calls", "content_filter", "function_call"]);
const isReason = (reason: string): reason is FinishReason => REASONS.has(reason);
const finish = (reason: string): { reason: FinishReason; native?: string } =>
  isReason(reason) ? { reason } : { reason: "stop", native: reason };

function addContent(delta: Json, events: StreamEvent[]): void {
  const reasoning = text(delta["reasoning_content"]) ?? text(delta["reasoning"]);
  if (reasoning !== undefined) events.push({ type: "reasoning", text: reasoning });
  const { content } = delta;
  if (Array.isArray(content)) for (const part of objects(content)) addPart(part, events);
  else if (typeof content === "string" && content !== "") events.push({ type: "text", text: content });
  const refusal = text(delta["refusal"]);
  if (refusal !== undefined) events.push({ type: "refusal", text: refusal });
}

/** Mistral's reasoning models send content as parts: `text`, and `thinking` whose own parts are text. */
function addPart(part: Json, events: StreamEvent[]): void {
  const said = text(part["text"]);
  if (part["type"] === "text" && said !== undefined) events.push({ type: "text", text: said });
  if (part["type"] !== "thinking") return;
  const thought =
    text(part["thinking"]) ??
    objects(part["thinking"])
      .map((inner) => text(inner["text"]) ?? "")
      .join("");
  if (thought !== "") events.push({ type: "reasoning", text: thought });
}
