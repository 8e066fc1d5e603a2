import {
  type EncodeOptions,
  type Encoder,
  type FinishReason,
  InnerJson,
  type Json,
  type StreamEvent,
  type TokenLogprob,
  type Usage,
  type WireError,
} from "#contract";
import { errorBody } from "../content/google-failure.ts";
import { reasonOf } from "./finish.ts";
import { besideOf, callPart, isContentEvent, logprobsBody, partOf } from "./parts.ts";
import { usageBody } from "./usage.ts";

type Of<T extends StreamEvent["type"]> = Extract<StreamEvent, { type: T }>;
/** A call that arrives: on this wire it is told whole. */
interface OpenCall {
  id: string;
  name: string;
  arguments: string;
  signature?: string;
}
/** What a candidate has not told yet. */
class Candidate {
  readonly calls = new Map<number, OpenCall>();
  beside: Json = {};
  readonly logprobs: TokenLogprob[] = [];
  refused = false;
  finish: FinishReason | undefined;
  native: string | undefined;
}

/** Official clients leave out of their history what has no part: an empty text says nothing. */
const NO_TEXT: Json = Object.freeze({ text: "" });
const IN_A_STREAM = 500;

/** Events -> chunks of a stream, each an answer with a piece of the content; calls, the end and the usage in the last. */
export class GeminiEncoder implements Encoder {
  private named: Json;
  private readonly candidates = new Map<number, Candidate>();
  private usage: Usage | undefined;

  constructor(private readonly options: EncodeOptions) {
    this.named = { modelVersion: options.model, responseId: options.id };
  }

  event(event: StreamEvent): string {
    if (event.type === "start") return this.begin(event);
    if (event.type === "usage") return this.keep(event.usage);
    const index = event.choice ?? 0;
    if (isContentEvent(event)) return this.partChunk(event, index);
    this.later(event, this.candidate(index));
    return "";
  }
  private begin({ id = this.options.id, model = this.options.model }: Of<"start">): string {
    this.named = { modelVersion: model, responseId: id };
    return "";
  }
  private keep(usage: Usage): string {
    this.usage = { ...this.usage, ...usage };
    return "";
  }
  private partChunk(event: Parameters<typeof partOf>[0], index: number): string {
    const candidate = this.candidate(index);
    if (event.type === "refusal") candidate.refused = true;
    const part = partOf(event);
    return part ? this.chunk([{ content: { parts: [part], role: "model" }, index }]) : "";
  }
  private later(event: Exclude<StreamEvent, Of<"start" | "usage">>, candidate: Candidate): void {
    if (event.type === "tool") addCall(event, candidate.calls);
    if (event.type === "beside") Object.assign(candidate.beside, besideOf(event.members));
    if (event.type === "logprobs") candidate.logprobs.push(...event.tokens);
    if (event.type === "finish") Object.assign(candidate, { finish: event.reason, native: event.native });
  }

  /** Of an answer that this encoder did not begin: nothing, for the wire has no terminal marker. */
  end(): string {
    if (this.candidates.size === 0) return "";
    const inner = new InnerJson();
    const last = [...this.candidates].sort(([a], [b]) => a - b).map(([index, candidate]) => ended(candidate, index, inner));
    return this.chunk(last, this.options.usage ? { usageMetadata: usageBody(this.usage ?? {}) } : {});
  }
  note(extra: Json): string {
    return this.chunk([{ content: { parts: [NO_TEXT], role: "model" }, index: 0 }], extra);
  }
  error(error: WireError): string {
    const status = Number(error.code);
    return frame(errorBody(error, status >= 400 && status < 600 ? status : IN_A_STREAM));
  }

  private candidate(index: number): Candidate {
    const candidate = this.candidates.get(index) ?? new Candidate();
    this.candidates.set(index, candidate);
    return candidate;
  }
  private chunk(candidates: readonly Json[], more: Json = {}): string {
    return frame({ candidates, ...more, ...this.named });
  }
}
const frame = (data: Json): string => `data: ${JSON.stringify(data)}\n\n`;

function addCall({ index, id = "", name = "", arguments: piece = "", signature }: Of<"tool">, calls: Map<number, OpenCall>): void {
  const call = calls.get(index) ?? { id, name, arguments: "" };
  calls.set(index, call);
  call.arguments += piece;
  if (signature !== undefined) call.signature = signature;
}

function ended(candidate: Candidate, index: number, inner: InnerJson): Json {
  const { finish, native, refused, calls, beside, logprobs } = candidate;
  const parts = [...calls].sort(([a], [b]) => a - b).map(([, call]) => callPart(call, inner));
  const ending = { ...(finish && { finish }), ...(native !== undefined && { native }), refused };
  return {
    content: { parts: parts.length > 0 ? parts : [NO_TEXT], role: "model" },
    finishReason: reasonOf(ending),
    index,
    ...beside,
    ...(logprobs.length > 0 && { logprobsResult: logprobsBody(logprobs) }),
  };
}
