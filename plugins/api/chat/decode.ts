import { isJson, type Json, type StreamEvent, type StreamMap, type TokenLogprob, type Usage } from "#contract";
import { beginning, choicesIn, chunkIn, finishOf, refuseMore } from "../content/choice-chunks.ts";
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
    const chunk = chunkIn(frame);
    return chunk === null ? NOTHING : chunkEvents(chunk, state);
  },
};

const NOTHING: readonly StreamEvent[] = [];

/** A whole chat.completion -> the events its stream would have brought. */
export const read = (body: Json): readonly StreamEvent[] =>
  chunkEvents({ ...body, choices: objects(choicesIn(body)).map(asChunkChoice) }, decode.start());

/** The usage of a whole chat.completion, without its events. */
export function usageIn(body: Json): Usage | undefined {
  choicesIn(body);
  return usageOf(body["usage"]);
}

/** A message is one big delta whose tool calls stand in order and whose end is known. */
function asChunkChoice(choice: Json): Json {
  const message = object(choice["message"]);
  const calls = objects(message["tool_calls"]).map((call, index) => ({ ...call, index }));
  return { ...choice, delta: { ...message, tool_calls: calls }, finish_reason: text(choice["finish_reason"]) ?? "stop" };
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
  state.started = true;
  state.id = text(chunk["id"]) ?? "";
  return beginning(chunk);
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
    events.push({ type: "finish", ...finishOf(reason) });
  }
  if (index !== 0) number(events, before, index);
}

const NO_TOKENS: readonly TokenLogprob[] = [];

/** The first choice's events carry no number. */
function number(events: StreamEvent[], from: number, choice: number): void {
  for (let at = from; at < events.length; at += 1) events[at] = { ...events[at], choice } as StreamEvent; // events of a choice, all of them
}

function choiceOf(state: ChatState, index: number): ChoiceState {
  const known = state.choices.get(index);
  if (known) return known;
  refuseMore(state.choices.size);
  const fresh: ChoiceState = { finished: false, calls: [] };
  state.choices.set(index, fresh);
  return fresh;
}

function addContent(delta: Json, events: StreamEvent[]): void {
  const thought = text(delta["reasoning_content"]);
  const another = text(delta["reasoning"]);
  if (thought !== undefined) events.push({ type: "reasoning", text: thought });
  if (another !== undefined && another !== thought) events.push({ type: "reasoning", text: another }); // most say it under one name, or the same under both
  const { content } = delta;
  if (Array.isArray(content)) for (const part of objects(content)) addPart(part, events);
  else if (typeof content === "string" && content !== "") events.push({ type: "text", text: content });
  const refusal = text(delta["refusal"]);
  if (refusal !== undefined) events.push({ type: "refusal", text: refusal });
  const spoken = text(object(delta["audio"])["transcript"]);
  if (spoken !== undefined) events.push({ type: "text", text: spoken });
}

/** Mistral's reasoning models send content as parts: a text, whatever its type is called, and `thinking` whose own parts are text. */
function addPart(part: Json, events: StreamEvent[]): void {
  const said = text(part["text"]);
  if (part["type"] !== "thinking" && said !== undefined) events.push({ type: "text", text: said });
  if (part["type"] !== "thinking") return;
  const thought =
    text(part["thinking"]) ??
    objects(part["thinking"])
      .map((inner) => text(inner["text"]) ?? "")
      .join("");
  if (thought !== "") events.push({ type: "reasoning", text: thought });
}
