import type { CheckCall, ErrorClass, Json, Side } from "#contract";
import type { PackSource, Piece } from "../work.ts";

/*
 * What the gateway and the processes of one isolated pack tell each other. A message is a head, as JSON, and lists of frames
 * behind it: texts and bodies may be long, and others may have their turn between two of their frames.
 */

/** To a pack's process. */
export type ToPack =
  | { readonly kind: "load"; readonly pack: PackSource }
  | { readonly kind: "setup"; readonly config: Json }
  /** Behind it: the text under test, the request's body, the answer's body. */
  | ({ readonly kind: "judge" } & JudgeHead)
  | { readonly kind: "problems"; readonly job: number; readonly check: string; readonly params: unknown }
  /** Nobody waits for this job any more. */
  | { readonly kind: "stop"; readonly job: number }
  /** What the host answered a call with. Behind it: the bytes of an HTTP answer. */
  | { readonly kind: "answered"; readonly call: number; readonly answer: HostAnswer }
  /** There will be no more work. */
  | { readonly kind: "end" };

export interface JudgeHead {
  readonly job: number;
  readonly check: string;
  readonly side: Side;
  readonly now: number;
  readonly timeoutMs: number;
  readonly params: unknown;
  readonly pieces: readonly Piece[];
  readonly call: ShownCall;
}
/** What a check may know of its request, apart from the bodies. */
export interface ShownCall extends Omit<CheckCall, "request" | "response" | "header" | "headerNames"> {
  readonly headers: Readonly<Record<string, string>>;
  readonly request: BodyState;
  readonly response: BodyState;
}
/** `none`: it is no JSON, or there is none; `sent`: it follows; `too long`: asking for it is an error. */
export type BodyState = "none" | "sent" | "too long";

/** From a pack's process. */
export type FromPack =
  | { readonly kind: "loaded"; readonly plugin: DescribedPlugin }
  | { readonly kind: "ready"; readonly pack: DescribedPack }
  | { readonly kind: "failed"; readonly message: string }
  /** Behind it: the verdict's data, as JSON. */
  | { readonly kind: "verdict"; readonly job: number; readonly verdict: unknown }
  | { readonly kind: "problems"; readonly job: number; readonly problems: readonly string[] }
  | { readonly kind: "thrown"; readonly job: number; readonly thrown: Thrown }
  /** It asks its host for something. Behind it: the bytes of an HTTP request. */
  | { readonly kind: "call"; readonly call: number; readonly to: HostCall }
  /** It does not wait for that any more. */
  | { readonly kind: "dropped"; readonly call: number }
  | { readonly kind: "log"; readonly level: "debug" | "info" | "warn" | "error"; readonly event: string; readonly fields: Json }
  /** It is alive, though it has nothing else to tell. */
  | { readonly kind: "beat" };

export type HostCall =
  | {
      readonly name: "fetch";
      readonly url: string;
      readonly method: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly hasBody: boolean;
      readonly maxAnswerBytes?: number;
    }
  | { readonly name: "resolve"; readonly host: string }
  | { readonly name: "secret"; readonly secret: string }
  /** The account of a job's tenant. */
  | { readonly name: "credentials"; readonly job: number };
export type HostAnswer =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "response"; readonly status: number; readonly headers: readonly (readonly [name: string, value: string])[] }
  | { readonly kind: "thrown"; readonly thrown: Thrown };

/** Something thrown, so that it is thrown again on the other side as what it was. */
export interface Thrown {
  readonly message: string;
  /** Of a check that says why it cannot judge. */
  readonly fault?: ErrorClass;
  /** Of an error that the gateway words itself. */
  readonly code?: string;
  readonly details?: Json;
}

/** A plugin without its functions. Schemas as `schema-wire.ts` writes them. */
export interface DescribedPlugin {
  readonly kind: string;
  readonly needs: readonly string[];
  readonly config: unknown;
}
export interface DescribedPack {
  readonly checks: readonly DescribedCheck[];
  readonly credentials: unknown;
}
export interface DescribedCheck {
  /** What of it is data. */
  readonly members: Json;
  readonly params: unknown;
  readonly hasProblems: boolean;
}

/** While it has work, a pack's process says so often that it is alive. */
export const BEAT_MS = 50;

/** A request's or an answer's body that is shown to an isolated check has at most so many bytes as JSON. */
export const MAX_SHOWN_BODY_BYTES = 4 * 1024 * 1024;
/** And so many an HTTP body that it sends. */
export const MAX_SENT_BYTES = 16 * 1024 * 1024;
/** A frame that says it is longer comes from a process that has lost its mind. */
export const MAX_FRAME_BYTES = 16 * 1024 * 1024;
/** And so does a message. */
export const MAX_MESSAGE_BYTES = MAX_SENT_BYTES + MAX_FRAME_BYTES;
