import type { ByteSource, Usage } from "#contract";
import { type Ending, NOTHING_READ, type Settle } from "./deliver.ts";
import { errorOf } from "./live.ts";

type AtEnd<T> = ((tail: string) => T | undefined) | undefined;

/** Where bytes come from that pass unread, and who is told of their end. */
export interface Passing {
  readonly provider: string;
  /** Finds usage in the last of them. */
  readonly usageAtEnd: AtEnd<Usage>;
  /** Finds the model that answered there. */
  readonly modelAtEnd?: AtEnd<string>;
  /** Milliseconds from the request's arrival until they began to come. */
  readonly readyMs: number;
  readonly settle: Settle;
}

/** Bytes that pass unread, watched for their end. */
export function watched(bytes: ByteSource, { provider, usageAtEnd, modelAtEnd, readyMs, settle }: Passing): ReadableStream<Uint8Array> {
  const tail = usageAtEnd && new Tail();
  const unread = { ...NOTHING_READ, ...(tail ? { streamed: true as const } : { readyMs }) };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const piece = await bytes.read();
          if (piece !== undefined) {
            tail?.add(piece);
            return controller.enqueue(piece);
          }
          controller.close();
          settle({ ...unread, ...heardIn(tail, modelAtEnd), ended: "ok", usage: (tail && usageAtEnd?.(tail.text())) ?? null });
        } catch (thrown) {
          void bytes.cancel(); // nothing more of it is wanted
          settle({ ...unread, ...heardIn(tail, modelAtEnd), ended: "partial", error: errorOf(thrown, provider) });
          throw thrown; // the client's connection is cut: bytes have no error form
        }
      },
      async cancel() {
        settle({ ...unread, ...heardIn(tail, modelAtEnd), ended: "aborted" });
        await bytes.cancel();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Of events whose end never came, their last bytes are what is known. */
function heardIn(tail: Tail | undefined, modelAtEnd: AtEnd<string>): Pick<Ending, "model" | "unreadEvents"> {
  if (!tail) return {};
  const model = modelAtEnd?.(tail.text());
  return { unreadEvents: () => ({ text: tail.text(), times: tail.times }), ...(model !== undefined && { model }) };
}

/** The last bytes of what passes. */
class Tail {
  private readonly pieces: Uint8Array[] = [];
  private bytes = 0;
  private passed = 0;

  /** How many times as long all of it was. */
  get times(): number {
    return Math.max(1, this.passed / TAIL_BYTES);
  }
  add(piece: Uint8Array): void {
    this.passed += piece.length;
    const last = piece.slice(-TAIL_BYTES); // a copy: the runtime may use the bytes again once they are on their way
    this.pieces.push(last);
    this.bytes += last.length;
    for (let [first] = this.pieces; first && this.bytes - first.length >= TAIL_BYTES; [first] = this.pieces) {
      this.pieces.shift();
      this.bytes -= first.length;
    }
  }
  text(): string {
    return new TextDecoder().decode(Buffer.concat(this.pieces).subarray(-TAIL_BYTES));
  }
}
/** Longer than any usage; a transcript's last event says the whole text before it. */
export const TAIL_BYTES = 64 * 1024;
