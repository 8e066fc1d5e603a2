import { type Body, GatewayError, type GuardrailResult } from "#contract";
import type { Held } from "../../../kernel/process/memory-budget.ts";
import { type GuardedCall, Results } from "../../call/guardrail-report.ts";
import type { ActiveGuardrail } from "../../plan/guardrails/active.ts";
import { deniedBy } from "../guard.ts";
import { textOf } from "../result.ts";
import { actingOn } from "../rollout.ts";
import type { GuardDeps, GuardView } from "../types.ts";
import { HELD_BYTES } from "./held.ts";
import { judgedInOrder } from "./in-order.ts";
import { FormLines, type Passing } from "./form.ts";
import { judgedLine, type LineJudge, MAX_LINE_BYTES, refuseUnread } from "./line.ts";
import { Tally } from "./tally.ts";

type Form = Extract<Body, { kind: "form" }>;

/**
 * Judges the lines of a file that are requests, as the file passes: none is sent before its verdict, and a denial breaks
 * the upload off before its end, so that nobody takes it for a whole one.
 */
export async function guardFile(
  before: GuardedCall,
  all: readonly ActiveGuardrail[],
  { view, held, deps, whenOver }: Upload,
): Promise<GuardedCall> {
  const { call } = before;
  const { lines } = call.row.content;
  const list = readersOf(actingOn(all, call.traceId));
  if (before.denied || lines === undefined || call.body.kind !== "form" || list.length === 0) return before;
  const rows = [...deps.operations.values()].map(({ row }) => row);
  const judge: LineJudge = { list, call, view, lines, operations: rows, deps };
  const file = new JudgedFile(call.body, judge, held);
  whenOver(() => void file.stop());
  return file.opened(before);
}
interface Upload {
  readonly view: GuardView;
  readonly held: Held;
  readonly deps: GuardDeps;
  /** Calls it when the request is over: whoever was to be sent the file may never have asked for it. */
  whenOver(release: () => void): void;
}

/** What a check finds without a body, it has found of the upload itself. */
const readersOf = (list: readonly ActiveGuardrail[]): readonly ActiveGuardrail[] =>
  list.flatMap((guardrail) => {
    const checks = guardrail.checks.filter(({ loaded, params }) => loaded?.check.judgesPassing?.(params as never) !== true);
    return checks.length === 0 ? [] : [{ ...guardrail, checks }];
  });

/** Of a guardrail whose checks all look at lines, what it says of the upload itself is nothing. */
const merged = (ofUpload: readonly GuardrailResult[], ofLines: readonly GuardrailResult[]): readonly GuardrailResult[] => [
  ...ofUpload.filter(({ id, checks }) => checks.length > 0 || !ofLines.some((result) => result.id === id)),
  ...ofLines,
];

class JudgedFile {
  private readonly tally = new Tally();
  private readonly form: FormLines;
  private readonly pieces: AsyncGenerator<Uint8Array>;
  /** What was judged before anything was sent. */
  private readonly ahead: Uint8Array[] = [];
  private aheadBytes = 0;
  private isWhole = false;
  private waiting = 0;
  private denial: readonly GuardrailResult[] | null = null;
  private watcher: ((piece: Uint8Array | undefined) => Promise<void>) | undefined;
  private readonly done = Promise.withResolvers<void>();
  private readonly reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(
    private readonly body: Form,
    private readonly judge: LineJudge,
    private readonly held: Held,
  ) {
    this.form = new FormLines(body.contentType, judge.lines, (bytes, line) => this.judgeLength(bytes, line));
    this.reader = body.stream.getReader();
    this.pieces = judgedInOrder(this.passing(), (line, number) => this.lineJudged(line, number));
  }

  /** The call, its file judged as far as it is held: whole, where it is small. */
  async opened(before: GuardedCall): Promise<GuardedCall> {
    try {
      await this.readAhead();
    } catch (thrown) {
      await this.stop();
      if (this.denial === null) throw thrown;
    }
    const results = merged(before.results, this.denial ?? (this.isWhole ? this.tally.waited : []));
    return {
      call: { ...before.call, body: this.sent() },
      results,
      written: new Results(textOf(results)),
      denied: this.denial !== null,
      softly: false,
      failed: before.failed || results.some(({ verdict }) => !verdict),
      pending: this.later(before),
    };
  }
  private async readAhead(): Promise<void> {
    while (this.aheadBytes < HELD_BYTES && !this.isWhole) {
      const { value, done } = await this.pieces.next();
      if (done) this.isWhole = true;
      else {
        this.held.grow(value.length);
        this.aheadBytes += value.length;
        this.ahead.push(value);
      }
    }
  }
  /** What the log is told of the lines, where the answer cannot be: what was judged while it was sent, and beside it. */
  private async later({ pending }: GuardedCall): Promise<readonly GuardrailResult[]> {
    const [of, isWhole] = [await pending, this.isWhole];
    if (this.denial === null && !isWhole) await this.done.promise;
    const lines = await this.tally.all();
    return [...(of ?? []), ...(isWhole || this.denial ? lines.filter(({ async: beside }) => beside) : lines)];
  }

  /** The form as it goes on. */
  private sent(): Form {
    const stream = new ReadableStream<Uint8Array>(
      { pull: (controller) => this.pull(controller), cancel: () => this.stop() },
      { highWaterMark: 0 }, // nothing is read ahead of the provider
    );
    return { ...this.body, stream, watch: (watcher) => void (this.watcher = watcher) };
  }
  private async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      const piece = await this.next();
      await this.watcher?.(piece);
      if (piece) controller.enqueue(piece);
      else controller.close();
    } catch (thrown) {
      await this.stop();
      throw thrown;
    }
  }
  private async next(): Promise<Uint8Array | undefined> {
    const held = this.ahead.shift();
    if (held) {
      this.held.grow(-held.length);
      return held;
    }
    const { value, done } = this.isWhole ? { value: undefined, done: true } : await this.pieces.next();
    if (done) this.done.resolve();
    return value;
  }
  /** Nothing more of it is wanted. */
  async stop(): Promise<void> {
    this.done.resolve();
    for (const piece of this.ahead.splice(0)) this.held.grow(-piece.length);
    await this.reader.cancel().catch(() => undefined); // its client may have left
  }

  private async *passing(): AsyncGenerator<Passing> {
    for (;;) {
      const { value, done } = await this.reader.read();
      yield* done ? this.form.end() : this.form.push(value);
      this.hold(this.form.waiting);
      if (done) return;
    }
  }
  /** What waits in the form: a line that has begun, and whatever came before it was known what the file is for. */
  private hold(bytes: number): void {
    this.held.grow(bytes - this.waiting);
    this.waiting = bytes;
  }
  private async lineJudged(line: Uint8Array<ArrayBuffer>, number: number): Promise<Uint8Array> {
    this.held.grow(line.length);
    try {
      const { bytes, guarded } = await judgedLine(line, number, this.judge);
      if (guarded) this.heard(guarded, number);
      return bytes;
    } finally {
      this.held.grow(-line.length);
    }
  }
  private heard(guarded: GuardedCall, line: number): void {
    this.tally.add(guarded, line);
    if (!guarded.denied) return;
    const { results } = guarded;
    this.denial ??= results.map((result) => ({ ...result, line }));
    throw new GatewayError("HOOKS_FAILED", { failed: `${deniedBy(results)} (line ${line})` });
  }
  private judgeLength(bytes: number, line: number): void {
    if (bytes > MAX_LINE_BYTES) refuseUnread(this.judge.list, line, `it is longer than ${MAX_LINE_BYTES / 1024 / 1024} MB`);
  }
}
