import { GatewayError, type JsonText, type MaybePromise, type Outcome, type Source, type Usage, type WireError } from "#contract";
import { type Live, type Summary, wireError } from "./live.ts";
import { Slices } from "./slices.ts";

/** How an answer came to its end. */
export interface Ending {
  readonly ended: Outcome["ended"];
  readonly usage: Usage | null;
  /** Milliseconds from the request's arrival to the first byte of a stream. */
  readonly firstMs: number | null;
  readonly response: JsonText | null;
  /** Bytes of a stream that are kept for the log: making a text of many is work. */
  readonly keptBytes?: number;
  /** Milliseconds from the request's arrival to the whole answer, where its client took long to take it. */
  readonly readyMs?: number;
  readonly error?: WireError | null;
  readonly model?: string | null;
  readonly streamed?: true;
  /** What the model said, when usage has to be estimated, and how much more than that it was. */
  readonly answerText?: () => { readonly text: string; readonly times: number };
  /** The same of events that nobody read: their last bytes. */
  readonly unreadEvents?: () => { readonly text: string; readonly times: number };
}
export const NOTHING_READ: Omit<Ending, "ended"> = { usage: null, firstMs: null, response: null };
export type Settle = (ending: Ending) => void;

export interface Delivery {
  readonly startedAt: number;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Bytes of the answer kept for the log. */
  readonly keptBytes: number;
  /** The longest a client may take nothing of what is held for it. */
  readonly stalledMs: number;
  readonly settle: Settle;
}

/** Pulls one chunk at a time, so that a slow reader slows the provider and nothing piles up here. */
export const streamed = (live: Live, to: Delivery): ReadableStream<Uint8Array> => {
  const kept = new KeptText(to.keptBytes);
  const ending = (aborted: boolean, firstMs: number | null): Ending => new StreamEnding(live.summary(), aborted, firstMs, kept);
  return delivered(live, to, ending, kept);
};

/** A long whole answer, slice by slice: it is settled, and what it holds given back, when its client has taken it. */
export function inSlices(text: MaybePromise<JsonText>, ending: Ending, to: Delivery): ReadableStream<Uint8Array> {
  const readyMs = to.now() - to.startedAt;
  return delivered(new Slices(text), to, (aborted) => ({ ...ending, readyMs, ended: aborted ? "aborted" : ending.ended }));
}

const delivered = (from: Source<Uint8Array>, to: Delivery, ending: EndingOf, kept?: KeptText): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>(new Delivering(from, to, ending, kept), { highWaterMark: 0 });

type EndingOf = (aborted: boolean, firstMs: number | null) => Ending;

class Delivering {
  private firstMs: number | null = null;
  private controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** The provider is waited for, not the client. */
  private pulling = false;
  private pulls = 0;
  private pullsBefore = 0;

  constructor(
    private readonly from: Source<Uint8Array>,
    private readonly to: Delivery,
    private readonly ending: EndingOf,
    private readonly kept: KeptText | undefined,
  ) {}

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.controller = controller;
    this.timer = setTimeout(lookForStall, this.to.stalledMs, this);
  }
  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.pulling = true;
    this.pulls += 1;
    try {
      const bytes = await this.from.read();
      this.pulling = false;
      if (bytes === undefined) {
        if (this.controller) controller.close();
        return this.end(this.to.signal.aborted);
      }
      this.firstMs ??= this.to.now() - this.to.startedAt;
      this.kept?.add(bytes);
      controller.enqueue(bytes);
    } catch (thrown) {
      this.endBroken(thrown);
      throw thrown; // the client's connection is cut
    }
  }
  async cancel(): Promise<void> {
    this.end(true);
    await this.from.cancel();
  }
  /** A client that takes nothing for so long keeps what is held for it from others: it is let go. */
  look(): void {
    if (this.pulling || this.pulls !== this.pullsBefore) {
      this.pullsBefore = this.pulls;
      this.timer = setTimeout(lookForStall, this.to.stalledMs, this);
      return;
    }
    this.controller?.error(new GatewayError("TIMEOUT", { timeoutMs: this.to.stalledMs }));
    void this.cancel().catch(() => undefined); // the upstream may be gone already
  }
  private end(aborted: boolean): void {
    this.over(this.endingOf(aborted));
  }
  /** Code that reads the answer (a dialect's, say) has failed: what the request holds goes back all the same. */
  private endBroken(thrown: unknown): void {
    this.over(this.brokenBy(thrown, this.to.signal.aborted));
    void this.from.cancel().catch(() => undefined); // nothing more of it is wanted
  }
  private over(ending: Ending): void {
    clearTimeout(this.timer);
    this.controller = undefined;
    this.to.settle(ending);
  }
  private endingOf(aborted: boolean): Ending {
    try {
      return this.ending(aborted, this.firstMs);
    } catch (thrown) {
      return this.brokenBy(thrown, aborted);
    }
  }
  private brokenBy(thrown: unknown, aborted: boolean): Ending {
    const error = wireError(GatewayError.is(thrown) ? thrown : new GatewayError("INTERNAL", {}, { cause: thrown }));
    return { ...NOTHING_READ, firstMs: this.firstMs, ended: aborted ? "aborted" : "partial", error };
  }
}
const lookForStall = (delivering: Delivering): void => delivering.look();

/** What was kept of a stream becomes a text when somebody asks: it is long, and without a log nobody does. */
class StreamEnding implements Ending {
  readonly ended: Outcome["ended"];
  readonly streamed = true;
  constructor(
    private readonly summary: Summary,
    aborted: boolean,
    readonly firstMs: number | null,
    private readonly kept: KeptText,
  ) {
    this.ended = endedBy(summary.error, aborted);
  }
  get usage(): Usage | null {
    return this.summary.usage;
  }
  get error(): WireError | null {
    return this.summary.error;
  }
  get model(): string | null {
    return this.summary.model;
  }
  get keptBytes(): number {
    return this.kept.bytes;
  }
  get response(): string {
    return this.kept.text();
  }
  answerText(): { readonly text: string; readonly times: number } {
    return { text: this.summary.text(this.kept.text()), times: this.kept.times };
  }
}

const endedBy = (error: Summary["error"], aborted: boolean): Outcome["ended"] => {
  if (aborted) return "aborted";
  return error ? "partial" : "ok";
};

/** The beginning of an answer, for the log; chunks are kept by reference and read only when somebody asks. */
class KeptText {
  private readonly chunks: Uint8Array[] = [];
  private kept = 0;
  private passed = 0;
  constructor(private readonly limit: number) {}

  add(bytes: Uint8Array): void {
    this.passed += bytes.length;
    if (this.kept >= this.limit) return;
    const part = bytes.length > this.limit ? bytes.slice(0, this.limit - this.kept) : bytes;
    this.chunks.push(part);
    this.kept += part.length;
  }
  text(): string {
    return new TextDecoder().decode(Buffer.concat(this.chunks));
  }
  get bytes(): number {
    return this.kept;
  }
  /** How many times as long the whole answer was. */
  get times(): number {
    return this.kept === 0 ? 1 : this.passed / this.kept;
  }
}
