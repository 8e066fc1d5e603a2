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
import { besideEvents, type LogprobsResult } from "./beside.ts";
import { failure } from "./errors.ts";
import { FINISH } from "./finish.ts";
import { madeEvents } from "./made.ts";
import { GEMINI_WIRE } from "./wire.ts";
import { addPiece, emptyArgs, type PartialArg } from "./partial-args.ts";
import { usageOf, type WireUsage } from "./usage.ts";

/** One chunk of a stream; a whole answer has the same form. */
interface Chunk {
  readonly candidates?: readonly Candidate[];
  readonly promptFeedback?: { readonly blockReason?: string };
  readonly usageMetadata?: WireUsage;
  readonly modelVersion?: string;
  readonly responseId?: string;
  readonly createTime?: string;
  readonly error?: Json;
}
interface Candidate {
  readonly index?: number;
  readonly content?: { readonly parts?: readonly Part[] };
  readonly finishReason?: string;
  readonly finishMessage?: string;
  readonly logprobsResult?: LogprobsResult;
  readonly [beside: string]: unknown;
}
interface Part extends Json {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly functionCall?: FunctionCall;
}
interface FunctionCall {
  readonly id?: string;
  readonly name?: string;
  readonly args?: Json | null;
  readonly partialArgs?: readonly PartialArg[];
  readonly willContinue?: boolean;
}

/** What the handlers below remember of one answer. */
export interface AnswerState {
  /** Whose answer it is, for errors. */
  readonly provider: string;
  /** Makes the ids of its tool calls; the wire gives them none. `null` before the first chunk. */
  seed: string | null;
  calls: number;
  readonly choices: Map<number, Choice>;
}
interface Choice {
  readonly choice: number;
  calls: number;
  /** Arguments of the call under way. */
  open: ReturnType<typeof emptyArgs> | null;
  finished: boolean;
}

function handle(chunk: Chunk, state: AnswerState): StreamEvent[] {
  if (chunk.error) throw failure(chunk);
  const events = [
    ...begin(chunk, state),
    ...counted(chunk),
    ...(chunk.candidates ?? []).flatMap((candidate) => candidateEvents(candidate, state)),
  ];
  const blocked = chunk.candidates?.length ? undefined : chunk.promptFeedback?.blockReason;
  return blocked === undefined ? events : [...events, ...finish(choiceOf(state, 0), "content_filter", blocked)];
}

function begin(chunk: Chunk, state: AnswerState): StreamEvent[] {
  if (state.seed !== null) return [];
  const { responseId: id, modelVersion: model, createTime } = chunk;
  state.seed = (id ?? digest(JSON.stringify(chunk, shortened)))
    .slice(0, 256)
    .replace(/[^\w-]/g, "")
    .slice(0, 28);
  const created = createTime === undefined ? Number.NaN : Math.floor(Date.parse(createTime) / 1000);
  return [{ type: "start", ...(id !== undefined && { id }), ...(model !== undefined && { model }), ...(created > 0 && { created }) }];
}
/** An answer is told from others by its beginnings. */
function shortened(_name: string, value: unknown): unknown {
  if (typeof value === "string") return value.slice(0, 1_024);
  return Array.isArray(value) ? value.slice(0, 64) : value;
}
/** FNV-1a: an answer without an id gets the same one however often it is read. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}

function counted({ usageMetadata }: Chunk): StreamEvent[] {
  const usage = usageMetadata && usageOf(usageMetadata);
  return usage ? [{ type: "usage", usage }] : [];
}

function candidateEvents(candidate: Candidate, state: AnswerState): StreamEvent[] {
  const { index = 0, content, finishReason } = candidate;
  const choice = choiceOf(state, index);
  if (choice.finished) return [];
  const events = [...(content?.parts ?? []).flatMap((part) => partEvents(part, choice, state)), ...besideEvents(candidate, at(choice))];
  return finishReason === undefined
    ? events
    : [...events, ...finish(choice, (Object.hasOwn(FINISH, finishReason) ? FINISH[finishReason] : undefined) ?? "stop", finishReason)];
}
function choiceOf({ choices }: AnswerState, index: number): Choice {
  const choice = choices.get(index) ?? { choice: index, calls: 0, open: null, finished: false };
  choices.set(index, choice);
  return choice;
}

function partEvents(part: Part, choice: Choice, state: AnswerState): StreamEvent[] {
  if (part.functionCall) return called(part.functionCall, part.thoughtSignature, choice, state);
  if (part.thought && !part.inlineData) return thought(part, choice);
  return part.text ? [{ type: "text", text: part.text, ...at(choice) }] : madeEvents(part, at(choice));
}
function thought({ text = "", thoughtSignature: signature }: Part, choice: Choice): StreamEvent[] {
  return text || signature ? [{ type: "reasoning", text, ...markOf(signature), ...at(choice) }] : [];
}

/**
 * A call comes whole, or in fragments: the first has the name, the following have pieces of the arguments, and the
 * one without `willContinue` is the last. Pieces may go back to an earlier place, so arguments are told when complete.
 */
function called(call: FunctionCall, signature: string | undefined, choice: Choice, state: AnswerState): StreamEvent[] {
  const events = call.name === undefined ? [] : [...close(choice), open(call, call.name, signature, choice, state)];
  if (choice.open === null) return events;
  for (const piece of call.partialArgs ?? []) addPiece(choice.open, piece, state.provider);
  Object.assign(choice.open, call.args);
  return call.willContinue ? events : [...events, ...close(choice)];
}
function open(call: FunctionCall, name: string, signature: string | undefined, choice: Choice, state: AnswerState): StreamEvent {
  const id = call.id ?? `call_${state.seed}_${state.calls++}`;
  choice.open = emptyArgs();
  return { type: "tool", index: choice.calls++, id, name, ...markOf(signature), ...at(choice) };
}
const markOf = (signature: string | undefined) => (signature ? { signature: signedBy(GEMINI_WIRE, signature) } : {});
function close(choice: Choice): StreamEvent[] {
  if (choice.open === null) return [];
  const text = JSON.stringify(choice.open);
  choice.open = null;
  return [{ type: "tool", index: choice.calls - 1, arguments: text, ...at(choice) }];
}
const at = ({ choice }: Choice): { readonly choice?: number } => (choice === 0 ? {} : { choice });

/** A call that was left open is complete as it stands: the last fragment is sometimes missing. */
function finish(choice: Choice, finishReason: FinishReason, native?: string): StreamEvent[] {
  const last = close(choice);
  const reason = finishReason === "stop" && choice.calls > 0 ? "tool_calls" : finishReason;
  choice.finished = true;
  return [...last, { type: "finish", reason, ...(native !== undefined && { native }), ...at(choice) }];
}

const start = (provider: string): AnswerState => ({ provider, seed: null, calls: 0, choices: new Map() });

/** Reads the streams of one provider. */
export const answerStream = (provider: string): StreamMap<AnswerState> => ({
  start: () => start(provider),
  event: ({ data }: Frame, state) => handle(parseJson(data) as Chunk, state), // a vendor's wire; only what is read is named
});

/** A provider's whole answer is one chunk after which nothing comes. */
export function reply(body: Json, provider: string): readonly StreamEvent[] {
  const isAnswer = Array.isArray(body.candidates) || isJson(body.promptFeedback) || isJson(body.usageMetadata) || isJson(body.error);
  if (!isAnswer) throw new GatewayError("UPSTREAM_INVALID", { provider, why: "it has no candidates" });
  const state = start(provider);
  const events = handle(body, state);
  if (state.choices.size === 0) choiceOf(state, 0);
  return [...events, ...[...state.choices.values()].filter(({ finished }) => !finished).flatMap((choice) => finish(choice, "stop"))];
}
