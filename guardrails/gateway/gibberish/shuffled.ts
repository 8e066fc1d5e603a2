import table from "../tables/order.json" with { type: "json" };
import { BUCKETS, neighboursIn, type Vocabulary } from "./neighbours.ts";

/** What a language's table holds, unpacked. */
interface Weights extends Vocabulary {
  /** By bucket, in 32 parts of one. */
  readonly weights: Int8Array;
}
interface Packed {
  readonly frequent: string;
  readonly endings: string;
  readonly weights: string;
}
const TABLES: Readonly<Record<string, Packed>> = table.languages;
const unpacked = new Map<string, Weights>();

function weightsOf(code: string): Weights | undefined {
  const known = unpacked.get(code);
  const packed = TABLES[code];
  if (known !== undefined || packed === undefined) return known;
  const bytes = Buffer.from(packed.weights, "base64");
  const weights = {
    frequent: new Set(packed.frequent.split(" ")),
    endings: new Set(packed.endings.split(" ")),
    weights: new Int8Array(bytes.buffer, bytes.byteOffset, BUCKETS),
  };
  unpacked.set(code, weights);
  return weights;
}
export const WEIGHT_PARTS = 32;

/** How much a text looks like sentences of a language: above zero as they do, below as shuffled words do. */
export interface OrderScore {
  /** Of the whole: the more words, the surer. */
  readonly score: number;
  /** Of a pair of neighbours. */
  readonly mean: number;
}
/** `null` without a table. */
export function orderScore(text: string, code: string): OrderScore | null {
  const table = weightsOf(code);
  if (table === undefined) return null;
  const found = neighboursIn(text, code, table);
  const sum = found.reduce((total, bucket) => total + (table.weights[bucket] ?? 0), 0) / WEIGHT_PARTS;
  const pairs = Math.max(1, found.length);
  return { score: sum / Math.sqrt(pairs), mean: sum / pairs };
}
