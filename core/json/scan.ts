import { GatewayError } from "#contract";

/** What a JSON text may be like, beside its length. */
export interface JsonLimits {
  readonly maxDepth: number;
  /** Values and names of members together; DATA_VALUES unless it says otherwise. */
  readonly maxValues?: number;
  /** Names of members alone, repeated ones too. */
  readonly maxNames?: number;
  /** Objects and arrays alone; DATA_CONTAINERS unless it says otherwise. */
  readonly maxContainers?: number;
  /** Values alone that hold no others: texts, numbers, true, false, null. */
  readonly maxPlain?: number;
  /** What the parser may take for all of it, by COSTS; MAX_WORK_MS unless it says otherwise. */
  readonly maxWorkMs?: number;
}

/** Data plane: long conversations and batches of inputs have fewer. */
const DATA_VALUES = 500_000;
/** Messages, their parts, tools and their schemas: each is work for whoever maps the body to a provider's own, in one turn. */
const DATA_CONTAINERS = 15_000;
const VALUES = "JSON values and names of members";
/** Nobody else is served while the parser works. */
const MAX_WORK_MS = 50;

/** Nanoseconds of the parser for each, on a busy machine with Bun 1.4.5. */
const COSTS = { characters: 1, values: 18, containers: 50, newNames: 1_500, newTexts: 400, escapes: 35, longNumbers: 150 } as const;
const CALLED: Readonly<Record<keyof typeof COSTS, string>> = {
  characters: "characters",
  values: VALUES,
  containers: "objects and arrays",
  newNames: "different names of members",
  newTexts: "different short texts",
  escapes: "escaped characters",
  longNumbers: "long numbers",
};

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
/** A number of more characters takes the parser longer, and so does each further dozen. */
const NUMBER = 20;
const DOZEN = 12;
/** Below this part of the allowed work every name and text counts as new; above it, repeats are recognised by hash. */
const DEDUPE_FROM = 1 / 16;

/** Lists are looked for here: directly in the object that is the text. */
const LIST_DEPTH = 2;
const BRACKET = 0x5b;
/** Characters of a list that are parsed in one go. */
const GROUP = 1024 * 1024;
/** Behind every text. */
const NOWHERE = 2 ** 31 - 1;
/** Where a list opens and closes, and commas between its elements that are about GROUP apart. */
export interface LongList {
  readonly from: number;
  readonly cuts: readonly number[];
  readonly to: number;
}

/**
 * Reads a JSON text for its depth and for the work that it would be for the parser, and throws at the first that is
 * too much. What is no JSON is the parser's business. A long text is read in slices, each from where the last one ended.
 */
export class JsonScan {
  private at = 0;
  private depth = 0;
  private names = 0;
  private containers = 0;
  private plain = 0;
  private newNames = 0;
  private newTexts = 0;
  private escapes = 0;
  private longNumbers = 0;
  /** Characters of the word that is being read. */
  private word = 0;
  /** Where the string begins that is being read, or -1. */
  private opened = -1;
  private hash = SEED;
  private quoteAt = -1;
  private escapeAt = -1;
  private seenHashes: Uint32Array | undefined;
  /** Where the list begins that is being crossed at LIST_DEPTH, or -1. */
  private listFrom = -1;
  /** From where on it can be cut again. */
  private nextCut = NOWHERE;
  private cuts: number[] = [];
  private longest: LongList | null = null;

  constructor(
    private readonly text: string,
    private readonly limits: JsonLimits,
  ) {}

  /** Reads so many characters more, or all; says whether the text is at its end. */
  read(chars = this.text.length): boolean {
    for (const end = Math.min(this.at + chars, this.text.length); this.at < end; this.judge()) this.piece(Math.min(this.at + PIECE, end));
    return this.at >= this.text.length;
  }

  /** A list that holds nearly all of the text, as vectors do: the member of an object that stands around everything. */
  get longList(): LongList | null {
    return this.longest;
  }

  private piece(end: number): void {
    const { text } = this;
    let at = this.opened < 0 ? this.at : this.string(this.at, end);
    for (; at < end; at += 1) {
      const code = text.charCodeAt(at);
      const means = MEANS[code];
      if (code === QUOTE) {
        this.opened = at;
        this.hash = SEED;
        at = this.string(at + 1, end) - 1;
      } else if (means === WORD) at = this.literal(at, end) - 1;
      else if (means === PARTS) this.part(at);
      else if (means === OPENS) this.open(at);
      else if (means === CLOSES) this.close(at);
    }
    this.at = at;
  }
  private open(at: number): void {
    this.word = 0;
    this.containers += 1;
    this.depth += 1;
    if (this.depth > this.limits.maxDepth) throw tooDeep(this.limits);
    if (this.depth === LIST_DEPTH && this.text.charCodeAt(at) === BRACKET) {
      this.listFrom = at;
      this.nextCut = at + GROUP;
    }
  }
  private part(at: number): void {
    this.word = 0;
    if (at < this.nextCut || this.depth !== LIST_DEPTH) return;
    this.cuts.push(at);
    this.nextCut = at + GROUP;
  }
  private close(at: number): void {
    if (this.depth === LIST_DEPTH && this.listFrom >= 0) this.closeList(at);
    this.depth -= 1;
  }
  private closeList(to: number): void {
    const { listFrom: from, cuts } = this;
    this.listFrom = -1;
    this.nextCut = NOWHERE;
    if (cuts.length === 0) return;
    if (cuts.length > (this.longest?.cuts.length ?? 0)) this.longest = { from, cuts, to };
    this.cuts = [];
  }
  /** A number, or true, false or null; what is none of them too. */
  private literal(from: number, end: number): number {
    const { text } = this;
    let at = from;
    if (this.word === 0) this.plain += 1;
    while (at < end && MEANS[text.charCodeAt(at)] === WORD) at += 1;
    const before = this.word;
    this.word += at - from;
    if (this.word > NUMBER) this.longNumbers += dozens(this.word) - dozens(before);
    return at;
  }

  /** What was counted so far, against the limits. */
  private judge(): void {
    const { names, containers, plain, limits } = this;
    const {
      maxValues = DATA_VALUES,
      maxNames = maxValues,
      maxContainers = Math.min(maxValues, DATA_CONTAINERS),
      maxPlain = maxValues,
    } = limits;
    const values = names + containers + plain;
    if (values > maxValues) throw tooMany(maxValues, VALUES);
    if (names > maxNames) throw tooMany(maxNames, "names of members");
    if (containers > maxContainers) throw tooMany(maxContainers, CALLED.containers);
    if (plain > maxPlain) throw tooMany(maxPlain, "texts, numbers and other plain values");
    const { newNames, newTexts, escapes, longNumbers } = this;
    const maxNs = (limits.maxWorkMs ?? MAX_WORK_MS) * 1e6;
    const work = { characters: this.at, values, containers, newNames, newTexts, escapes, longNumbers };
    if (nsOf(work) > maxNs * DEDUPE_FROM) this.seenHashes ??= new Uint32Array(2 ** (HASH_BITS - 5));
    if (nsOf(work) > maxNs) throw tooMuch(work);
  }

  /** Crosses the string that was opened; says where it goes on behind it, or where the slice ended in it. */
  private string(from: number, end: number): number {
    let near = Math.max(from, this.opened + (this.seenHashes ? STEP_CHARS_HASHED : STEP_CHARS));
    let at = from;
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
    const { text } = this;
    let { hash } = this;
    let at = from;
    for (; at < end; at += 1) {
      let code = text.charCodeAt(at);
      if (code === QUOTE) return this.closed(at, hash);
      if (code === BACKSLASH) {
        this.escapes += 1;
        at += 1;
        code = text.charCodeAt(at);
      }
      hash = Math.imul(hash ^ code, FACTOR);
    }
    this.hash = hash;
    return at;
  }
  /** The next quote or backslash; each is looked for once. */
  private nextMark(from: number): number {
    const { text } = this;
    if (this.quoteAt < from) this.quoteAt = orEnd(text.indexOf('"', from), text);
    if (this.escapeAt < from) this.escapeAt = orEnd(text.indexOf("\\", from), text);
    return Math.min(this.quoteAt, this.escapeAt);
  }
  private closed(at: number, hash: number): number {
    const length = at - this.opened - 1;
    this.opened = -1;
    if (this.isName(at + 1)) {
      this.names += 1;
      if (length >= STEP_CHARS_HASHED || this.isNew(~hash)) this.newNames += 1;
    } else {
      this.plain += 1;
      if (length <= SHORT && this.isNew(hash)) this.newTexts += 1;
    }
    return at + 1;
  }
  private isName(behind: number): boolean {
    let at = behind;
    while (this.text.charCodeAt(at) <= SPACE) at += 1;
    return this.text.charCodeAt(at) === COLON;
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

type Work = Readonly<Record<keyof typeof COSTS, number>>;
const KINDS = Object.keys(COSTS) as (keyof Work)[]; // the keys of a literal
const nsOf = (work: Work): number => KINDS.reduce((sum, kind) => sum + work[kind] * COSTS[kind], 0);
/** Says what most of it would be for. */
function tooMuch(work: Work): GatewayError {
  const [most = "values"] = KINDS.toSorted((a, b) => work[b] * COSTS[b] - work[a] * COSTS[a]);
  return new GatewayError("BODY_TAKES_LONG", { count: work[most], what: CALLED[most] });
}

/** Texts that are seenHashes apart by as many bits of their hash; another hash in each process, so that nobody can prepare texts that look the same. */
const HASH_BITS = 20;
const [SEED = 1, FACTOR = 1] = crypto.getRandomValues(new Int32Array(2)).map((random) => random | 1);

const dozens = (word: number): number => Math.max(0, Math.ceil((word - NUMBER) / DOZEN));
const orEnd = (at: number, text: string): number => (at < 0 ? text.length : at);
const tooMany = (limit: number, of: string): GatewayError => new GatewayError("BODY_TOO_MANY_VALUES", { limit, of });
export const tooDeep = ({ maxDepth }: Pick<JsonLimits, "maxDepth">): GatewayError => new GatewayError("BODY_TOO_DEEP", { limit: maxDepth });
