import { type Frame, isJson, type Json, parseJson, type StreamEvent, type StreamMap, type Usage } from "#contract";
import { failure } from "../content/google-failure.ts";
import { finishOf } from "./finish.ts";
import { logprobsIn } from "./logprobs.ts";
import { besideIn } from "./parts.ts";
import { CallReader } from "./calls.ts";
import { usageOf } from "./usage.ts";
import { object, objects, text } from "./wire.ts";

/** What the gemini wire makes a reader remember. A reader may begin in the middle of an answer. */
export interface AnswerState {
  begun: boolean;
  readonly candidates: Map<number, CandidateState>;
  /** What comes behind a finish is told too: a client may read it. */
  readonly judged: boolean;
}
interface CandidateState {
  readonly choice: { readonly choice?: number };
  readonly calls: CallReader;
  finished: boolean;
}
type Events = readonly StreamEvent[];
const start = (judged = false): AnswerState => ({ begun: false, candidates: new Map(), judged });

/** Frames -> events. The wire has no terminal marker. */
export const decode: StreamMap<AnswerState> = {
  start,
  event: ({ data }: Frame, state) => (data === "" ? NOTHING : handle(chunkIn(data), state)),
};
const NOTHING: Events = [];

function chunkIn(data: string): Json {
  const chunk: unknown = parseJson(data);
  if (!isJson(chunk)) throw new SyntaxError("a chunk of the stream is not a JSON object");
  return chunk;
}

function handle(chunk: Json, state: AnswerState): Events {
  if (chunk.error !== undefined) throw failure(chunk);
  const usage = usageOf(chunk.usageMetadata);
  const candidates = objects(chunk.candidates);
  return [
    ...begin(chunk, state),
    ...(usage ? [{ type: "usage" as const, usage }] : []),
    ...candidates.flatMap((candidate) => candidateEvents(candidate, state)),
    ...(candidates.length === 0 ? blocked(chunk, state) : []),
  ];
}
function begin({ responseId, modelVersion }: Json, state: AnswerState): Events {
  if (state.begun) return NOTHING;
  state.begun = true;
  const [id, model] = [text(responseId), text(modelVersion)];
  return [{ type: "start", ...(id !== undefined && { id }), ...(model !== undefined && { model }) }];
}
/** The question itself was refused: there is no candidate. */
function blocked({ promptFeedback }: Json, state: AnswerState): Events {
  const reason = text(object(promptFeedback).blockReason);
  return reason === undefined ? NOTHING : ended(stateOf(0, state), { type: "finish", reason: "content_filter", native: reason });
}

function candidateEvents(candidate: Json, state: AnswerState): Events {
  const of = stateOf(Number(candidate.index ?? 0), state);
  if (of.finished && !state.judged) return NOTHING;
  const parts = objects(object(candidate.content).parts).flatMap((part) => partEvents(part, of));
  if (of.finished) return parts;
  const beside = besideIn(candidate);
  const tokens = logprobsIn(candidate.logprobsResult);
  const native = text(candidate.finishReason);
  return [
    ...parts,
    ...(tokens ? [{ type: "logprobs" as const, tokens, ...of.choice }] : []),
    ...(beside ? [{ type: "beside" as const, members: beside, ...of.choice }] : []),
    ...(native === undefined ? [] : finished(native, of)),
  ];
}
function stateOf(index: number, { candidates }: AnswerState): CandidateState {
  const choice = index === 0 ? {} : { choice: index };
  const of = candidates.get(index) ?? { choice, calls: new CallReader(index), finished: false };
  candidates.set(index, of);
  return of;
}
function finished(native: string, of: CandidateState): Events {
  const last = of.calls.end();
  return [...last, ...ended(of, { type: "finish", reason: finishOf(native, of.calls.count > 0), native, ...of.choice })];
}
function ended(of: CandidateState, finish: StreamEvent): Events {
  if (of.finished) return NOTHING;
  of.finished = true;
  return [finish];
}

function partEvents(part: Json, { calls, choice }: CandidateState): Events {
  if (isJson(part.functionCall)) return calls.read(part.functionCall, text(part.thoughtSignature));
  if (isJson(part.inlineData)) return [mediaEvent(part, part.inlineData, choice)];
  const signature = text(part.thoughtSignature);
  if (part.thought === true) return thought(text(part.text) ?? "", signature, choice);
  const events: Events = text(part.text) ? [{ type: "text", text: String(part.text), ...choice }] : ownEvents(part, choice);
  return signature === undefined ? events : [...events, ...thought("", signature, choice)];
}
const thought = (words: string, signature: string | undefined, choice: CandidateState["choice"]): Events =>
  words === "" && signature === undefined
    ? NOTHING
    : [{ type: "reasoning", text: words, ...(signature !== undefined && { signature }), ...choice }];

function mediaEvent({ thought: isThought }: Json, { mimeType, data }: Json, choice: CandidateState["choice"]): StreamEvent {
  const url = `data:${String(mimeType)};base64,${String(data)}`;
  if (isThought !== true) return { type: "media", url, ...choice };
  return { type: "block", block: { type: "image_url", image_url: { url }, thought: true }, ...choice };
}
const OWN = ["executableCode", "codeExecutionResult", "fileData"] as const;
const ownEvents = (part: Json, choice: CandidateState["choice"]): Events =>
  OWN.filter((name) => isJson(part[name])).map((name) => ({ type: "block", block: { type: name, [name]: part[name] }, ...choice }));

/** A whole answer -> the events its stream would have brought. */
export function read(body: Json): Events {
  if (body.candidates === undefined && body.promptFeedback === undefined && body.error === undefined)
    throw new SyntaxError("the answer has no list of candidates");
  const state = start();
  const events = handle(body, state);
  const open = [...state.candidates.values()].filter((candidate) => !candidate.finished);
  return [...events, ...(state.candidates.size === 0 ? finished("STOP", stateOf(0, state)) : open.flatMap((of) => finished("STOP", of)))];
}

/** The usage of a whole answer, without its events. */
export function usageIn(body: Json): Usage | undefined {
  if (body.error !== undefined) throw failure(body);
  return usageOf(body.usageMetadata);
}
