import { isUtf8 } from "node:buffer";
import { type ByteSource, type Call, GatewayError, type GuardrailResult, type MountedOperation } from "#contract";
import { spentOnPart } from "../../../compute/allowance.ts";
import { utf8 } from "../../../json/utf8.ts";
import { written } from "../../../json/written.ts";
import type { Held } from "../../../kernel/process/memory-budget.ts";
import { type Guarded, Results } from "../../call/guardrail-report.ts";
import { deniedBy, type GuardedAnswer, guardOutput } from "../guard.ts";
import { textOf } from "../result.ts";
import { HELD_BYTES } from "./held.ts";
import { judgedInOrder } from "./in-order.ts";
import type { Passing } from "./form.ts";
import { lineIn, type LineJudge, MAX_LINE_BYTES, refuseUnread } from "./line.ts";
import { LineSplitter } from "./splitter.ts";
import { Tally } from "./tally.ts";

/** Who judges the lines of which download. */
export interface AnswerJudge extends Omit<LineJudge, "lines"> {
  readonly held: Held;
}

/** A file of answers as it may go on, and what guardrails said of what was held of it. */
export interface JudgedFileOfAnswers extends Guarded {
  readonly bytes: ByteSource;
}

const OPENS = 0x7b;
const LINE_END = 0x0a;
/** What readers of JSON pass over: blanks, tabs, ends of lines, and the bytes of a byte order mark. */
const BEFORE_JSON: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d, 0x0a, 0xef, 0xbb, 0xbf]);
function opensJson(line: Uint8Array): boolean {
  let at = 0;
  while (BEFORE_JSON.has(line[at] ?? OPENS)) at += 1;
  return line[at] === OPENS;
}

const CLOSES = 0x7d;
/** Does it end as an object does? */
const closesJson = (line: Uint8Array): boolean => line[line.findLastIndex((byte) => !BEFORE_JSON.has(byte))] === CLOSES;
/** JSON of two or four bytes a letter, which some readers know by that. */
const WIDE = /^(\xff\xfe(\0\0)?|\xfe\xff|\0\0\xfe\xff)?\0*\{(\0|$)/;
const isWide = (line: Uint8Array): boolean => {
  const begin = Buffer.from(line.subarray(0, 8)).toString("latin1");
  return begin.includes("\0") && WIDE.test(begin);
};

/** Judges the answers in a file as it passes: none goes on before its verdict, and nothing at all of a smaller file that is denied. */
export async function guardAnswers(upstream: ByteSource, judge: AnswerJudge): Promise<JudgedFileOfAnswers> {
  const answers = new Answers(upstream, judge);
  try {
    return await answers.opened();
  } catch (thrown) {
    await upstream.cancel();
    throw thrown;
  }
}

class Answers implements ByteSource {
  private readonly tally = new Tally();
  private readonly pieces: AsyncGenerator<Uint8Array>;
  private readonly ahead: Uint8Array[] = [];
  private isWhole = false;
  /** Its first line opens as JSON does: the others are lines of JSON as well. */
  private isJson = false;
  private denial: readonly GuardrailResult[] | null = null;
  private readonly done = Promise.withResolvers<void>();

  constructor(
    private readonly upstream: ByteSource,
    private readonly judge: AnswerJudge,
  ) {
    this.pieces = judgedInOrder(this.lines(), (line, number) => this.judged(line, number));
  }

  async opened(): Promise<JudgedFileOfAnswers> {
    await this.readAhead().catch((thrown: unknown) => {
      if (this.denial === null) throw thrown;
    });
    if (this.denial) await this.cancel();
    const results = this.denial ?? (this.isWhole ? this.tally.waited : []);
    const pending = this.later(this.denial !== null || this.isWhole);
    const failed = results.some(({ verdict }) => !verdict);
    return { bytes: this, results, written: new Results(textOf(results)), denied: this.denial !== null, softly: false, failed, pending };
  }
  private async readAhead(): Promise<void> {
    for (let bytes = 0; bytes < HELD_BYTES; ) {
      const { value, done } = await this.pieces.next();
      if (done) {
        this.isWhole = true;
        return this.done.resolve();
      }
      bytes += value.length;
      this.judge.held.grow(value.length);
      this.ahead.push(value);
    }
  }
  private async later(isSaid: boolean): Promise<readonly GuardrailResult[]> {
    await this.done.promise;
    const all = await this.tally.all();
    return isSaid ? all.filter(({ async: beside }) => beside) : all;
  }

  async read(): Promise<Uint8Array | undefined> {
    const piece = this.ahead.shift();
    if (piece) this.judge.held.grow(-piece.length);
    if (piece || this.isWhole) return piece;
    const { value, done } = await this.pieces.next().catch((thrown: unknown) => {
      this.done.resolve(); // nobody reads on behind a fault
      throw thrown;
    });
    if (done) this.done.resolve();
    return value;
  }
  cancel(): Promise<void> {
    this.done.resolve();
    return this.upstream.cancel();
  }

  private async *lines(): AsyncGenerator<Passing> {
    const splitter = new LineSplitter();
    let number = 1;
    for (let piece = await this.upstream.read(); piece; piece = await this.upstream.read()) {
      for (const bytes of splitter.lines(piece)) yield this.numbered(bytes, number++);
      if (splitter.waiting > MAX_LINE_BYTES) yield this.numbered(splitter.taken(), number);
    }
    if (splitter.waiting > 0) yield this.numbered(splitter.taken(), number);
  }
  private numbered(bytes: Uint8Array<ArrayBuffer>, line: number): Passing {
    if (line === 1) this.isJson = opensJson(bytes);
    return { bytes, line };
  }

  private async judged(bytes: Uint8Array<ArrayBuffer>, number: number): Promise<Uint8Array> {
    const { list, call } = this.judge;
    if (number === 1 && isWide(bytes)) refuseUnread(list, number, "it is not UTF-8");
    if (!opensJson(bytes)) return bytes;
    if (bytes.length > MAX_LINE_BYTES) refuseUnread(list, number, `it is longer than ${MAX_LINE_BYTES / 1024 / 1024} MB`);
    const line = await lineIn(bytes).catch((thrown: unknown) => this.notRead(thrown, bytes, number));
    const answers = call.row.content.answers;
    const answer = line && answers?.answer(line);
    const row = answer && this.judge.operations.find(({ id }) => id === answer.operation);
    if (line && answer !== null && !row) refuseUnread(list, number, "it holds no answer of a form that is known");
    if (!line || !answers || !answer || !row) return bytes;
    const judged = await this.guarded(row, answer.body);
    this.heard(judged, number);
    if (judged.body === answer.body) return bytes;
    const text = await written(answers.withBody(line, judged.body), utf8(bytes));
    const ends = bytes.at(-1) === LINE_END ? "\n" : "";
    return Buffer.concat([typeof text === "string" ? Buffer.from(text) : text, Buffer.from(ends)]);
  }
  /** What is no JSON is no answer either, unless it looks like one to a reader who takes more than we; what nobody can read in time may be one. */
  private notRead(thrown: unknown, bytes: Uint8Array, number: number): undefined {
    if (!GatewayError.is(thrown)) return undefined;
    const isFirm = thrown.code !== "BODY_NOT_JSON";
    if (isFirm || (this.isJson && (closesJson(bytes) || !isUtf8(bytes)))) refuseUnread(this.judge.list, number, thrown.message);
    return undefined;
  }
  private async guarded(row: MountedOperation, body: GuardedAnswer["body"]): Promise<GuardedAnswer> {
    const { list, call, view, deps } = this.judge;
    const asked: Call = { ...call, operation: row.id, row };
    return guardOutput(list, body, { call: asked, status: 200, view: { ...view, spending: spentOnPart(view.spending) } }, deps);
  }
  private heard(judged: GuardedAnswer, line: number): void {
    this.tally.add(judged, line);
    if (!judged.denied) return;
    this.denial ??= judged.results.map((result) => ({ ...result, line }));
    throw new GatewayError("HOOKS_FAILED", { failed: `${deniedBy(judged.results)} (line ${line})` });
  }
}
