/*
 * Limits in milliseconds are told for one machine. Another may take twice as long for the same work, all of it, or just
 * now: then nothing is wrong with what was measured. What the machine takes for a piece of work of always the same size
 * says how much longer.
 */

/** Milliseconds that the piece takes on the machine that the limits were set on, with nothing beside it. */
const REFERENCE_MS = 1.3;
/** A machine that is slower still shows nothing. */
const MOST = 3;
const RUNS = 9;

/** How many times as long as on the machine of the limits work takes now: 1 at least, 3 at most. Takes 15 to 40 ms itself. */
export function slowness(): number {
  const took = Array.from({ length: RUNS }, pieceMs).sort((one, other) => one - other);
  return Math.min(MOST, Math.max(1, (took[Math.floor(RUNS / 2)] ?? 0) / REFERENCE_MS));
}

/** What the gateway's own long turns consist of: reading JSON, writing it, and walking through a text. */
const DOCUMENT = JSON.stringify(
  Array.from({ length: 4_000 }, (_, at) => ({ id: at, name: `a name ${at}`, words: ["some", "words", "of it"] })),
);
function pieceMs(): number {
  const startedAt = performance.now();
  const text = JSON.stringify(JSON.parse(DOCUMENT));
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) sum += text.charCodeAt(at);
  if (sum === 0) throw new Error("the document is empty");
  return performance.now() - startedAt;
}
