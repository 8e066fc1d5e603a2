import type { JsonText } from "#contract";

/* What bytes of the wire cost in memory while they are held; measured on Bun 1.4.5 (tests/slow/memory-budget.test.ts holds it). */

/** A JSON text: its bytes, the text, its parsed form and the form in which it travels on. What it nests costs more: `nestingCost`. */
export const textCost = (bytes: number): number => bytes * 4;
/** A form: as it came, joined, and as fields and files. */
export const formCost = (bytes: number): number => bytes * 4;
/** A stream's bytes, with the events in them. */
export const eventCost = (bytes: number): number => bytes * 4;

/** Shorter texts cannot hold enough to matter. */
const SHORT = 64 * 1024;
/** Places that are looked at, and characters at each: what a text of any length is like, for a tenth of a millisecond. */
const PLACES = 64;
const CHARS = 1024;

/**
 * What parsing makes of a long text beyond its length: `{}` is two characters and a hundred bytes. Estimated from
 * places chosen at random, so that nobody can prepare a text that looks harmless there.
 */
export function nestingCost(text: JsonText, random: () => number = Math.random): number {
  if (text.length < SHORT) return 0;
  let cost = 0;
  for (let place = 0; place < PLACES; place += 1) {
    const from = Math.floor(random() * (text.length - CHARS));
    for (let at = from; at < from + CHARS; at += 1) cost += COSTS[(typeof text === "string" ? text.charCodeAt(at) : text[at]) ?? 0] ?? 0;
  }
  return Math.round((cost / (PLACES * CHARS)) * text.length);
}
/** The same for one piece of a text that is read piece by piece, from one place in each. */
export function pieceNestingCost(piece: Uint8Array, random: () => number = Math.random): number {
  const chars = Math.min(CHARS, piece.length);
  const from = Math.floor(random() * (piece.length - chars));
  let cost = 0;
  for (let at = from; at < from + chars; at += 1) cost += COSTS[piece[at] ?? 0] ?? 0;
  return chars === 0 ? 0 : Math.round((cost / chars) * piece.length);
}
/** Bytes that an object, an array, an element and a member take; by the character that begins them. */
const COSTS = new Uint8Array(128);
for (const [character, bytes] of Object.entries({ "{": 80, "[": 80, ",": 20, ":": 30 })) COSTS[character.charCodeAt(0)] = bytes;
