import { nextTurn } from "#contract";
import type { Passing } from "./form.ts";

/** Lines under way at once: each may wait for a service that its check asks. */
const AT_ONCE = 8;
/** Bytes of lines that are judged before others have their turn, and that go on together. */
const PER_TURN = 32 * 1024;

/** What passes, its lines judged some at once, and gone on in their order however long the verdicts take. */
export async function* judgedInOrder(
  passing: AsyncIterable<Passing>,
  judge: (line: Uint8Array<ArrayBuffer>, number: number) => Promise<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const underWay: Promise<Uint8Array>[] = [];
  const blocks = new Blocks();
  let sinceTurn = 0;
  for await (const { bytes, line } of passing) {
    const piece = line === null ? Promise.resolve(bytes) : judge(bytes, line);
    piece.catch(() => undefined); // it is thrown when its turn has come
    sinceTurn += bytes.length;
    if (sinceTurn >= PER_TURN) {
      sinceTurn = 0;
      await nextTurn();
    }
    underWay.push(piece);
    const [first] = underWay;
    if (underWay.length < AT_ONCE || !first) continue;
    yield* blocks.add(await first);
    underWay.shift();
  }
  for (const piece of underWay) yield* blocks.add(await piece);
  yield* blocks.end();
}

/** Lines may be short and many. */
class Blocks {
  private readonly pieces: Uint8Array[] = [];
  private size = 0;
  *add(piece: Uint8Array): Generator<Uint8Array> {
    this.pieces.push(piece);
    this.size += piece.length;
    if (this.size >= PER_TURN) yield* this.end();
  }
  *end(): Generator<Uint8Array> {
    this.size = 0;
    if (this.pieces.length > 0) yield Buffer.concat(this.pieces.splice(0));
  }
}
