import { type Call, type Encoder, GatewayError, type GuardrailResult, type JudgedAnswer, nextTurn, type StreamEvent } from "#contract";
import { MAX_WHOLE, tooLarge } from "../../egress/answer.ts";
import type { Held } from "../../kernel/process/memory-budget.ts";
import { eventCost } from "../../kernel/process/memory-cost.ts";
import { Fold } from "../stream/fold.ts";
import { beside, deniedBy, foldRuns } from "./guard.ts";
import { howOn } from "./stream-mode.ts";
import { type Chunk, Windows } from "./window.ts";
import { HeldWire } from "./held-wire.ts";
import { sizeOf } from "../stream/kept-events.ts";
import { runGuardrail } from "./run.ts";
import { Subject, bodyOf } from "./subject.ts";
import type { ActiveGuardrail, GuardDeps, GuardView } from "./types.ts";

export type { Chunk } from "./window.ts";

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
  | { readonly kind: "denied"; readonly results: readonly GuardrailResult[]; readonly pending: () => Promise<readonly GuardrailResult[]> }
  | {
      readonly kind: "stream";
      /** Closing it (`return()`) closes the upstream, begun or not. */
      readonly chunks: AsyncIterableIterator<Chunk>;
      /** A guardrail that was judged before the first byte failed: answer 246. */
      readonly failed: boolean;
      /** Complete after the stream ended. */
      readonly results: () => readonly GuardrailResult[];
      /** Of the asynchronous guardrails; ask after the stream ended. Never rejects. */
      readonly pending: () => Promise<readonly GuardrailResult[]>;
    };

/**
 * Judges a streamed answer. The strictest way among the checks decides: collect all, judge, then release; or hold text
 * back until the window over it has passed; or, when nothing can be enforced, judge at the end. A denial before the
 * first byte is an answer (446), a later one a throw (HOOKS_FAILED). The upstream is always closed.
 */
export async function guardStream(
  list: readonly ActiveGuardrail[],
  call: Call,
  chunks: AsyncIterable<Chunk>,
  deps: StreamDeps,
): Promise<GuardedStream> {
  const upstream = chunks[Symbol.asyncIterator]();
  const judge = new StreamJudge(list, call, deps);
  try {
    return list.some((guardrail) => howOn(guardrail, judge.empty) === "final")
      ? await collected(judge, upstream)
      : await windowed(judge, upstream);
  } catch (thrown) {
    await upstream.return?.();
    throw thrown;
  }
}

/** Refuses, before anything is sent, a streamed request whose answer a denying or changing check could not judge. */
export function refuseUnstreamable(list: readonly ActiveGuardrail[], call: Call): void {
  if (bodyOf(call)?.["stream"] !== true) return;
  for (const guardrail of list) {
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
  readonly waited: readonly ActiveGuardrail[];
  readonly empty: Subject;

  constructor(
    readonly list: readonly ActiveGuardrail[],
    call: Call,
    readonly deps: StreamDeps,
  ) {
    this.waited = list.filter((guardrail) => !guardrail.async);
    this.empty = new Subject("output", {}, { call, headers: deps.headers, view: deps.view, status: 200 });
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
    held?.grow(eventCost(size));
    for (const event of chunk.events) this.fold.add(event);
  }
  /** Asynchronous guardrails judge once, what was received. */
  pending(): Promise<readonly GuardrailResult[]> {
    return (this.asynchronous ??= beside(
      this.list.filter((guardrail) => guardrail.async),
      this.subject(),
      this.deps,
    ));
  }
}

/* ── collect, judge, release ─────────────────────────────────────────────────────────────────────────────────── */

async function collected(judge: StreamJudge, upstream: AsyncIterator<Chunk>): Promise<GuardedStream> {
  const held = new HeldWire();
  for (let next = await upstream.next(); !next.done; next = await upstream.next()) {
    judge.add(next.value);
    held.add(next.value);
  }
  const subject = judge.subject();
  const ran = await Promise.all(judge.waited.map((guardrail) => runGuardrail(guardrail, subject, judge.deps)));
  const { body, results, denied, failed } = foldRuns(ran, subject, null, judge.deps);
  const pending = () => judge.pending();
  if (denied) return { kind: "denied", results, pending };
  const chunks = body === subject.body ? held.chunks() : rewritten(judge.deps.judged.events(judge.fold.done(), body), judge.deps.encoder());
  return { kind: "stream", chunks: closing(released(chunks), upstream), failed, results: () => results, pending };
}

/** In blocks worth a write each; between two of them others have their turn. */
async function* released(chunks: Iterable<Chunk>): AsyncGenerator<Chunk> {
  for (const chunk of chunks) {
    yield chunk;
    await nextTurn();
  }
}
const rewritten = (events: readonly StreamEvent[], encoder: Encoder): readonly Chunk[] => [
  ...events.map((event) => ({ wire: encoder.event(event), events: [event] })),
  { wire: encoder.end(), events: [] },
];

/* ── hold back by window, or judge at the end ────────────────────────────────────────────────────────────────── */

async function windowed(judge: StreamJudge, upstream: AsyncIterator<Chunk>): Promise<GuardedStream> {
  const windows = new Windows(judge.waited, judge.empty, judge.deps);
  const take = async (): Promise<void> => {
    const next = await upstream.next();
    if (next.done) return windows.end(judge.subject());
    judge.add(next.value);
    return windows.push(next.value);
  };
  while (!windows.open) await take();
  const pending = () => judge.pending();
  const results = () => windows.results();
  if (windows.denied) {
    await upstream.return?.();
    return { kind: "denied", results: results(), pending };
  }
  return { kind: "stream", chunks: closing(flow(windows, take), upstream), failed: windows.failed, results, pending };
}

async function* flow(windows: Windows, take: () => Promise<void>): AsyncGenerator<Chunk> {
  yield* windows.release();
  while (!windows.ended) {
    await take();
    if (windows.denied) throw new GatewayError("HOOKS_FAILED", { failed: deniedBy(windows.results()) });
    yield* windows.release();
  }
}

/** A generator that was never begun would not run its `finally`; here closing always reaches the upstream. */
function closing(flow: AsyncGenerator<Chunk>, upstream: AsyncIterator<Chunk>): AsyncIterableIterator<Chunk> {
  const close = async (): Promise<void> => void (await upstream.return?.());
  return {
    async next() {
      try {
        return await flow.next();
      } catch (thrown) {
        await close();
        throw thrown;
      }
    },
    async return() {
      await close();
      return flow.return(undefined);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
