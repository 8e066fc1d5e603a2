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
export function streamed(live: Live, to: Delivery): ReadableStream<Uint8Array> {
  const kept = new KeptText(to.keptBytes);
  let firstMs: number | null = null;
  const end = (aborted: boolean): void => {
    const { usage, error, model, text } = live.summary();
    const said = () => ({ text: text(kept.text()), times: kept.times });
    to.settle({ ended: endedBy(error, aborted), usage, firstMs, response: kept.text(), error, model, streamed: true, said });
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const bytes = await live.next();
        if (bytes === undefined) {
          controller.close();
          return end(to.signal.aborted);
        }
        firstMs ??= to.now() - to.startedAt;
        kept.add(bytes);
        controller.enqueue(bytes);
      },
      async cancel() {
        end(true);
        await live.cancel();
      },
    },
    { highWaterMark: 0 },
  );
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
