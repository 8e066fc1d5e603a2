import { isJson, type Json, type StreamEvent, type StreamMap, type TokenLogprob, type Usage } from "#contract";
import { beginning, choicesIn, chunkIn, finishOf, refuseMore } from "../content/choice-chunks.ts";
import { tokensIn } from "../content/logprobs.ts";
import { ToldTexts } from "../content/told.ts";
import { addContent } from "./delta-content.ts";
import { addTools, type OpenCall } from "./tools.ts";
import { addRestOfMessage } from "./rest-of-message.ts";
import { restsIn } from "../content/told-beside.ts";
import { usageOf } from "../content/usage.ts";
import { count, object, objects, text } from "../content/wire.ts";

/** What the chat wire makes a reader remember. */
export interface ChatState {
  started: boolean;
  id: string;
  readonly choices: Map<number, ChoiceState>;
  /** What is told twice is told again where it differs: a client may read either. */
  readonly judged: boolean;
  /** What the answer rests on, as it was told last. */
  rests?: string;
}
interface ChoiceState {
  finished: boolean;
  readonly calls: OpenCall[];
  /** What its deltas said, by the kind of text and the number of the call. */
  readonly deltaTexts: ToldTexts | null;
}

/** chat.completion.chunk frames -> events. */
export const decode: StreamMap<ChatState> = {
  start: (judged = false) => ({ started: false, id: "", choices: new Map(), judged }),
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
  if (state.judged) addRests(chunk, state, events);
  if (Array.isArray(choices)) for (const choice of choices) if (isJson(choice)) addChoice(choice, state, events);
  if (usage) events.push({ type: "usage", usage });
  return events;
}

/** Some providers say it again with each chunk. */
function addRests(chunk: Json, state: ChatState, events: StreamEvent[]): void {
  const members = restsIn(chunk);
  const written = members === undefined ? "" : JSON.stringify(members);
  if (members === undefined || written === state.rests) return;
  state.rests = written;
  events.push({ type: "beside", members });
}

function begin(chunk: Json, state: ChatState): StreamEvent {
  state.started = true;
  state.id = text(chunk["id"]) ?? "";
  return beginning(chunk);
}

function addChoice(wire: Json, state: ChatState, events: StreamEvent[]): void {
  const index = count(wire["index"]) ?? 0;
  const choice = choiceOf(state, index);
  if (choice.finished && !state.judged) return; // some providers repeat the last chunk
  const before = events.length;
  // Some providers stream `message` where `delta` should be.
  const delta = object(wire["delta"] ?? wire["message"]);
  addContent(delta, events);
  addTools(delta, choice.calls, state.id, events);
  if (choice.deltaTexts !== null) addRestOfMessage(wire, choice.deltaTexts, events, before);
  if (choice.finished) return number(events, before, index);
  const tokens = isJson(wire["logprobs"]) ? tokensIn(wire["logprobs"]["content"]) : NO_TOKENS;
  if (tokens.length > 0) events.push({ type: "logprobs", tokens });
  const reason = text(wire["finish_reason"]);
  if (reason !== undefined) {
    choice.finished = true;
    events.push({ type: "finish", ...finishOf(reason) });
  }
  number(events, before, index);
}

const NO_TOKENS: readonly TokenLogprob[] = [];

/** The first choice's events carry no number. */
function number(events: StreamEvent[], from: number, choice: number): void {
  if (choice === 0) return;
  for (let at = from; at < events.length; at += 1) events[at] = { ...events[at], choice } as StreamEvent; // events of a choice, all of them
}

function choiceOf(state: ChatState, index: number): ChoiceState {
  const existing = state.choices.get(index);
  if (existing) return existing;
  refuseMore(state.choices.size);
  const fresh: ChoiceState = { finished: false, calls: [], deltaTexts: state.judged ? new ToldTexts() : null };
  state.choices.set(index, fresh);
  return fresh;
}
