import type { TSchema } from "@sinclair/typebox";
import type { Json } from "./json.ts";
import type { OperationName } from "./operation.ts";
import type { Price } from "./price.ts";
import type { Converse } from "./socket.ts";
import type { ErrorRead, Frame, FrameFormat, StreamEvent, StreamMap, Usage } from "./stream.ts";

/**
 * A model provider: where it is, how a request to it is signed, and one adapter per operation it serves.
 * A missing operation is "not supported", and the error, the documentation and the console know it.
 */
export interface Provider {
  /**
   * What one target may say besides its credential: organisation, region, resource name … snake_case.
   * Each field is read from a saved integration's `configurations`, else from the config member of its name, else from
   * the header `x-gateway-<field-with-hyphens>`. A field's schema may carry marks of ours:
   *
   * - `secret: true`: it is a credential. Stored sealed, shown and logged masked, taken out of the provider's error
   *   texts (values of 8 characters or more). It implies `bound`.
   * - `bound: true`: it decides where a credential goes or whom it stands for: a host or a part of one, a role, a tenant,
   *   a client id, a way to authenticate. Beside a stored credential it is read from where that is stored, never from the
   *   request: whoever may use a credential must not be able to take it elsewhere. The credential of `@slug` is stored in
   *   its integration; an `api_key` or a secret field of a saved config in that target of the config.
   *
   * A third mark, `clientHeader: "<name>"`, is the plain header in which the vendor's own client says it: it is read
   * where nothing else has said it, for this provider alone. A header of another class than `plain`, in this deployment,
   * is never read so.
   *
   * A fourth, `asks: true`, says that it decides which model is asked (a deployment): where an integration limits its models, a
   * request may say so by the name of one that it allows.
   *
   * What else the request leaves open (region, API version, betas) it may say beside a stored credential too.
   */
  readonly target: TSchema;
  /** Base URL (no trailing slash) and the headers that authenticate. A key never goes into the URL. */
  endpoint(at: Target): Endpoint;
  /** Last word on the request, for wires that sign it (SigV4). */
  sign?(request: OutgoingRequest, at: Target): Promise<OutgoingRequest>;
  /** The client dialects that are this provider's own wire: its bytes pass through to their clients. */
  readonly dialect?: string | readonly string[];
  readonly operations: { readonly [Op in OperationName]?: Adapter };
  /**
   * How it gets what passes as it came (`/v1/proxy/…` and paths that nobody mounts): where its paths begin, and further
   * headers. `ask.operation` is the operation that such a path belongs to, else `proxy`. Default: below its base URL, as asked.
   */
  readonly passes?: PassingAdapter;
  /**
   * Reads an error answer: its body, and its headers by their names in lower case where it is an answer of its own. Default: the OpenAI form
   * `{error: {message, type, param, code}}`.
   */
  error?(status: number, body: unknown, headers?: Readonly<Record<string, string>>): ErrorRead;
  /** Models it is known to serve; the workspace's model catalogue lists them. */
  readonly models?: readonly string[];
  /** List price of a model, when it is known. */
  price?(model: string): Price | undefined;
}

/** One place to send to, as the provider's schema has accepted it. */
export interface Target {
  readonly fields: Readonly<Json>;
  /** The provider's credential; empty when the provider needs none. */
  readonly apiKey: string;
  /** `x-gateway-custom-host` or the config's `custom_host`: replaces the base URL. As it was given: it may end with a slash. */
  readonly customHost: string | null;
  /** Headers that were saved with its host: each of its requests carries them. */
  readonly headers?: Readonly<Record<string, string>> | null;
  /** Model after `@slug/` was taken off, when the body names one. */
  readonly model: string;
}
export interface Endpoint {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
}
export interface OutgoingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null;
}

/** What an adapter may look at while it maps. */
export interface AdapterInput {
  readonly target: Target;
  readonly operation: OperationName;
  /** Path below the operation's prefix as the client asked it, parameters filled in. */
  readonly path: string;
  readonly search: string;
  readonly stream: boolean;
  /** `x-gateway-strict-open-ai-compliance`, default true. */
  readonly strict: boolean;
}

/**
 * How a provider serves one operation. For the conversational operations the incoming body is in the chat form and
 * the answer is given as stream events; for the others bodies map to bodies. Everything left out passes unchanged.
 */
export interface Adapter<S = unknown> {
  /** Whether it serves a request for this model, where it does not serve all: another one is served as if it were not there. */
  readonly serves?: (model: string, body: Json) => boolean;
  /** Models that the provider serves by this operation alone: it stands in for others before those that the provider has as well. */
  readonly alone?: (model: string) => boolean;
  /** Whether a model thinks, where it stands in for another operation: others are not asked to. Default: every one does. */
  readonly thinks?: (model: string) => boolean;
  /** Path below the base URL. Default: the path the client asked. */
  readonly path?: string | ((body: Json, ask: AdapterInput) => string);
  readonly method?: string;
  /** The query it is asked with, with its `?`. Default: the client's own, which `ask.search` is. */
  readonly search?: (ask: AdapterInput) => string;
  /**
   * Where the answer stands behind a path that another answer tells: what is asked for first, with GET, and the path below
   * the base URL that it leads to. `leads` throws an `UpstreamFailure` where it leads nowhere.
   */
  readonly via?: { path(ask: AdapterInput): string; leads(answer: Json, ask: AdapterInput): string };
  /** Maps the request body; unknown members travel on unless the mapping leaves them out. */
  readonly request?: (body: Json, ask: AdapterInput) => Json;
  /** Further request headers. */
  readonly headers?: (body: Json, ask: AdapterInput) => Readonly<Record<string, string>>;
  /** The whole answer as the events a stream would have brought. */
  readonly reply?: (body: Json, ask: AdapterInput) => readonly StreamEvent[];
  readonly stream?: StreamMap<S>;
  readonly frames?: FrameFormat;
  /** The client's dialect's own frame in one of the provider's: its answers are in that dialect but for their framing. Throws `UpstreamFailure` for a frame that tells of an error. */
  readonly unwrap?: (frame: Frame) => Frame;
  /** Maps a whole answer's body within its own form: operations without events, and answers in the provider's `dialect`. */
  readonly response?: (body: Json, ask: AdapterInput) => Json;
  /**
   * Maps one streamed chunk within the provider's `dialect` (misplaced usage, native finish reasons), before anything
   * reads or forwards it. The same object back means: forward the frame as it came. `memory` is one stream's own: empty
   * at its first chunk, for what a later one needs to know of those before.
   */
  readonly chunk?: (chunk: Json, ask: AdapterInput, memory: Json) => Json;
  /** May the stream that answers this request need `chunk`? Where not, its bytes pass unread. Default: always. */
  readonly strays?: (body: Json) => boolean;
  /** Reads usage out of a whole answer's body, for operations without events. */
  readonly usage?: (body: Json) => Usage | undefined;
  /**
   * Answers without a network call: the offline provider. Same types as a real upstream. `body` is null when the
   * request's is not JSON; `request` is what would have gone out, a multipart form included.
   */
  readonly answer?: (body: Json | null, ask: AdapterInput, signal: AbortSignal, request: OutgoingRequest) => Promise<Response>;
  /** The same of an operation that is a WebSocket: takes the provider's part in it. A throw refuses the connection. */
  readonly converse?: Converse;
}
/** The part of an adapter that changes nothing in a body. `answer` answers without a network call. */
export type PassingAdapter = Pick<Adapter, "headers" | "answer"> & {
  /** Below the base URL, and never outside of what the target stands for; dots, slashes and backslashes of a client's are in no step of its path. */
  readonly path?: (ask: AdapterInput) => string;
};
/** Identity at run time; keeps an adapter's stream state typed inside its own file. */
export const defineAdapter = <S>(adapter: Adapter<S>): Adapter => adapter as Adapter;

/** For every outgoing field: the incoming field's name, or a pure function of the incoming body. */
export type BodyMap<In, Out> = { readonly [K in keyof Out]?: (keyof In & string) | ((body: In) => Out[K] | undefined) };

/** Applies a body map. `undefined` results are left out; the compiler checks both sides. */
export function mapBody<In extends object, Out extends object>(map: BodyMap<In, Out>): (body: In) => Out {
  const rules = Object.entries(map) as [keyof Out, (keyof In & string) | ((body: In) => Out[keyof Out] | undefined)][];
  return (body) => {
    const out: Partial<Out> = {};
    for (const [to, rule] of rules) {
      const value = typeof rule === "function" ? rule(body) : (body[rule] as unknown as Out[keyof Out] | undefined);
      if (value !== undefined) out[to] = value;
    }
    return out as Out; // required members are the map's own promise, kept by its recordings
  };
}
