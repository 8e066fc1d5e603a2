/**
 * Makes `language.json`: what the package `eld` (Apache-2.0) knows of the languages whose script other languages share,
 * in a form that takes megabytes less and is ready in milliseconds. Run it when the package has a new version:
 * `bun guardrails/gateway/tables/language.make.ts`
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { hashOf } from "../language/byte-grams.ts";
import { CODES } from "../language/scripts.ts";

type Weights = Readonly<Record<string, number>>;
interface Data {
  readonly languages: Readonly<Record<string, string>>;
  readonly ngrams: Readonly<Record<string, Weights>>;
}
/** Files of the package that it does not export, and has no types for. */
const fileOf = (path: string): Promise<unknown> => import(join(import.meta.dirname, "../../../node_modules/eld/src", path));
const { dictionary } = (await fileOf("dictionary.js")) as { readonly dictionary: readonly string[] };
const { ngramsData } = (await fileOf("ngrams/small.js")) as { readonly ngramsData: Data };
/** Its data leave this out of each weight. */
const LEAST_WEIGHT = 53;

const byteOf = new Map(dictionary.map((character, byte) => [character, byte]));
/** The hash of a piece, which `eld` writes with a character for each byte and a space where a word begins or ends. */
function hashOfPiece(piece: string): number {
  const inner = piece.trim();
  const bytes = Uint8Array.from(inner, (character) => byteOf.get(character) ?? 0);
  return hashOf(bytes, 0, bytes.length, piece.startsWith(" "), piece.endsWith(" "));
}

/** Pairs of a language and a weight, of the languages that the table is for. */
const weightsOf = (weights: Weights): readonly number[] =>
  Object.entries(weights).flatMap(([id, weight]) => {
    const index = CODES.indexOf(ngramsData.languages[id] ?? ""); // not there: -1
    return index < 0 ? [] : [index, weight + LEAST_WEIGHT];
  });

/** The table as text: hashes in order, how many pairs each has, and the pairs. */
export function languageTableText(): string {
  const rows = Object.entries(ngramsData.ngrams)
    .map(([piece, weights]) => ({ hash: hashOfPiece(piece), pairs: weightsOf(weights) }))
    .filter(({ pairs }) => pairs.length > 0)
    .sort((a, b) => a.hash - b.hash);
  const base64 = (bytes: ArrayBufferView): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  const hashes = base64(Uint32Array.from(rows, ({ hash }) => hash));
  const counts = base64(Uint8Array.from(rows, ({ pairs }) => pairs.length / 2));
  const pairs = base64(Uint8Array.from(rows.flatMap((row) => row.pairs)));
  return `${JSON.stringify({ from: "eld 2.1.0, Copyright Nito T.M., Apache-2.0, github.com/nitotm/efficient-language-detector-js", hashes, counts, pairs })}\n`;
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, "language.json"), languageTableText());
