import { Buffer } from "node:buffer";
import { type CheckCall, CheckFault, type CheckInput, isJson, type Json, type Segment } from "#contract";
import { type Frame, textOf } from "../frames.ts";
import { segmentsOf } from "../segments.ts";
import { type BodyState, type JudgeHead, MAX_SHOWN_BODY_BYTES, type ShownCall } from "./wire.ts";

/** What a check is given in a process of its pack's own. */
export class ChildInput implements CheckInput<never> {
  readonly params: never;
  readonly side: JudgeHead["side"];
  readonly now: number;
  readonly timeoutMs: number;
  readonly text: string;
  readonly segments: readonly Segment[];
  readonly call: CheckCall;
  /** Which header's it would be is asked in the gateway's own process: a pack that asks for one is refused there. */
  readonly credential = null;

  constructor(
    head: JudgeHead,
    [texts = [], request = [], response = []]: readonly (readonly Frame[])[],
    readonly signal: AbortSignal,
    readonly credentials: () => Promise<Json>,
  ) {
    this.params = head.params as never; // judged by the check's own schema before it was sent
    this.side = head.side;
    this.now = head.now;
    this.timeoutMs = head.timeoutMs;
    this.text = texts.map(textOf).join("");
    this.segments = segmentsOf(head.pieces, this.text);
    this.call = new ChildCall(head.call, request, response);
  }
  /** A pack that asks models needs `dispatch`, and is refused in this tier. */
  get asker(): never {
    throw new Error("an isolated check asks no model");
  }
}

class ChildCall implements CheckCall {
  readonly requestType: CheckCall["requestType"];
  readonly provider: string | null;
  readonly model: string | null;
  readonly traceId: string;
  readonly metadata: CheckCall["metadata"];
  readonly streamed: boolean;
  readonly status: number | null;
  readonly passing?: NonNullable<CheckCall["passing"]>;
  readonly #shown: ShownCall;
  readonly #frames: Readonly<Record<"request" | "response", readonly Frame[]>>;
  readonly #read = new Map<"request" | "response", Json | null>();

  constructor(shown: ShownCall, request: readonly Frame[], response: readonly Frame[]) {
    this.requestType = shown.requestType;
    this.provider = shown.provider;
    this.model = shown.model;
    this.traceId = shown.traceId;
    this.metadata = shown.metadata;
    this.streamed = shown.streamed;
    this.status = shown.status;
    if (shown.passing) this.passing = shown.passing;
    this.#shown = shown;
    this.#frames = { request, response };
  }
  get request(): Json | null {
    return this.#body("request");
  }
  get response(): Json | null {
    return this.#body("response");
  }
  header(name: string): string | null {
    return this.#shown.headers[name.toLowerCase()] ?? null;
  }
  headerNames(): readonly string[] {
    return Object.keys(this.#shown.headers);
  }
  /** Parsed when it is asked for: most checks look at the text alone. */
  #body(which: "request" | "response"): Json | null {
    const read = this.#read.get(which) ?? bodyOf(this.#shown[which], this.#frames[which]);
    this.#read.set(which, read);
    return read;
  }
}

function bodyOf(state: BodyState, frames: readonly Frame[]): Json | null {
  if (state === "none") return null;
  if (state === "too long")
    throw new CheckFault("budget", `the body has more than ${MAX_SHOWN_BODY_BYTES} bytes, which is not shown to an isolated check`);
  const body: unknown = JSON.parse(Buffer.concat(frames.map(({ bytes }) => bytes)).toString());
  return isJson(body) ? body : null;
}
