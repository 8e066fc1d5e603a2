import type { ByteSource, Usage } from "#contract";
import { NOTHING_READ, type Settle } from "./deliver.ts";
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
          const end = tail?.text() ?? "";
          const model = tail && modelAtEnd?.(end);
          settle({ ...unread, ended: "ok", usage: (tail && usageAtEnd?.(end)) ?? null, ...(model !== undefined && { model }) });
        } catch (thrown) {
          void bytes.cancel(); // nothing more of it is wanted
          settle({ ...unread, ended: "partial", error: errorOf(thrown, provider) });
          throw thrown; // the client's connection is cut: bytes have no error form
        }
      },
      async cancel() {
        settle({ ...unread, ended: "aborted" });
        await bytes.cancel();
      },
    },
    { highWaterMark: 0 },
  );
}

/** The last bytes of what passes. */
class Tail {
  private readonly pieces: Uint8Array[] = [];
  private bytes = 0;

  add(piece: Uint8Array): void {
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
