import { GatewayError } from "#contract";
import type { Held } from "../kernel/process/memory-budget.ts";
import { pieceNestingCost, textCost } from "../kernel/process/memory-cost.ts";
import { type Answer, type Piece, type Pieces, tooLarge } from "./answer.ts";

/** How much of an answer may come, and what it is counted against until its exchange ends. */
interface Bound {
  readonly caller: string;
  readonly most: number;
  readonly held: Held | undefined;
}

/** The answer as the web's Response, for plugins. Plugins read it whole, so it is bounded and counted like every answer read whole. */
export function responseOf(answer: Answer, bound: Bound): Response {
  const body = answer.pieces();
  return new Response(body && streamOf(new BoundedPieces(body, bound)), { status: answer.status, headers: answer.headers });
}

class BoundedPieces implements Pieces {
  private size = 0;
  constructor(
    private readonly pieces: Pieces,
    private readonly bound: Bound,
  ) {}
  async read(): Promise<Piece> {
    const piece = await this.pieces.read();
    if (piece.done) return piece;
    try {
      this.count(piece.value);
    } catch (thrown) {
      void this.cancel().catch(() => undefined); // nobody reads on
      throw thrown;
    }
    return piece;
  }
  cancel(): Promise<void> {
    return this.pieces.cancel();
  }
  private count(piece: Uint8Array): void {
    const { caller, most, held } = this.bound;
    this.size += piece.length;
    if (this.size > most) throw new GatewayError("UPSTREAM_INVALID", { provider: caller, why: tooLarge(most) });
    held?.grow(textCost(piece.length) + pieceNestingCost(piece));
  }
}

/** Pieces as the web's stream. */
const streamOf = (pieces: Pieces): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await pieces.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => pieces.cancel(),
    },
    { highWaterMark: 0 }, // nothing is read ahead of the client
  );
