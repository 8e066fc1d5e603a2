import {
  type Call,
  type Encoder,
  GatewayError,
  type GuardrailResult,
  type JudgedAnswer,
  nextTurn,
  type Source,
  type StreamEvent,
} from "#contract";
import type { Held } from "../../kernel/process/memory-budget.ts";
import { isLong } from "../../json/long-json.ts";
import { eventCost } from "../../json/memory-cost.ts";
import type { Chunk } from "../stream/chunks.ts";
import type { Spent } from "../stream/spent.ts";
import { Fold, saidIn } from "../stream/fold.ts";
import { InTurns } from "../stream/in-turns.ts";
import { beside, deniedBy, foldRuns, type GuardVerdict, verdictOf } from "./guard.ts";
import { isLeading, runLeadersFirst } from "./leading-guardrails.ts";
import { actingOn } from "./rollout.ts";
import { howOn } from "./stream-mode.ts";
import { Windows } from "./window.ts";
import { HeldWire } from "./held-wire.ts";
import { sizeOf } from "../stream/kept-events.ts";
import { runGuardrail } from "./run.ts";
import { Subject, bodyOf } from "./subject.ts";
import type { ActiveGuardrail } from "../plan/guardrails/active.ts";
import type { GuardDeps, GuardView } from "./types.ts";
import { MAX_WHOLE, tooLarge } from "../../json/whole.ts";

export interface StreamDeps extends GuardDeps {
  readonly view: GuardView;
  /** Of the client's dialect: to write an answer that guardrails changed. */
  encoder(): Encoder;
  readonly judged: JudgedAnswer;
  /** Takes what is held back from the process's memory budget. */
  readonly held?: Held;
  /** Characters of an answer that are held back at most; MAX_WHOLE unless a test says so. */
  readonly maxHeld?: number;
}
export type GuardedStream =
  | {
      readonly kind: "denied";
      readonly results: readonly GuardrailResult[];
      readonly pending: () => Promise<readonly GuardrailResult[]>;
      /** Every guardrail that denies has it answered with 200. */
      readonly softly: boolean;
      readonly spent: Spent;
    }
  | {
      readonly kind: "stream";
      readonly chunks: Source<Chunk>;
      /** A guardrail that was judged before the first byte failed: answer 246. */
      readonly failed: boolean;
      /** Complete after the stream ended. */
      readonly results: () => readonly GuardrailResult[];
      /** Of the asynchronous guardrails; ask after the stream ended. Never rejects. */
      readonly pending: () => Promise<readonly GuardrailResult[]>;
      /** What has been received so far. */
      readonly spent: () => Spent;
    };

/**
 * Judges a streamed answer. The strictest way among the checks decides: collect all, judge, then release; or hold text
 * back until the window over it has passed; or, when nothing can be enforced, judge at the end. A denial before the
 * first byte is an answer (446), a later one a throw (HOOKS_FAILED). Where no stream is given, the upstream is closed.
 */
export async function guardStream(
  all: readonly ActiveGuardrail[],
  call: Call,
  upstream: Source<Chunk>,
  deps: StreamDeps,
): Promise<GuardedStream> {
  const list = actingOn(all, call.traceId);
  const judge = new StreamJudge(list, call, deps);
  try {
    return list.some((guardrail) => howOn(guardrail, judge.empty) === "final")
      ? await collected(judge, upstream)
      : await windowed(judge, upstream);
  } catch (thrown) {
    await upstream.cancel();
    throw thrown;
  }
}

/** Refuses, before anything is sent, a streamed request whose answer a denying or changing check could not judge. */
export function refuseUnstreamable(list: readonly ActiveGuardrail[], call: Call): void {
  if (bodyOf(call)?.["stream"] !== true) return;
  for (const guardrail of actingOn(list, call.traceId)) {
    if (guardrail.async) continue;
    const unable = guardrail.checks.find(
      ({ loaded }) => loaded?.check.stream === "none" && loaded.check.on.includes("output") && (guardrail.deny || loaded.check.transforms),
    );
    if (unable) throw new GatewayError("GUARDRAIL_UNSTREAMABLE", { check: unable.id, guardrail: guardrail.id });
  }
}

/** What both ways of judging share: who judges, on which request. */
class StreamJudge {
  readonly fold = new Fold();
  private size = 0;
  private asynchronous: Promise<readonly GuardrailResult[]> | undefined;
  private readonly heldBefore: number;
  readonly waited: readonly ActiveGuardrail[];
  readonly empty: Subject;

  constructor(
    readonly list: readonly ActiveGuardrail[],
    call: Call,
    readonly deps: StreamDeps,
  ) {
    this.heldBefore = deps.held?.bytes ?? 0;
    this.waited = list.filter((guardrail) => !guardrail.async);
    this.empty = new Subject("output", {}, { call, headers: deps.headers, keyHeaders: deps.keyHeaders, view: deps.view, status: 200 });
  }
  /** The answer so far. */
  subject(): Subject {
    return this.empty.with(this.deps.judged.body(this.fold.done()));
  }
  /** A chunk has come: it is part of the answer that is judged, and held for it. */
  add(chunk: Chunk): void {
    const { maxHeld = MAX_WHOLE, held } = this.deps;
    const size = sizeOf(chunk);
    this.size += size;
    if (this.size > maxHeld)
      throw new GatewayError("UPSTREAM_INVALID", { provider: this.deps.view.provider ?? "", why: tooLarge(maxHeld) });
    if (held) this.hold(held, eventCost(size));
    for (const event of chunk.events) this.fold.add(event);
  }
  spent(isComplete: boolean): Spent {
    const answer = this.fold.done();
    return { usage: answer.usage ?? null, model: answer.model ?? null, isComplete, received: saidIn(answer) };
  }
  /** Where memory is full, what was held for this answer is free at once: another that is under way may need it. */
  private hold(held: Held, bytes: number): void {
    try {
      held.grow(bytes);
    } catch (thrown) {
      held.backTo(this.heldBefore);
      throw thrown;
    }
  }
  /** Asynchronous guardrails judge once, what was received. */
  pending(left = this.subject()): Promise<readonly GuardrailResult[]> {
    return (this.asynchronous ??= beside(
      this.list.filter((guardrail) => guardrail.async),
      left,
      this.deps,
    ));
  }
}

/* ── collect, judge, release ─────────────────────────────────────────────────────────────────────────────────── */

async function collected(judge: StreamJudge, upstream: Source<Chunk>): Promise<GuardedStream> {
  const held = new HeldWire();
  for (let chunk = await upstream.read(); chunk; chunk = await upstream.read()) {
    if (isLong(chunk.wire)) await nextTurn(); // it was written just now
    judge.add(chunk);
    held.add(chunk);
  }
  const subject = judge.subject();
  const { body, results, denied, failed, softly } = await judgedWhole(judge, subject);
  const pending = () => judge.pending(subject.with(body)); // what is taken out of an answer, nobody beside it is shown
  if (denied) return { kind: "denied", results, pending, softly, spent: judge.spent(true) };
  const chunks =
    body === subject.body ? held.chunks() : rewritten(judge.deps.judged.events(judge.fold.done(), body), judge.deps.encoder()).values();
  return { kind: "stream", chunks: new InTurns(chunks), failed, results: () => results, pending, spent: () => judge.spent(true) };
}

async function judgedWhole({ waited, deps }: StreamJudge, subject: Subject): Promise<GuardVerdict> {
  if (waited.some(isLeading)) return verdictOf(await runLeadersFirst(waited, subject, deps, () => undefined), subject, null, deps);
  const ran = await Promise.all(waited.map((guardrail) => runGuardrail(guardrail, subject, deps)));
  return foldRuns(ran, subject, null, deps);
}

export const rewritten = (events: readonly StreamEvent[], encoder: Encoder): readonly Chunk[] => [
  ...events.map((event) => ({ wire: encoder.event(event), events: [event] })),
  { wire: encoder.end(), events: [] },
];

/* ── hold back by window, or judge at the end ────────────────────────────────────────────────────────────────── */

async function windowed(judge: StreamJudge, upstream: Source<Chunk>): Promise<GuardedStream> {
  const windows = new Windows(judge.waited, judge.empty, judge.deps);
  const take = async (): Promise<void> => {
    const chunk = await upstream.read();
    if (chunk === undefined) return windows.end(judge.subject());
    judge.add(chunk);
    return windows.push(chunk);
  };
  while (!windows.open) await take();
  const pending = () => judge.pending();
  const results = () => windows.results();
  if (windows.denied) {
    await upstream.cancel();
    return { kind: "denied", results: results(), pending, softly: windows.softly, spent: judge.spent(windows.ended) };
  }
  const chunks: Source<Chunk> = { read: () => released(windows, take), cancel: () => upstream.cancel() };
  return { kind: "stream", chunks, failed: windows.failed, results, pending, spent: () => judge.spent(windows.ended) };
}

/** What may go next; waits until something may. */
async function released(windows: Windows, take: () => Promise<void>): Promise<Chunk | undefined> {
  for (let chunk = windows.released(); ; chunk = windows.released()) {
    if (chunk !== undefined || windows.ended) return chunk;
    await take();
    if (windows.denied) throw new GatewayError("HOOKS_FAILED", { failed: deniedBy(windows.results()) });
  }
}
