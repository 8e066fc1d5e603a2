import type { Json } from "./json.ts";
import type { Control } from "./header.ts";
import type { OperationId, OperationName } from "./operation.ts";
import type { Collected, StreamEvent, StreamMap, Usage, WireError } from "./stream.ts";

/**
 * One family of clients: how its answers look, whole and streamed. Provided by the `api` plugin that mounts the
 * operation. A provider whose own wire is this dialect says so (`dialect: "chat"`) and its bytes pass through.
 */
export interface Dialect<S = unknown> {
  /** `chat`, `messages`, `responses` … */
  readonly id: string;
  readonly operation: OperationName;
  /** The operation that asks the same for a stream, where that is one of its own. */
  readonly streamedBy?: OperationName;
  /** Who serves a provider without an adapter for `operation`. */
  readonly served?: StandIn;
  /** Who serves it before that one, where this may: of requests that ask for it, and for models that nobody else serves (`Adapter.alone`). */
  readonly servedBefore?: ChosenStandIn;
  /** This dialect's frames -> events: taps usage and content out of bytes that pass through. */
  readonly decode: StreamMap<S>;
  /** This dialect's whole body -> events. */
  read(body: Json): readonly StreamEvent[];
  /** The usage among those events, for bodies that only pass through; throws where `read` does. Cheaper, when it is there. */
  usage?(body: Json): Usage | undefined;
  /** A folded answer -> this dialect's whole body. */
  write(answer: Collected, options: EncodeOptions): Json;
  /** How guardrails see a streamed answer. */
  readonly judged: JudgedAnswer;
  /** Events -> this dialect's frames, as ready-made wire text. */
  encode(options: EncodeOptions): Encoder;
  /** Did the client ask for usage in the stream? When not, the usage frame is asked for, read, and hidden. */
  asksUsage(body: Json): boolean;
  /** The body that makes a provider of this dialect report usage in its stream. */
  withUsage(body: Json): Json;
  /** Members of a request that its answers repeat; the encoder gets them as `EncodeOptions.echo`. */
  echo?(body: Json, of: EchoOf): Json;
  /** Where a stream may end in several ways, or its last event repeats the whole answer. Default: it ends with the last frame of `Encoder.end`. */
  readonly terminal?: Terminal;
  /** Clients want the first event to be the answer's own: what the gateway adds beside it comes behind that. */
  readonly notesBehindStart?: true;
  /** How a client is given the frames of a stream that its query asks for; default: as server-sent events. */
  framing?(search: string): ClientFraming;
  /** Is this passing frame the usage-only frame that `withUsage` caused? */
  isUsageFrame(data: string): boolean;
}
/**
 * Which other operation serves one, and a body in that one's form. The answer becomes events by the provider's own maps, or
 * by the dialect of that other operation.
 */
export interface StandIn {
  readonly by: OperationId;
  request(body: Json, to: ServedTo): Json;
}
export interface ChosenStandIn extends StandIn {
  /** What a request says in `x-gateway-beta` to choose it. */
  readonly flag: string;
  /** Can that operation be asked for all that the body says? Where not, the choice has no effect. */
  suits(body: Json): boolean;
}
/** What an answer's repeating of its request depends on beside the body. */
export interface EchoOf {
  readonly control: Control;
  /** Another operation serves this one (`Dialect.served`): if the answer is kept, the gateway keeps it. */
  readonly translated: boolean;
}
/** The events that end a stream. */
export interface Terminal {
  /** Their names: `event` of their frames, or a string in their data. */
  readonly events: readonly string[];
  /** What such an event says where it is too long to be read whole: its finish, and the usage found in its end. */
  ofLong(event: string, tail: string): readonly StreamEvent[];
}
/** Server-sent events, or the data of each as an element of one JSON list. */
export type ClientFraming = "sse" | "json-list";

/** Who serves an operation in another one's place. */
export interface ServedTo {
  /**
   * Its adapter maps the body to a wire of its own, and reads members beyond OpenAI's form (`content_blocks`, `thinking`,
   * `cache_control`, images in a tool's result); else the body goes out as it is, to whoever speaks OpenAI's form.
   */
  readonly mapped: boolean;
  /** `false` where its adapter knows that the model does not think (`Adapter.thinks`). */
  readonly thinks?: boolean;
}
/** A streamed answer as one body, so that checks read and patch it like a whole one (`BodyContent.output`). */
export interface JudgedAnswer {
  body(answer: Collected): Json;
  /** Where in that body the text of this kind of a choice stands. */
  path(choice: number, kind: "text" | "refusal" | "reasoning"): string;
  /** The events of the answer as guardrails changed its body. What they did not change keeps its signatures. */
  events(answer: Collected, body: Json): readonly StreamEvent[];
}
export interface EncodeOptions {
  /** Used when the provider sends none. */
  readonly id: string;
  readonly model: string;
  /** Unix seconds. */
  readonly created: number;
  readonly usage: boolean;
  /** `x-gateway-strict-open-ai-compliance`. */
  readonly strict: boolean;
  /** What `Dialect.echo` took from the request, and what its answer repeats of a request whose body was replaced (`OperationRoute.prepare`). */
  readonly echo?: Json;
  /** Another operation served the one that was asked: the provider's id of the answer is of that other one. */
  readonly translated?: true;
}
export interface Encoder {
  event(event: StreamEvent): string;
  /** The dialect's terminal marker. */
  end(): string;
  /** Something the gateway adds beside the answer (`hook_results`), as a frame clients may ignore. */
  note(extra: Json): string;
  /** An error in mid-stream, in the dialect's own form. */
  error(error: WireError): string;
}
