import type { Json } from "./json.ts";

/**
 * The one vocabulary in which answers meet. A provider maps its wire to these events; a client dialect maps these
 * events to its wire. A whole answer is the same events in a list. An error is a throw.
 *
 * Order: `start` first and once; `finish` once per choice; after the last `finish` only `usage`.
 */
export type StreamEvent =
  | { readonly type: "start"; readonly id?: string; readonly model?: string; readonly created?: number }
  /** `begins`: a block of its own, apart from the text before it. */
  | { readonly type: "text"; readonly text: string; readonly begins?: true; readonly choice?: number }
  | { readonly type: "reasoning"; readonly text: string; readonly signature?: string; readonly redacted?: string; readonly choice?: number }
  /** A tool call. The first event of an `index` carries `id` and `name`, later ones append to `arguments`. */
  | {
      readonly type: "tool";
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
      readonly arguments?: string;
      readonly signature?: string;
      readonly choice?: number;
    }
  | { readonly type: "refusal"; readonly text: string; readonly choice?: number }
  /** An image, a sound, a file that the model made: a data URL, or where it is kept. */
  | { readonly type: "media"; readonly url: string; readonly choice?: number }
  /** A block of the provider's own, whole (a tool it ran itself, what that found), with its `type`. */
  | { readonly type: "block"; readonly block: Json; readonly choice?: number }
  /** What the text block under way, or the one that ended last, rests on, in the provider's words. */
  | { readonly type: "citation"; readonly citation: Json; readonly choice?: number }
  | { readonly type: "logprobs"; readonly tokens: readonly TokenLogprob[]; readonly choice?: number }
  /** What the provider says beside a choice (grounding, safety ratings), by the name it has there. */
  | { readonly type: "beside"; readonly members: Json; readonly choice?: number }
  | { readonly type: "usage"; readonly usage: Usage }
  /** `stopSequence`: the text of the request's that stopped it, where the provider tells which. */
  | {
      readonly type: "finish";
      readonly reason: FinishReason;
      readonly native?: string;
      readonly stopSequence?: string;
      readonly choice?: number;
    };

/** How likely a token was, and others in its place; `bytes` are those of its UTF-8 text. */
export interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: readonly number[] | null;
  readonly top_logprobs: readonly Omit<TokenLogprob, "top_logprobs">[];
}

export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "function_call";

/**
 * What one request consumed, in disjoint parts: their sum is the provider's own total.
 * A provider may report in several events; later values of a part replace earlier ones.
 */
export interface Usage {
  /** Input tokens neither read from nor written to the provider's prompt cache, audio excluded. */
  readonly input?: number;
  readonly cacheRead?: number;
  readonly cacheWrite5m?: number;
  readonly cacheWrite1h?: number;
  readonly inputAudio?: number;
  /** Output tokens, reasoning and audio excluded. */
  readonly output?: number;
  readonly reasoning?: number;
  readonly outputAudio?: number;
  /** Pages of documents that were read; `annotatedPages` those that were described too. They are no tokens. */
  readonly pages?: number;
  readonly annotatedPages?: number;
  /** Counted with a tokenizer because the provider reported nothing. */
  readonly estimated?: boolean;
}
export const USAGE_PARTS = [
  "input",
  "cacheRead",
  "cacheWrite5m",
  "cacheWrite1h",
  "inputAudio",
  "output",
  "reasoning",
  "outputAudio",
] as const satisfies readonly (keyof Usage)[];
/** What is counted in pages. */
export const PAGE_PARTS = ["pages", "annotatedPages"] as const satisfies readonly (keyof Usage)[];
export type UsagePart = (typeof USAGE_PARTS)[number];

const INPUT_PARTS = ["input", "cacheRead", "cacheWrite5m", "cacheWrite1h", "inputAudio"] as const;
const OUTPUT_PARTS = ["output", "reasoning", "outputAudio"] as const;
function sum(usage: Usage, parts: readonly UsagePart[]): number {
  let total = 0;
  for (const part of parts) total += tokens(usage[part]);
  return total;
}
/** More than any request can use. */
const MAX_TOKENS = 1_000_000_000_000;
/**
 * A count as limits, logs and prices may take it: whole and not negative, whatever the wire said. A caller may choose
 * the host that answers, and a negative count would give its limit back.
 */
export const tokens = (count: unknown): number => (typeof count === "number" && count > 0 ? Math.min(Math.round(count), MAX_TOKENS) : 0);

/** All input tokens. */
export const inputTokens = (usage: Usage): number => sum(usage, INPUT_PARTS);
/** All output tokens. */
export const outputTokens = (usage: Usage): number => sum(usage, OUTPUT_PARTS);

/** One frame of a provider's stream: an SSE event, a JSON line, or one binary event with its type. */
export interface Frame {
  /** SSE `event:` or the binary event type; empty when the wire has none. */
  readonly event: string;
  readonly data: string;
}
export type FrameFormat = "sse" | "json-lines" | "aws-eventstream";

/**
 * Maps one wire's frames to events. `start()` makes the small record that a wire with memory needs (tool index,
 * open block); only this map's handlers touch it. A frame that reports an error throws `UpstreamFailure`.
 */
export interface StreamMap<S = unknown> {
  /**
   * `judged`: guardrails look at the stream, and its frames go to the client as they came. Then a frame that tells a text
   * again (the end of a text, of a whole answer, what stands behind a finish) gives an event for what it says beyond the
   * first telling, because the client may read either.
   */
  start(judged?: boolean): S;
  event(frame: Frame, state: S): readonly StreamEvent[];
  /**
   * Was this frame, whose events were asked for just before, the wire's terminal marker? Nothing behind it is read, so
   * usage must not come later. A wire without one leaves this out: its answer is over with the connection, or when nothing follows the finish for a moment.
   */
  ends?(frame: Frame, state: S): boolean;
}

/** An answer folded from its events; whole and streamed answers are folded by the same `collect`. */
export interface Collected {
  readonly id?: string;
  readonly model?: string;
  readonly created?: number;
  readonly choices: readonly CollectedChoice[];
  readonly usage?: Usage;
}
export interface CollectedChoice {
  readonly text: string;
  readonly reasoning: readonly { readonly text: string; readonly signature?: string; readonly redacted?: string }[];
  readonly tools: readonly { readonly id: string; readonly name: string; readonly arguments: string; readonly signature?: string }[];
  /** What stood before, between and behind the parts of the text, in order; away where all thoughts came before it and nothing else did. */
  readonly marks?: readonly Mark[];
  readonly logprobs?: readonly TokenLogprob[];
  readonly beside?: Json;
  readonly refusal?: string;
  readonly finish?: FinishReason;
  readonly native?: string;
  readonly stopSequence?: string;
}

/** Something behind the first `at` characters of a choice's text. */
export type Mark = { readonly at: number } & (
  | { readonly type: "text" }
  | { readonly type: "reasoning"; readonly index: number }
  | { readonly type: "media"; readonly url: string }
  | { readonly type: "block"; readonly block: Json }
  | { readonly type: "citation"; readonly citation: Json }
);

const BRAND = Symbol.for("ai-gateway.upstream-failure");

/** A provider said no: in a status, or inside a stream that had begun. Branded, so that a copy of this module inside a foreign plugin is recognised too. */
export class UpstreamFailure extends Error {
  readonly [BRAND] = true;
  override readonly name = "UpstreamFailure";
  constructor(
    readonly status: number,
    readonly error: WireError,
    /** Seconds after which the provider would be asked again; sent as `Retry-After`. */
    readonly retryAfterSec?: number,
  ) {
    super(error.message);
  }
  static is(thrown: unknown): thrown is UpstreamFailure {
    try {
      return typeof thrown === "object" && thrown !== null && BRAND in thrown;
    } catch {
      return false; // a proxy that refuses to be looked at
    }
  }
}
/** The error members every dialect can express. */
export interface WireError {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
  /** What else the provider's error says, by its own names: why a filter struck, when to come back. Clients get it beside the others. */
  readonly extra?: Readonly<Json>;
}
const EXPRESSED: ReadonlySet<string> = new Set(["message", "type", "param", "code"]);
/** The `extra` of an error object, ready to be spread; nothing when it says no more than the others. */
export function errorExtra(error: Json): Pick<WireError, "extra"> {
  const extra = Object.entries(error).filter(([name]) => !EXPRESSED.has(name));
  return extra.length === 0 ? {} : { extra: Object.fromEntries(extra) };
}
/** What a provider's error answer says, as far as it does. */
export interface ErrorRead extends Partial<WireError> {
  /** Seconds after which it would be asked again, where the body says so and no header does. */
  readonly retryAfterSec?: number;
}
