import type { Outcome, Usage, WireError } from "#contract";
import type { Pieces } from "../egress/answer.ts";
import { errorOf, type Live, type Summary } from "./live.ts";

/** How an answer came to its end. */
export interface Ending {
  readonly ended: Outcome["ended"];
  readonly usage: Usage | null;
  /** Milliseconds from the request's arrival to the first byte of a stream. */
  readonly firstMs: number | null;
  readonly response: string | null;
  readonly error?: WireError | null;
  readonly model?: string | null;
  readonly streamed?: true;
  /** What the model said, when usage has to be estimated, and how much more than that it was. */
  readonly said?: () => { readonly text: string; readonly times: number };
}
export const NOTHING_READ: Omit<Ending, "ended"> = { usage: null, firstMs: null, response: null };
export type Settle = (ending: Ending) => void;

export interface Delivery {
  readonly startedAt: number;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Bytes of the answer kept for the log. */
  readonly keptBytes: number;
  readonly settle: Settle;
}

/** Pulls one chunk at a time, so that a slow reader slows the provider and nothing piles up here. */
export const streamed = (live: Live, to: Delivery): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>(new Delivering(live, to), { highWaterMark: 0 });

class Delivering {
  private readonly kept: KeptText;
  private firstMs: number | null = null;
  constructor(
    private readonly live: Live,
    private readonly to: Delivery,
  ) {
    this.kept = new KeptText(to.keptBytes);
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const bytes = await this.live.next();
    if (bytes === undefined) {
      controller.close();
      return this.end(this.to.signal.aborted);
    }
    this.firstMs ??= this.to.now() - this.to.startedAt;
    this.kept.add(bytes);
    controller.enqueue(bytes);
  }
  async cancel(): Promise<void> {
    this.end(true);
    await this.live.cancel();
  }
  private end(aborted: boolean): void {
    this.to.settle(new StreamEnding(this.live.summary(), aborted, this.firstMs, this.kept));
  }
}

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
  get response(): string {
    return this.kept.text();
  }
  said(): { readonly text: string; readonly times: number } {
    return { text: this.summary.text(this.kept.text()), times: this.kept.times };
  }
}

const endedBy = (error: Summary["error"], aborted: boolean): Outcome["ended"] => {
  if (aborted) return "aborted";
  return error ? "partial" : "ok";
};

/** Bytes that pass unread, watched for their end. */
export function counted(pieces: Pieces, provider: string, settle: Settle): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { value, done } = await pieces.read();
          if (!done) return controller.enqueue(value);
          controller.close();
          settle({ ...NOTHING_READ, ended: "ok" });
        } catch (thrown) {
          settle({ ...NOTHING_READ, ended: "partial", error: errorOf(thrown, provider) });
          throw thrown; // the client's connection is cut: bytes have no error form
        }
      },
      async cancel() {
        settle({ ...NOTHING_READ, ended: "aborted" });
        await pieces.cancel();
      },
    },
    { highWaterMark: 0 },
  );
}

/** The beginning of an answer, for the log; chunks are kept by reference and read only when somebody asks. */
class KeptText {
  private readonly chunks: Uint8Array[] = [];
  private kept = 0;
  private passed = 0;
  constructor(private readonly limit: number) {}

  add(bytes: Uint8Array): void {
    this.passed += bytes.length;
    if (this.kept >= this.limit) return;
    this.chunks.push(bytes);
    this.kept += bytes.length;
  }
  text(): string {
    return new TextDecoder().decode(Buffer.concat(this.chunks));
  }
  /** How many times as long the whole answer was. */
  get times(): number {
    return this.kept === 0 ? 1 : this.passed / this.kept;
  }
}
