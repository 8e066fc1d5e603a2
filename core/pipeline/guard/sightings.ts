/*
 * Looks for many short pieces in long texts, in one pass over each text, however often its characters repeat: what is
 * compared are hashes of windows of at most WINDOW characters, without case.
 */

/** Longer parts are looked for as all the windows of this length in them. */
const WINDOW = 8;
/** Shorter parts are not looked for: they stand in any text. */
export const SHORTEST = 3;

const BEFORE = 1;
const AFTER = 2;

/** Which parts stand in a text before it was changed, and which in what was left of it. All parts are noted first. */
export class Sightings {
  /** Hashes of windows, in a table with empty places, and beside them where each was seen. */
  private hashes = new Int32Array(1_024);
  private seen = new Uint8Array(1_024);
  private count = 0;
  /** By the first bits of a hash: is there any such? Most places of a text are passed by after a look here. */
  private readonly some = new Uint8Array(65_536);
  /** Is a window shorter than WINDOW looked for? */
  private hasShort = false;

  /** Asks for a part. */
  note(part: string): void {
    const hashes = hashesOf(part);
    this.hasShort ||= hashes.length === 1;
    for (const hash of hashes) this.add(hash);
  }
  lookThrough(before: string, after: string): void {
    if (this.count === 0) return;
    this.look(before.toLowerCase(), BEFORE);
    this.look(after.toLowerCase(), AFTER);
  }

  /** It stood there as it is, and does no more. */
  isGone(part: string): boolean {
    const seen = this.seenOf(part);
    return seen.length > 0 && seen.every((bits) => (bits & BEFORE) !== 0) && seen.includes(BEFORE);
  }
  /** Some of it stood there, and does no more. */
  holdsGone(part: string): boolean {
    return this.seenOf(part).includes(BEFORE);
  }
  private seenOf(part: string): readonly number[] {
    return hashesOf(part).map((hash) => this.seen[this.place(hash)] ?? 0);
  }

  /** Long windows are looked for everywhere, short ones where a word begins or ends: `the` is no quote of `Catherine`. */
  private look(text: string, bit: number): void {
    let sum = 0;
    let wasInWord = false;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      sum = (Math.imul(sum, BASE) + code) | 0;
      if (at >= WINDOW) sum = (sum - Math.imul(text.charCodeAt(at - WINDOW), BASE_TO_WINDOW)) | 0;
      if (at >= WINDOW - 1) this.mark(hashed(sum, WINDOW), bit);
      const isInWord = isOfWord(code);
      if (this.hasShort && !wasInWord && (isInWord || code > 127)) this.lookOnward(text, at, bit);
      if (this.hasShort && isInWord && (at + 1 === text.length || !isOfWord(text.charCodeAt(at + 1)))) this.lookBack(text, at, bit);
      wasInWord = isInWord;
    }
  }
  private lookOnward(text: string, from: number, bit: number): void {
    const end = Math.min(text.length, from + WINDOW - 1);
    let sum = 0;
    for (let at = from; at < end; at++) {
      sum = (Math.imul(sum, BASE) + text.charCodeAt(at)) | 0;
      if (at - from + 1 >= SHORTEST) this.mark(hashed(sum, at - from + 1), bit);
    }
  }
  private lookBack(text: string, from: number, bit: number): void {
    const end = Math.max(0, from - WINDOW + 2);
    let sum = 0;
    let power = 1;
    for (let at = from; at >= end; at--) {
      sum = (sum + Math.imul(text.charCodeAt(at), power)) | 0;
      power = Math.imul(power, BASE);
      if (from - at + 1 >= SHORTEST) this.mark(hashed(sum, from - at + 1), bit);
    }
  }
  private mark(hash: number, bit: number): void {
    if (this.some[hash >>> 16] === 0) return;
    const place = this.place(hash);
    if (this.hashes[place] !== 0) this.seen[place] = (this.seen[place] ?? 0) | bit;
  }

  /** Where a hash stands in the table, or would. */
  private place(hash: number): number {
    const { hashes } = this;
    const last = hashes.length - 1;
    let place = hash & last;
    while (hashes[place] !== 0 && hashes[place] !== hash) place = (place + 1) & last;
    return place;
  }
  private add(hash: number): void {
    const place = this.place(hash);
    if (this.hashes[place] === hash) return;
    this.hashes[place] = hash;
    this.some[hash >>> 16] = 1;
    this.count += 1;
    if (this.count * 2 > this.hashes.length) this.grow();
  }
  private grow(): void {
    const noted = this.hashes;
    this.hashes = new Int32Array(noted.length * 2);
    this.seen = new Uint8Array(noted.length * 2);
    for (const hash of noted) if (hash !== 0) this.hashes[this.place(hash)] = hash;
  }
}

/** Nobody outside knows it, so that no text can be written whose hashes fall together; odd, so that every character counts. */
const BASE = (crypto.getRandomValues(new Int32Array(1))[0] ?? 0) | 1;
const BASE_TO_WINDOW = Array.from({ length: WINDOW }).reduce((power: number) => Math.imul(power, BASE), 1);
/** Of a window's sum and length; never 0, which is an empty place. */
function hashed(sum: number, length: number): number {
  const spread = Math.imul(sum ^ (length << 28), 0x9e3779b1);
  return spread ^ (spread >>> 15) || 1;
}
function hashesOf(part: string): readonly number[] {
  const text = part.toLowerCase();
  if (text.length < SHORTEST) return [];
  const length = Math.min(WINDOW, text.length);
  return Array.from({ length: text.length - length + 1 }, (_, from) => hashed(sumOf(text, from, length), length));
}
function sumOf(text: string, from: number, length: number): number {
  let sum = 0;
  for (let at = from; at < from + length; at++) sum = (Math.imul(sum, BASE) + text.charCodeAt(at)) | 0;
  return sum;
}

/** Letters and digits of ASCII, in small letters. Any other may be a word of its own: many scripts have no spaces between words. */
const isOfWord = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
