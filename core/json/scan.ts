import { Counts, type JsonLimits, shareOfWork, tooDeep } from "./work.ts";
import type { ClosedText, LongValue, ScanOptions } from "./scanned.ts";
import { hasFewCharacters } from "./utf8.ts";

export { type JsonLimits, tooDeep };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const COLON = 0x3a;
/** What a character outside strings means. */
const MEANS = new Uint8Array(128);
const OPENS = 1;
const CLOSES = 2;
const PARTS = 3;
const WORD = 4;
for (const [characters, means] of [
  ["[{", OPENS],
  ["]}", CLOSES],
  [",:", PARTS],
  ["0123456789+-.Eaeflnrstu", WORD], // numbers, true, false, null
] as const)
  for (const character of characters) MEANS[character.charCodeAt(0)] = means;

/** Characters between two looks at the counts. */
const PIECE = 16 * 1024;
/** So many characters of a string are read one by one; then `indexOf` finds its end. More where names are told apart by hash. */
const STEP_CHARS = 8;
const STEP_CHARS_HASHED = 32;
const STEP_CHARS_ESCAPE = 64;
/** The parser keeps texts that are no longer in a table, as it does names. */
const SHORT = 24;
/** So many characters of a name cost what another name does. */
const LONG_NAME = 256;
/** A number of more characters takes the parser longer, and so does each further dozen. */
const NUMBER = 20;
const DOZEN = 12;
/** Below this part of the allowed work every name and text counts as new; above it, repeats are recognised by hash. */
const DEDUPE_FROM = 1 / 16;

/** Behind every text. */
const NOWHERE = 2 ** 31 - 1;
const BRACKET = 0x5b;
const COMMA = 0x2c;
/** Characters of JSON that are parsed in one go; a longer value is parsed in parts (groups.ts). */
const GROUP = 512 * 1024;

/**
 * Reads a JSON text for its depth and for the work that it would be for the parser, and throws at the first that is
 * too much. What is no JSON is the parser's business. A long text is read in slices, each from where the last one
 * ended; they may be bytes of UTF-8 seen as characters, since all that is looked for is ASCII.
 */
export class JsonScan {
  private slice = "";
  /** Characters before this slice. */
  private base = 0;
  private depth = 0;
  private readonly counts = new Counts();
  /** Characters of the word that is being read. */
  private word = 0;
  /** Where the string begins that is being read, or -1. */
  private opened = -1;
  private hash = SEED;
  /** The slice ended behind a backslash. */
  private escaped = false;
  /** The text that was read last, where the slice ended before it was seen whether it is the name of a member. */
  private text: ClosedText | null = null;
  private quoteAt = -1;
  private escapeAt = -1;
  private seenHashes: Uint32Array | undefined;
  /** By depth, from 1 on: where the list or object there began, and from where on it can be cut again. */
  private readonly begun: Int32Array;
  private readonly nextCut: Int32Array;
  private readonly isList: Uint8Array;
  private readonly cuts: number[][] = [];
  private readonly inner: LongValue[][] = [];

  private readonly group: number;
  private readonly inOneGo: boolean;

  constructor(
    private readonly limits: JsonLimits,
    { group = GROUP, inOneGo = true }: ScanOptions = {},
  ) {
    this.group = group;
    this.inOneGo = inOneGo;
    this.begun = new Int32Array(limits.maxDepth + 1);
    this.nextCut = new Int32Array(limits.maxDepth + 1);
    this.isList = new Uint8Array(limits.maxDepth + 1);
  }

  /** Reads the next slice. */
  read(slice: string): void {
    this.slice = slice;
    this.quoteAt = -1;
    this.escapeAt = -1;
    for (let at = this.decided(), end = 0; at < slice.length; this.judge(at)) {
      end = Math.min(end + PIECE, slice.length);
      if (at < end) at = this.piece(at, end);
    }
    this.base += slice.length;
  }

  /**
   * The values outside all others that are too long to be parsed in one go, when all slices have been read: of JSON
   * there is one at most. Throws a SyntaxError when something that was opened is still open.
   */
  end(): readonly LongValue[] {
    if (this.depth !== 0 || this.opened >= 0) throw new SyntaxError("JSON Parse error: Unexpected EOF");
    if (this.text) this.decide(this.text, false);
    return this.inner[0] ?? [];
  }

  /** Names of members that were read, repeated ones too. */
  get names(): number {
    return this.counts.names;
  }

  private piece(from: number, end: number): number {
    const { slice } = this;
    let at = this.opened < 0 ? from : this.string(from, end);
    for (; at < end; at += 1) {
      const code = slice.charCodeAt(at);
      const means = MEANS[code];
      if (code === QUOTE) {
        this.opened = this.base + at;
        this.hash = SEED;
        at = this.string(at + 1, end) - 1;
      } else if (means === WORD) at = this.literal(at, end) - 1;
      else if (means === PARTS) this.part(code, this.base + at);
      else if (means === OPENS) this.open(code, this.base + at);
      else if (means === CLOSES) this.close(this.base + at);
    }
    return at;
  }
  private open(code: number, at: number): void {
    this.word = 0;
    this.counts.containers += 1;
    this.depth += 1;
    const { depth } = this;
    if (depth > this.limits.maxDepth) throw tooDeep(this.limits);
    this.begun[depth] = at;
    this.nextCut[depth] = at + this.group;
    this.isList[depth] = code === BRACKET ? 1 : 0;
  }
  private part(code: number, at: number): void {
    this.word = 0;
    const { depth } = this;
    if (code !== COMMA || at < (this.nextCut[depth] ?? NOWHERE)) return;
    (this.cuts[depth] ??= []).push(at);
    this.nextCut[depth] = at + this.group;
  }
  private close(at: number): void {
    const { depth } = this;
    this.depth -= 1;
    if (depth > 0 && at - (this.begun[depth] ?? at) > this.group) this.closeLong(depth, at);
  }
  private closeLong(depth: number, to: number): void {
    const { [depth]: cuts = [] } = this.cuts;
    const { [depth]: inner = [] } = this.inner;
    delete this.cuts[depth];
    delete this.inner[depth];
    this.foundLong({ kind: this.isList[depth] ? "list" : "object", from: this.begun[depth] ?? 0, to, cuts, inner });
  }
  /** It ends where a comma may follow, at which what holds it is cut. */
  private foundLong(value: LongValue): void {
    const { depth } = this;
    (this.inner[depth] ??= []).push(value);
    this.nextCut[depth] = value.to;
  }
  /** A number, or true, false or null; what is none of them too. */
  private literal(from: number, end: number): number {
    const { slice } = this;
    let at = from;
    if (this.word === 0) this.counts.plain += 1;
    while (at < end && MEANS[slice.charCodeAt(at)] === WORD) at += 1;
    const before = this.word;
    this.word += at - from;
    if (this.word > NUMBER) this.counts.longNumbers += dozens(this.word) - dozens(before);
    return at;
  }

  /** What was counted so far, against the limits. */
  private judge(at: number): void {
    if (this.inOneGo) this.counts.characters = this.base + at;
    if (shareOfWork(this.counts, this.limits) > DEDUPE_FROM) this.seenHashes ??= new Uint32Array(2 ** (HASH_BITS - 5));
  }

  /** Crosses the string that was opened; says where it goes on behind it, or where the slice ended in it. */
  private string(from: number, end: number): number {
    let near = Math.max(from, this.opened - this.base + (this.seenHashes ? STEP_CHARS_HASHED : STEP_CHARS));
    let at = from;
    if (this.escaped) at += 1;
    this.escaped = false;
    while (at < end) {
      at = this.near(at, Math.min(near, end));
      if (this.opened < 0 || at >= end) break;
      at = this.nextMark(at);
      near = at + STEP_CHARS_ESCAPE;
    }
    return at;
  }
  /** The same, character by character up to `end`. */
  private near(from: number, end: number): number {
    const { slice } = this;
    let { hash } = this;
    let at = from;
    for (; at < end; at += 1) {
      let code = slice.charCodeAt(at);
      if (code === QUOTE) return this.closed(at, hash);
      if (code === BACKSLASH) {
        this.counts.escapes += 1;
        at += 1;
        if (at === slice.length) this.escaped = true;
        code = slice.charCodeAt(at);
      }
      hash = Math.imul(hash ^ code, FACTOR);
    }
    this.hash = hash;
    return at;
  }
  /** The next quote or backslash; each is looked for once. */
  private nextMark(from: number): number {
    const { slice } = this;
    if (this.quoteAt < from) this.quoteAt = orEnd(slice.indexOf('"', from), slice);
    if (this.escapeAt < from) this.escapeAt = orEnd(slice.indexOf("\\", from), slice);
    return Math.min(this.quoteAt, this.escapeAt);
  }
  /** Small, so that the runtime takes it into the loop that calls it for each text: what is rare is done apart. */
  private closed(at: number, hash: number): number {
    const { slice, counts } = this;
    const length = this.base + at - this.opened - 1;
    const behind = visible(slice, at + 1);
    if (behind === slice.length || (length > SHORT && (!this.inOneGo || length > this.group))) return this.closedApart(at, hash, behind);
    this.opened = -1;
    if (slice.charCodeAt(behind) === COLON) {
      counts.names += 1;
      if (length >= STEP_CHARS_HASHED || this.isNew(~hash)) counts.newNames += 1 + Math.floor(length / LONG_NAME);
    } else {
      counts.plain += 1;
      if (length <= SHORT && this.isNew(hash)) counts.newTexts += 1;
    }
    return at + 1;
  }
  /** A long text, one of bytes, or one at the end of a slice. */
  private closedApart(at: number, hash: number, behind: number): number {
    const { slice, base } = this;
    this.text = { from: this.opened, to: base + at, hash, isShort: hasFewCharacters(slice, this.opened - base + 1, at, SHORT) };
    this.opened = -1;
    if (behind < slice.length) this.decide(this.text, slice.charCodeAt(behind) === COLON);
    return at + 1;
  }
  /** Where it goes on in a slice: what stands first in it may tell what the last text of the one before was. */
  private decided(): number {
    if (!this.text) return 0;
    const at = visible(this.slice, 0);
    if (at < this.slice.length) this.decide(this.text, this.slice.charCodeAt(at) === COLON);
    return at;
  }
  private decide({ from, to, hash, isShort }: ClosedText, isName: boolean): void {
    const { counts } = this;
    const length = to - from - 1;
    this.text = null;
    if (isName) {
      counts.names += 1;
      if (length >= STEP_CHARS_HASHED || this.isNew(~hash)) counts.newNames += 1 + Math.floor(length / LONG_NAME);
      return;
    }
    counts.plain += 1;
    if (isShort && this.isNew(hash)) counts.newTexts += 1;
    if (length > this.group) this.foundLong({ kind: "text", from, to, cuts: [], inner: [] });
  }
  /** Whether no text had this hash: nearly exact for as many as may pass. */
  private isNew(hash: number): boolean {
    if (!this.seenHashes) return true;
    const bit = hash >>> (32 - HASH_BITS);
    const word = this.seenHashes[bit >>> 5] ?? 0;
    this.seenHashes[bit >>> 5] = word | (1 << (bit & 31));
    return (word & (1 << (bit & 31))) === 0;
  }
}

/** Where the first character at or behind a place stands that is no white space, or the end. */
function visible(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= SPACE) at += 1;
  return at;
}

/** Texts are told apart by so many bits of their hash; another hash in each process, so that nobody can prepare texts that look the same. */
const HASH_BITS = 20;
const [SEED = 1, FACTOR = 1] = crypto.getRandomValues(new Int32Array(2)).map((random) => random | 1);

const dozens = (word: number): number => Math.max(0, Math.ceil((word - NUMBER) / DOZEN));
const orEnd = (at: number, text: string): number => (at < 0 ? text.length : at);
