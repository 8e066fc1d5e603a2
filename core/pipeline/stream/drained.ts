import type { Source } from "#contract";

/** How long an upstream may take to end what it sends behind the end of its answer: its connection then serves again. */
const DRAIN_MS = 250;
const DRAIN_BYTES = 256 * 1024;

/** Reads what follows the end of an answer, and cuts it when it does not end soon. */
export function drained(pieces: Source<Uint8Array>): void {
  const timer = setTimeout(() => void pieces.cancel(), DRAIN_MS);
  void readOut(pieces)
    .catch(() => undefined) // what breaks behind the end broke nothing
    .finally(() => clearTimeout(timer));
}

async function readOut(pieces: Source<Uint8Array>): Promise<void> {
  let size = 0;
  for (let bytes = await pieces.read(); bytes; bytes = await pieces.read()) {
    size += bytes.length;
    if (size > DRAIN_BYTES) return pieces.cancel();
  }
}
