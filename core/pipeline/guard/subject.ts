import type {
  BodyContent,
  Call,
  Check,
  CheckCall,
  GuardrailTarget,
  HeaderClasses,
  PassedRequest,
  PlacedSegment,
  RequestHeaders,
  Scope,
  Segment,
  Side,
} from "#contract";
import { GatewayError, type Json, isJson } from "#contract";
import { callerKey, type KeyHeaders } from "../../kernel/secrets/caller-key.ts";
import type { BoundCheck } from "../plan/guardrails/active.ts";
import type { GuardView } from "./types.ts";
import { type Choice, saysSomething, selected } from "./scope.ts";

/** What the checks of one hook point look at: a body, read into segments when the first check wants them. */
export class Subject {
  /** Every piece of the body, and those of its last message alone: each read when the first check wants them. */
  private pieces: readonly PlacedSegment[] | undefined;
  private lastMessage: readonly PlacedSegment[] | undefined;
  private shown: CheckCall | undefined;
  /** One for each way to choose among the pieces; the last is asked for most. */
  private readonly views: View[] = [];
  private last: View | undefined;

  constructor(
    readonly side: Side,
    readonly body: Json,
    readonly asked: SubjectSource,
    pieces?: readonly PlacedSegment[],
  ) {
    this.pieces = pieces;
  }
  /** The same request with another body and other headers, as the next check of a sequence sees it. */
  with(body: Json, headers: RequestHeaders = this.headers): Subject {
    const { asked } = this;
    if (headers === this.headers) return body === this.body ? this : new Subject(this.side, body, asked);
    return new Subject(this.side, body, { ...asked, call: { ...asked.call, headers } });
  }
  get headers(): RequestHeaders {
    return this.asked.call.headers;
  }
  get headerClasses(): HeaderClasses {
    return this.asked.headers;
  }
  /** The client's token in a header; never a key of the gateway. */
  credential(name: string): string | null {
    const { call, headers, keyHeaders } = this.asked;
    const value = headers.of(name.toLowerCase()).own === null ? call.headers.get(name) : null;
    const key = callerKey(call.headers, call.control.apiKey, keyHeaders);
    return value === null || (key !== "" && value.includes(key)) ? null : value;
  }

  /** Guardrails on these hook points guard model traffic. */
  get target(): GuardrailTarget {
    return "llm";
  }
  /** Fires when the client leaves. */
  get signal(): AbortSignal {
    return this.asked.call.signal;
  }
  /** The same request, showing one piece of a streamed answer. */
  over(segment: Segment): Subject {
    return new Subject(this.side, this.body, this.asked, [{ ...segment, message: 0 }]);
  }
  /** The same request, no longer tied to its client: what runs beside it goes on when the client has what it asked for. */
  untied(): Subject {
    return new Subject(this.side, this.body, { ...this.asked, call: { ...this.asked.call, signal: new AbortController().signal } });
  }
  /** Request types it says, and whether there is content for a check that looks at content. */
  suits({ loaded, wants, params }: BoundCheck): boolean {
    if (loaded === null) return true;
    const { operation, row, inner } = this.asked.call;
    if (inner !== undefined && loaded.check.dispatches?.(params as never)) return false; // its own schema accepted them when the guardrail was bound
    const { operations } = loaded.check;
    if (operations) return operations.includes(operation) || operations.includes(row.id);
    return wants.size === 0 || this.content[this.side] !== undefined || (row.passes !== undefined && this.isOpen(loaded.check, params));
  }
  /** Does it judge by what is known of any request that passes? */
  private isOpen(check: Check, params: unknown): boolean {
    return this.side === "input" && check.judgesPassing?.(params as never) === true; // its own schema accepted them when the guardrail was bound
  }
  /** Is it a request whose body nobody can put another in the place of? */
  get isFixed(): boolean {
    const { kind } = this.asked.call.body;
    return this.side === "input" && kind !== "json" && kind !== "form-read";
  }
  segmentsFor(check: BoundCheck): readonly Segment[] {
    return this.viewFor(check).segments;
  }
  textFor(check: BoundCheck): string {
    const view = this.viewFor(check);
    return (view.text ??= this.textOfTheSame(view) ?? joined(view.segments));
  }
  /** Ways to choose among the pieces often find the same ones, and to join megabytes once more would keep others waiting. */
  private textOfTheSame({ segments }: View): string | undefined {
    return this.views.find(({ text, segments: others }) => text !== undefined && areSame(segments, others))?.text;
  }
  /** A body may hold more than can be read: that is no failure of the check that looks at it, which might let it pass. */
  readFor(check: BoundCheck): void {
    if (check.wants.size === 0) return;
    try {
      const segments = this.segmentsFor(check);
      if (check.wants.has("tool_call")) for (const segment of segments) if (segment.kind === "tool_call") void segment.text;
    } catch (thrown) {
      if (this.side === "input") throw thrown;
      throw new GatewayError("UPSTREAM_INVALID", { provider: this.asked.view.provider ?? "", why: whyNotRead(thrown) }, { cause: thrown });
    }
  }
  /** Checks mostly look at the same, and there may be hundreds of them. */
  private viewFor({ wants, scope, measures }: BoundCheck): View {
    if (this.last?.wants === wants && this.last.scope === scope && this.last.measures === measures) return this.last;
    const found = this.views.find((view) => view.scope === scope && view.measures === measures && isSame(view.wants, wants));
    return (this.last = found ?? this.newView({ wants, scope, measures }));
  }
  private newView(choice: Choice): View {
    const view = { ...choice, segments: selected(this.piecesIn(choice.scope), choice, this.side), text: undefined };
    this.views.push(view);
    return view;
  }
  /** A conversation may be long, and most checks look at its last message. */
  private piecesIn(scope: Scope): readonly PlacedSegment[] {
    if (this.pieces) return this.pieces;
    const { content, body, side } = this;
    if (side === "input" && scope === "last_message" && content.lastInput) {
      const last = (this.lastMessage ??= content.lastInput(body));
      if (last.some(saysSomething)) return last;
    }
    return (this.pieces = content[side]?.(body) ?? []);
  }
  /** All that the body says. */
  get said(): string {
    return joined(this.pieces ?? this.content[this.side]?.(this.body) ?? []);
  }
  /** What the operation's bodies hold. */
  get content(): BodyContent {
    return this.asked.call.row.content;
  }
  get call(): CheckCall {
    return (this.shown ??= new ShownCall(this));
  }
}

const isSame = (one: BoundCheck["wants"], other: BoundCheck["wants"]): boolean =>
  one === other || (one.size === other.size && [...one].every((kind) => other.has(kind)));

const areSame = (some: readonly Segment[], others: readonly Segment[]): boolean =>
  some.length === others.length && some.every(({ text }, at) => text === others[at]?.text);

const whyNotRead = (thrown: unknown): string =>
  GatewayError.is(thrown) && thrown.code === "BODY_TOO_MANY_VALUES"
    ? `it holds more than ${String(thrown.details["limit"])} ${String(thrown.details["of"])}`
    : "reading the arguments of its tool calls would hold up everybody else";

const joined = (segments: readonly Segment[]): string => (segments.length === 1 ? textOf(segments[0]) : segments.map(textOf).join("\n"));
const textOf = (segment: Segment | undefined): string => segment?.text ?? "";

/** What the check before saw. */
interface View extends Choice {
  readonly segments: readonly Segment[];
  text: string | undefined;
}

export interface SubjectSource {
  readonly call: Call;
  /** What a header's name says of it: credentials and the gateway's own are not shown. */
  readonly headers: HeaderClasses;
  /** Headers in which clients may say their key. */
  readonly keyHeaders: KeyHeaders;
  readonly view: GuardView;
  /** HTTP status of the answer on the output side. */
  readonly status: number | null;
}

/** A request's body as guardrails read it. */
export function bodyOf({ body }: Call): Json | null {
  if (body.kind === "json") return isJson(body.value) ? body.value : null;
  return body.kind === "form-read" ? { ...body.fields } : null;
}

class ShownCall implements CheckCall {
  readonly requestType: CheckCall["requestType"];
  readonly provider: string | null;
  readonly model: string | null;
  readonly traceId: string;
  readonly metadata: CheckCall["metadata"];
  readonly streamed: boolean;
  readonly request: Json | null;
  readonly response: Json | null;
  readonly status: number | null;
  readonly passing?: PassedRequest;
  readonly #source: SubjectSource;

  constructor({ asked: source, side, body }: Subject) {
    const { call, view, status } = source;
    const asked = bodyOf(call);
    this.requestType = call.operation;
    this.provider = view.provider;
    this.model = view.model;
    this.traceId = call.traceId;
    this.metadata = view.metadata;
    this.streamed = asked?.["stream"] === true;
    this.request = side === "input" ? body : asked;
    this.response = side === "output" ? body : null;
    this.status = status;
    if (call.row.passes !== undefined) this.passing = passedRequest(call);
    this.#source = source;
  }
  header(name: string): string | null {
    return this.#isShown(name) ? this.#source.call.headers.get(name) : null;
  }
  headerNames(): readonly string[] {
    const names: string[] = [];
    this.#source.call.headers.forEach((_, name) => this.#isShown(name) && names.push(name));
    return names;
  }
  #isShown(name: string): boolean {
    return this.#source.headers.of(name.toLowerCase()).shownToChecks;
  }
}

const passedRequest = ({ method, path, headers }: Call): PassedRequest => ({
  method,
  path,
  contentType: headers.get("content-type") ?? "",
});
