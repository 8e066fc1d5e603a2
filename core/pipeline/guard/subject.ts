import type {
  BodyContent,
  Call,
  Check,
  CheckCall,
  GuardrailTarget,
  HeaderClasses,
  PassedRequest,
  PlacedSegment,
  Scope,
  Segment,
  Side,
} from "#contract";
import { GatewayError, type Json, isJson } from "#contract";
import type { BoundCheck, GuardView } from "./types.ts";
import { selected } from "./scope.ts";

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
  /** The same request with another body, as the next check of a sequence sees it. */
  with(body: Json): Subject {
    return body === this.body ? this : new Subject(this.side, body, this.asked);
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
    const { operation, row } = this.asked.call;
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
    return (view.text ??= joined(view.segments));
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
  private viewFor({ wants, scope }: BoundCheck): View {
    if (this.last?.wants === wants && this.last.scope === scope) return this.last;
    const found = this.views.find((view) => view.scope === scope && isSame(view.wants, wants));
    return (this.last = found ?? this.newView({ wants, scope }));
  }
  private newView({ wants, scope }: Pick<BoundCheck, "wants" | "scope">): View {
    const view = { wants, scope, segments: selected(this.piecesIn(scope), wants, scope, this.side), text: undefined };
    this.views.push(view);
    return view;
  }
  /** A conversation may be long, and most checks look at its last message. */
  private piecesIn(scope: Scope): readonly PlacedSegment[] {
    if (this.pieces) return this.pieces;
    const { content, body, side } = this;
    if (side === "input" && scope === "last_message" && content.lastInput) return (this.lastMessage ??= content.lastInput(body));
    return (this.pieces = content[side]?.(body) ?? []);
  }
  /** What the operation's bodies hold. */
  get content(): BodyContent {
    return this.asked.call.row.content;
  }
  get call(): CheckCall {
    return (this.shown ??= checkCall(this));
  }
}

const isSame = (one: BoundCheck["wants"], other: BoundCheck["wants"]): boolean =>
  one === other || (one.size === other.size && [...one].every((kind) => other.has(kind)));

const whyNotRead = (thrown: unknown): string =>
  GatewayError.is(thrown) && thrown.code === "BODY_TOO_MANY_VALUES"
    ? `it holds more than ${String(thrown.details["limit"])} ${String(thrown.details["of"])}`
    : "reading the arguments of its tool calls would hold up everybody else";

const joined = (segments: readonly Segment[]): string => (segments.length === 1 ? textOf(segments[0]) : segments.map(textOf).join("\n"));
const textOf = (segment: Segment | undefined): string => segment?.text ?? "";

/** What the check before saw. */
interface View extends Pick<BoundCheck, "wants" | "scope"> {
  readonly segments: readonly Segment[];
  text: string | undefined;
}

export interface SubjectSource {
  readonly call: Call;
  /** What a header's name says of it: credentials and the gateway's own are not shown. */
  readonly headers: HeaderClasses;
  readonly view: GuardView;
  /** HTTP status of the answer on the output side. */
  readonly status: number | null;
}

/** A request's body as guardrails read it. */
export function bodyOf({ body }: Call): Json | null {
  if (body.kind === "json") return isJson(body.value) ? body.value : null;
  return body.kind === "form-read" ? { ...body.fields } : null;
}

function checkCall(subject: Subject): CheckCall {
  const { call, headers, view, status } = subject.asked;
  const asked = bodyOf(call);
  return {
    requestType: call.operation,
    provider: view.provider,
    model: view.model,
    traceId: call.traceId,
    metadata: view.metadata,
    streamed: asked?.["stream"] === true,
    request: subject.side === "input" ? subject.body : asked,
    response: subject.side === "output" ? subject.body : null,
    status,
    ...(call.row.passes !== undefined && { passing: passedRequest(call) }),
    header: (name) => (headers.of(name.toLowerCase()).shownToChecks ? call.headers.get(name) : null),
  };
}

const passedRequest = ({ method, path, headers }: Call): PassedRequest => ({
  method,
  path,
  contentType: headers.get("content-type") ?? "",
});
