import type { Static, TSchema } from "@sinclair/typebox";
import type { Json } from "./json.ts";
import type { RequestType } from "./operation.ts";
import type { PassedRequest } from "./passing.ts";

/** A pack of checks. */
export interface GuardrailPack {
  readonly checks: readonly Check[];
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
/** Which messages a check looks at. */
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
  /** How it can judge a streamed answer. Default `final`: the answer is collected, judged, then released. */
  readonly stream?: StreamMode;
  /** May it answer `transform`? */
  readonly transforms?: boolean;
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
   * What is wrong with parameters beyond what their schema can say: a pattern that does not compile, a schema that is
   * none. Asked when a guardrail is saved and when it is bound, with the schema satisfied and defaults filled.
   */
  problems?(params: Static<P>): readonly string[];
  /**
   * For a check whose work grows with what users write (texts, patterns, schemas): milliseconds that `problems` and `run`
   * take at most with these parameters and a text of so many characters; `Infinity` where that cannot be told. Cheap itself:
   * it compiles nothing. What is dear runs in another process, under a deadline and a memory bound, so such a check is pure:
   * of its input it reads `params`, `side`, `text` and `now`, and it needs neither host nor configuration.
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
  readonly now: number;
  readonly signal: AbortSignal;
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
/** New text for a segment, or a whole new body. */
export type Patch = { readonly path: string; readonly text: string } | { readonly body: Json };

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

/** A vendor check as a table row: how to ask, how to judge. */
export interface RemoteCheck<P extends TSchema, Reply extends TSchema> extends Omit<Check<P>, "run"> {
  /** Where to POST; the host must be named under the pack's `needs`. */
  url(input: CheckInput<Static<P>>): string;
  headers(input: CheckInput<Static<P>>): Promise<Record<string, string>> | Record<string, string>;
  ask(input: CheckInput<Static<P>>): Json;
  /** Shape of the vendor's answer; anything else is `error: malformed`. */
  readonly reply: Reply;
  judge(reply: Static<Reply>, input: CheckInput<Static<P>>): Verdict;
}
