/** A body in parts of `size` bytes, the last of them shorter, whatever pieces it comes in. */
export async function* partsOf(body: ReadableStream<Uint8Array>, size: number): AsyncGenerator<Buffer> {
  let part = Buffer.allocUnsafe(size);
  let filled = 0;
  for await (const piece of body) {
    for (let at = 0; at < piece.byteLength; ) {
      const taken = piece.subarray(at, at + size - filled);
      part.set(taken, filled);
      filled += taken.byteLength;
      at += taken.byteLength;
      if (filled < size) continue;
      yield part;
      part = Buffer.allocUnsafe(size); // the one before may still be on its way
      filled = 0;
    }
  }
  if (filled > 0) yield part.subarray(0, filled);
}
