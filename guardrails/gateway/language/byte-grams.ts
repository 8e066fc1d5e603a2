/*
 * How a text is cut for the table of languages: the scheme of the package `eld`, from whose data the table is made. Words
 * are cut into pieces of four UTF-8 bytes, every third byte, with a space where a word begins or ends.
 */

const NOT_LETTERS = /[^\p{L}]+/gu;
const APOSTROPHE = /['`’]$/;
const SPACE = 32;
const PIECE = 4;
const STRIDE = 3;
/** Bytes of a word that are looked at. */
const WORD_BYTES = 70;
const encoder = new TextEncoder();

/** Hashes of the pieces of a text, each once. */
export function gramsOf(text: string): ReadonlySet<number> {
  const grams = new Set<number>();
  const bytes = encoder.encode(text.replace(NOT_LETTERS, parted).toLowerCase());
  let from = 0;
  for (let at = 0; at <= bytes.length; at += 1) {
    if (at < bytes.length && bytes[at] !== SPACE) continue;
    if (at > from) addWord(grams, bytes, from, Math.min(at, from + WORD_BYTES));
    from = at + 1;
  }
  return grams;
}

/** What parts two words. An apostrophe at its end belongs to what follows: `don't` and `l'eau` are one word each. */
const parted = (signs: string): string => {
  const apostrophe = APOSTROPHE.exec(signs)?.[0] ?? "";
  return signs === apostrophe ? apostrophe : ` ${apostrophe}`;
};

function addWord(grams: Set<number>, bytes: Uint8Array, from: number, to: number): void {
  let at = from;
  for (; at + PIECE < to; at += STRIDE) grams.add(hashOf(bytes, at, at + PIECE, at === from, false));
  grams.add(hashOf(bytes, Math.max(from, to - PIECE), to, at === from, true));
}

/** FNV-1a of bytes, with a space before or after them. */
export function hashOf(bytes: Uint8Array, from: number, to: number, begins: boolean, ends: boolean): number {
  let hash = begins ? mixed(0x811c9dc5, SPACE) : 0x811c9dc5;
  for (let at = from; at < to; at += 1) hash = mixed(hash, bytes[at] ?? 0);
  return (ends ? mixed(hash, SPACE) : hash) >>> 0;
}
const mixed = (hash: number, byte: number): number => Math.imul(hash ^ byte, 0x01000193);
