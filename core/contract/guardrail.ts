import type { Static, TObject, TSchema } from "@sinclair/typebox";
import type { Asker } from "./dispatch.ts";
import type { Json } from "./json.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import type { RequestType } from "./operation.ts";
import type { PassedRequest } from "./passing.ts";

/** A pack of checks. */
export interface GuardrailPack {
  readonly checks: readonly Check[];
  /**
   * What an account with the pack's vendor consists of, for a pack that names the need `credentials`: tenants keep theirs
   * under `/v2/plugins`, and checks are given it (`CheckInput.credentials`). A member marked `secret: true` is sealed and
   * shown masked; one marked `bound: true` says where the secrets go or whom they stand for; one marked `env: "ACME_KEY"`
   * takes that secret (a need of the manifest's) where no tenant keeps an account. `format: "uri"` is an address to call.
   */
  readonly credentials?: TObject;
}
export type Side = "input" | "output";
export type GuardrailTarget = "llm" | "mcp_tools";

/** One piece of content of a request or an answer, extracted by the host from every body shape. */
export interface Segment {
  /** Where it stands in the body: `messages[2].content[0].text`. Patches name it. */
  readonly path: string;
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly kind: SegmentKind;
  /** Plain text; tool calls as `{"name":…,"arguments":…}`; media as its URL or data URL. */
  readonly text: string;
}
export type SegmentKind = "text" | "tool_call" | "tool_result" | "image" | "audio" | "file" | "reasoning";
/** Parameters that every check has, because the host obeys them. */
export const GENERAL_PARAMETERS = ["scope", "timeout", "failOnError"] as const;
export type GeneralParameter = (typeof GENERAL_PARAMETERS)[number];
/**
 * Which messages a check looks at, which is its text under test. `last_message`, the documented one, is what a check gets that
 * does not say; one that looks for harm declares `turn`: everything since the last answer, so that a second message of the
 * client's or a tool's result cannot hide behind the last. An operator's parameter `scope` wins over both.
 */
export type Scope = "last_message" | "user_messages" | "turn" | "all_messages";

/**
 * A check. The host extracts segments, fills defaults, validates parameters, times out, catches, logs, decides
 * fail-open or fail-closed and builds the documented result; the check only judges.
 */
export interface Check<P extends TSchema = TSchema> {
  /** `<pack>.<name>`. */
  readonly id: string;
  readonly title: string;
  readonly on: readonly Side[];
  /** Default `["llm"]`. */
  readonly targets?: readonly GuardrailTarget[];
  /** Each field has a description, limits, and a default where there is a sensible one. */
  readonly params: P;
  /** Kinds of segment it wants. Default: `["text"]`; an empty list means it does not look at content at all. */
  readonly wants?: readonly SegmentKind[];
  /** Which messages it sees unless its `scope` parameter says otherwise. Default `last_message`. */
  readonly scope?: Scope;
  /**
   * With these parameters, does it judge what the text is like (its length, its form, its beginning and its end), and not what
   * stands in it? Then it sees the text under test alone, and no citations beside it.
   */
  measures?(params: Static<P>): boolean;
  /** How it can judge a streamed answer. Default `final`: the answer is collected, judged, then released. */
  readonly stream?: StreamMode;
  /** May it answer `transform`? */
  readonly transforms?: boolean;
  /** `false` for one that only adds to what is said, and finds nothing wrong with it. */
  readonly denies?: false;
  /** Milliseconds, unless its `timeout` parameter says otherwise. Default 5000. */
  readonly timeoutMs?: number;
  /** Request types it applies to; default: every one with content. */
  readonly operations?: readonly RequestType[];
  /**
   * With these parameters, does it judge a request that passes unread: by its method, path and content type, or by what has
   * nothing to do with its body? Default: no, since the path of such a request may name another model than its body does.
   */
  judgesPassing?(params: Static<P>): boolean;
  /**
   * The request header, by its name, with the client's token that it judges with these parameters: shown to it as
   * `input.credential`. No other check sees it, and none a key of the gateway.
   */
  judgesCredential?(params: Static<P>): string;
  /** Request headers that it writes with these parameters: a client's own of these names are taken away before any check runs, whatever comes of this one. */
  writesHeaders?(params: Static<P>): readonly string[];
  /**
   * With these parameters, does it ask a model of this gateway (`host.dispatch`)? It then judges no call that a check asked,
   * or it would be asked by its own question.
   */
  dispatches?(params: Static<P>): boolean;
  /**
   * What is wrong with parameters beyond what their schema can say: a pattern that does not compile, a schema that is
   * none. Asked when a guardrail is saved and when it is bound, with the schema satisfied and defaults filled.
   */
  problems?(params: Static<P>): readonly string[];
  /**
   * For a check whose work grows with what users write (texts, patterns, schemas): milliseconds that `problems` and `run`
   * take at most with these parameters and a text of so many characters; `Infinity` where that cannot be told. Cheap itself:
   * it compiles nothing. What is dear runs in another process, under a deadline and a memory bound, so such a check is pure:
   * of its input it reads `params`, `side`, `text`, `now`, and `segments` where it transforms; it needs neither host nor
   * configuration.
   */
  cost?(params: Static<P>, chars: number): number;
  run(input: CheckInput<Static<P>>): Verdict | Promise<Verdict>;
}
/** Identity at run time; its work is the type inference of `params`. */
export const defineCheck = <P extends TSchema>(check: Check<P>): Check => check as unknown as Check;

export type StreamMode =
  /** It cannot run on a stream: such a guardrail with `deny` is refused for streamed requests. */
  | "none"
  /** Once, on the collected answer, before the first byte is released. */
  | "final"
  /** Again for each window of text; text is held back until the window over it has passed. */
  | {
      readonly window: {
        /** Characters per window. */ readonly chars: number /** Characters seen again in the next window. */;
        readonly overlap: number;
      };
    };

/** What a check is given. Members are made when they are asked for: take them by name, a spread would leave them behind. */
export interface CheckInput<P> {
  readonly params: P;
  readonly side: Side;
  /** The segments it wants, in the order of the body. */
  readonly segments: readonly Segment[];
  /** Their texts, joined by newlines. */
  readonly text: string;
  readonly call: CheckCall;
  /** What the header holds that it `judgesCredential` of; `null` where the client sent none, or a key of the gateway. */
  readonly credential: string | null;
  readonly now: number;
  readonly signal: AbortSignal;
  /** Milliseconds it has for its answer, counted from `now`. */
  readonly timeoutMs: number;
  /**
   * The account that the pack's `credentials` describe: the workspace's, or else its organisation's, or else the
   * deployment's, and never parts of two. Without a promise and without a query when it was looked up before. Where there
   * is none it throws CREDENTIALS_MISSING, which a check may let pass through: it is then an error of class `auth`.
   */
  credentials(): MaybePromise<Json>;
  /** Whose request it is, to ask a model within it (`host.dispatch`). */
  readonly asker: Asker;
}
/** What a check may know of the request. */
export interface CheckCall {
  readonly requestType: RequestType;
  readonly provider: string | null;
  readonly model: string | null;
  readonly traceId: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly streamed: boolean;
  /** The request body, when it is JSON. */
  readonly request: Json | null;
  /** The answer's body on the output side, when it is JSON. */
  readonly response: Json | null;
  /** HTTP status of the answer on the output side. */
  readonly status: number | null;
  /** Of a request that passes to its provider as it came. */
  readonly passing?: PassedRequest;
  /** Request headers by name; gateway keys and credentials are not readable. */
  header(name: string): string | null;
  /** Names of the headers that it can read so. */
  headerNames(): readonly string[];
}

/** `data` is shown in `hook_results` and logs: it passes the redactor, yet must not hold secrets. */
export type Verdict =
  | { readonly verdict: "allow"; readonly data?: unknown }
  | { readonly verdict: "deny"; readonly reason: string; readonly data?: unknown }
  | { readonly verdict: "transform"; readonly patches: readonly Patch[]; readonly data?: unknown }
  /** It could not judge. Never silently a pass: the fail mode decides and the result says so. */
  | { readonly verdict: "error"; readonly class: ErrorClass; readonly message: string; readonly data?: unknown };
/**
 * `budget`: the text made it exceed its time, memory or size; `busy`: it was refused a place to run. Both close where the
 * guardrail denies; `timeout` is a vendor's silence.
 */
export type ErrorClass = "timeout" | "unavailable" | "auth" | "malformed" | "config" | "crash" | "budget" | "busy";
/**
 * New text for a segment, or a whole new body; or, on the input side, a request header: later checks see it, and a config may
 * have it forwarded. Its name begins with `x-` and is no credential's nor one of the gateway's own; `null` takes it away.
 */
export type Patch =
  | { readonly path: string; readonly text: string }
  | { readonly body: Json }
  | { readonly header: string; readonly value: string | null };

/** One item of `hook_results`. */
export interface GuardrailResult {
  readonly verdict: boolean;
  readonly id: string;
  readonly transformed: boolean;
  readonly checks: readonly CheckResult[];
  readonly feedback: { readonly value: number; readonly weight: number; readonly metadata: unknown } | null;
  /** Milliseconds. */
  readonly execution_time: number;
  readonly async: boolean;
  readonly type: "guardrail";
  readonly created_at: string;
  readonly deny: boolean;
  /** It was watched only: what it would have done was not done. */
  readonly shadow?: true;
  /** The line of a file that it is about, from 1: the first that did not pass, else the last. */
  readonly line?: number;
}
export interface CheckResult {
  readonly data: unknown;
  readonly verdict: boolean;
  readonly id: string;
  readonly error: { readonly name: string; readonly message: string } | null;
  readonly execution_time: number;
  readonly transformed: boolean;
  readonly created_at: string;
  readonly log: unknown;
  readonly fail_on_error: boolean;
}

/** A vendor check as a table row: how to ask, how to judge. Each function is given the account, where the pack has one. */
export interface RemoteCheck<P extends TSchema, Reply extends TSchema, C extends TObject = TObject> extends Omit<Check<P>, "run"> {
  /** The pack's `credentials`, for a check that needs the account. */
  readonly credentials?: C;
  /** Where to POST; the host must be named under the pack's `needs`. */
  url(input: CheckInput<Static<P>>, account: Static<C>): string;
  /** `sent` is for vendors whose requests are signed. A content type of its own goes before that of JSON. */
  headers(input: CheckInput<Static<P>>, account: Static<C>, sent: SentToVendor): Promise<Record<string, string>> | Record<string, string>;
  /** JSON, or a text that is sent as it stands. */
  ask(input: CheckInput<Static<P>>, account: Static<C>): Json | string;
  /** Shape of the vendor's answer; anything else is `error: malformed`. */
  readonly reply: Reply;
  judge(reply: Static<Reply>, input: CheckInput<Static<P>>): Verdict;
  /** What is known without asking the vendor; `undefined` where it must be asked. */
  unasked?(input: CheckInput<Static<P>>): Verdict | undefined;
}
/** A request as the vendor gets it. */
export interface SentToVendor {
  readonly url: string;
  readonly body: string;
}

/** The same for a vendor who is asked about one text at a time, and says of each what it found. */
export interface RemoteCheckOfEach<P extends TSchema, Reply extends TSchema, C extends TObject = TObject>
  extends Omit<RemoteCheck<P, Reply, C>, "ask" | "judge" | "unasked"> {
  /** Characters that the vendor takes at one time; a longer text is asked about in pieces. */
  readonly longest?: number;
  ask(segment: Segment, input: CheckInput<Static<P>>, account: Static<C>): Json | string;
  judge(reply: Static<Reply>, segment: Segment, input: CheckInput<Static<P>>): TextFinding;
}
/** What a vendor says of one piece of content. */
export interface TextFinding {
  /** What it found; null when it found nothing. */
  readonly reason: string | null;
  /** The text without what was found, where the vendor and the check's parameters allow to go on with that. */
  readonly redacted?: string;
  /** Shown in `hook_results`. */
  readonly data?: unknown;
}
