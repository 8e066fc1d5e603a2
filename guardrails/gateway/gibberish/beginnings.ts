import table from "../tables/beginnings.json" with { type: "json" };
import { plainLetters } from "./trigrams.ts";

/** Letters that a word is known by: compounds and endings go on as they like. */
const BEGINNING = 6;
/** Shorter words say nothing: any few letters are a word of some language. */
const LEAST = 4;

/** Bits of the table, and how many stand for a beginning: of those that are in no word, two in a hundred seem to be in one. */
export const BITS = 2 ** 21;
const HASHES = 5;

export const beginningOf = (word: string): string => plainLetters(word).slice(0, BEGINNING);

/** The bits that stand for a beginning. */
export function bitsOf(beginning: string): readonly number[] {
  let hash = 0x811c9dc5;
  for (let at = 0; at < beginning.length; at += 1) hash = Math.imul(hash ^ beginning.charCodeAt(at), 0x01000193);
  const step = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) | 1;
  return Array.from({ length: HASHES }, (_, at) => ((hash + Math.imul(at, step)) >>> 0) % BITS);
}

let unpacked: Uint8Array | undefined;
const bits = (): Uint8Array => (unpacked ??= Buffer.from(table.bits, "base64")); // when it is first asked for: most gateways never do

/** Does a word of English, French, German, Italian or Spanish begin so? */
export const isBeginning = (word: string): boolean =>
  bitsOf(beginningOf(word)).every((bit) => ((bits()[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0);

const LEAST_WORDS = 3;
/** Share of the words with small letters that no word of these languages begins like; `null` when there are too few. */
export function unknownShare(words: readonly string[]): number | null {
  const asked = words.filter((word) => word.length >= LEAST && /^\p{Ll}/u.test(word));
  return asked.length < LEAST_WORDS ? null : asked.filter((word) => !isBeginning(word)).length / asked.length;
}
