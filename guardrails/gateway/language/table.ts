import table from "../tables/language.json" with { type: "json" };
import { CODES } from "./scripts.ts";

/** Weights of languages by piece: a piece's pairs of language and weight stand from its start to the next one's. */
interface Table {
  readonly hashes: Uint32Array;
  readonly starts: Uint32Array;
  readonly pairs: Uint8Array;
  /** Where the pieces begin whose hash has these upper 16 bits. */
  readonly buckets: Uint32Array;
}

/** How well the pieces of a text fit each language. */
export interface Fit {
  /** By a language's place in `CODES`. */
  readonly scores: Float64Array;
  /** Pieces of the text that each language has. */
  readonly found: Uint32Array;
  readonly pieces: number;
}

export function fitOf(grams: ReadonlySet<number>): Fit {
  const { hashes, starts, pairs, buckets } = unpacked();
  const fit = { scores: new Float64Array(CODES.length), found: new Uint32Array(CODES.length), pieces: grams.size };
  for (const hash of grams) {
    const index = indexOf(hash, hashes, buckets);
    if (index < 0) continue;
    for (let at = starts[index] ?? 0; at < (starts[index + 1] ?? 0); at += 2) add(fit, pairs[at] ?? 0, pairs[at + 1] ?? 0);
  }
  return fit;
}
function add({ scores, found }: Fit, language: number, weight: number): void {
  scores[language] = (scores[language] ?? 0) + weight;
  found[language] = (found[language] ?? 0) + 1;
}

function indexOf(hash: number, hashes: Uint32Array, buckets: Uint32Array): number {
  const bucket = hash >>> 16;
  const end = buckets[bucket + 1] ?? 0;
  for (let at = buckets[bucket] ?? 0; at < end; at += 1) if (hashes[at] === hash) return at;
  return -1;
}

/** Unpacked with the first text: who has no such guardrail does not pay for it. */
const kept: { table?: Table } = {};
const unpacked = (): Table => (kept.table ??= unpack());

function unpack(): Table {
  const hashes = new Uint32Array(bytesOf(table.hashes).buffer);
  const starts = new Uint32Array(hashes.length + 1);
  bytesOf(table.counts).forEach((count, index) => {
    starts[index + 1] = (starts[index] ?? 0) + count * 2;
  });
  const buckets = new Uint32Array(65_537);
  for (const hash of hashes) buckets[(hash >>> 16) + 1] = (buckets[(hash >>> 16) + 1] ?? 0) + 1;
  for (let at = 1; at < buckets.length; at += 1) buckets[at] = (buckets[at] ?? 0) + (buckets[at - 1] ?? 0);
  return { hashes, starts, pairs: bytesOf(table.pairs), buckets };
}
/** A copy of its own, so that it begins where numbers of four bytes may. */
const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(base64, "base64"));
