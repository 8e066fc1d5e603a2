import { expect, test } from "bun:test";
import { ByteQueue } from "./byte-queue.ts";

const BYTES = Uint8Array.from({ length: 97 }, (_, at) => at);
const cutIn = (bytes: Uint8Array, pieceBytes: number): Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, at) => bytes.subarray(at * pieceBytes, (at + 1) * pieceBytes));

test.each([1, 2, 7, 96, 97])("what arrived in pieces of %d bytes is taken in any others, in its order", (pieceBytes) => {
  for (const takenBytes of [1, 3, 50, 97]) {
    const queue = new ByteQueue();
    const taken: number[] = [];
    for (const piece of cutIn(BYTES, pieceBytes)) {
      queue.add(piece);
      while (queue.size >= takenBytes) {
        expect([...queue.front(takenBytes)]).toEqual([...BYTES.subarray(taken.length, taken.length + takenBytes)]);
        taken.push(...queue.take(takenBytes));
      }
    }
    taken.push(...queue.take(queue.size));
    expect([taken, queue.size]).toEqual([[...BYTES], 0]);
  }
});
test("more than there is cannot be taken", () => {
  const queue = new ByteQueue();
  queue.add(BYTES.subarray(0, 3));
  expect([queue.front(9).length, queue.take(9).length, queue.take(1).length, queue.size]).toEqual([3, 3, 0, 0]);
});
