import { GatewayError } from "./errors.ts";
import { isJson, type Json, parseJson } from "./json.ts";

/** Characters that are parsed unjudged: so few cannot be dear. */
const UNJUDGED = 16 * 1024;
/** What the parser may take for the rest: nobody else is served meanwhile. */
const MOST_NS = 12e6;

/**
 * Reads JSON that stands as a text in a body, as the arguments of tool calls do: no limit of the body sees into it. All
 * texts of a body have their limit together, since all of them are read in one turn.
 */
export class InnerJson {
  private unjudged = UNJUDGED;
  private left = MOST_NS;

  /** What a text says. Throws a SyntaxError where it is no JSON, and BODY_TAKES_LONG before parsing it would hold up everybody else. */
  parse(text: string): unknown {
    this.unjudged -= text.length;
    if (this.unjudged < 0) this.left -= new Work(text, this.left).ns();
    return parseJson(text);
  }
  /** The arguments of a call that was made: what is no object is a model's mistake, and history by now; the conversation goes on. */
  argumentsOf(text: unknown): Json {
    try {
      const value = typeof text === "string" ? this.parse(text) : text;
      return isJson(value) ? value : {};
    } catch (thrown) {
      if (GatewayError.is(thrown)) throw thrown;
      return {};
    }
  }
}

const QUOTE = 0x22;
const COLON = 0x3a;
const SPACE = 0x20;
/** Nanoseconds of the parser for a character outside texts: for what it opens, parts, or continues. */
const OUTSIDE = new Uint8Array(128).fill(1);
for (const [characters, ns] of [
  ["[{", 100],
  [",:", 20],
  ["0123456789", 12],
] as const)
  for (const character of characters) OUTSIDE[character.charCodeAt(0)] = ns;
/** For a text, one of its characters, and an escaped one. */
const TEXT = 250;
const CHARACTER = 0.35;
const ESCAPE = 35;
/** For a name of a member, for one that was not seen before, and for each so many characters of it. */
const NAME = 40;
const NEW_NAME = 1_500;
const LONG_NAME = 256;
/** Characters between two looks at the sum. */
const PIECE = 4_096;

/** What parsing a text would take, at most: told before it is parsed. */
class Work {
  private spent = 0;
  private quoteAt = -1;
  private escapeAt = -1;
  private readonly names = new Set<string>();
  constructor(
    private readonly text: string,
    private readonly most: number,
  ) {}

  ns(): number {
    const { text } = this;
    for (let at = 0; at < text.length; this.judge()) at = text.charCodeAt(at) === QUOTE ? this.inside(at) : this.outside(at);
    return this.spent;
  }
  private judge(): void {
    if (this.spent > this.most)
      throw new GatewayError("BODY_TAKES_LONG", { count: this.text.length, what: "characters of JSON in a text" });
  }
  /** Up to the next text. */
  private outside(from: number): number {
    const { text } = this;
    const end = Math.min(from + PIECE, text.length);
    let at = from;
    let spent = 0;
    for (; at < end; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) break;
      spent += code < 128 ? (OUTSIDE[code] ?? 1) : 1;
    }
    this.spent += spent;
    return at;
  }
  /** Behind the text that begins here. */
  private inside(from: number): number {
    const end = this.closing(from + 1);
    const length = end - from - 1;
    this.spent += length * CHARACTER + (this.isName(end) ? this.name(from + 1, end) : TEXT);
    return end + 1;
  }
  private closing(from: number): number {
    for (let at = from; ; at = this.escapeAt + 2) {
      if (this.quoteAt < at) this.quoteAt = orEnd(this.text.indexOf('"', at), this.text);
      if (this.escapeAt < at) this.escapeAt = orEnd(this.text.indexOf("\\", at), this.text);
      if (this.quoteAt <= this.escapeAt) return this.quoteAt;
      this.spent += ESCAPE;
      this.judge();
    }
  }
  private isName(end: number): boolean {
    let at = end + 1;
    while (at < this.text.length && this.text.charCodeAt(at) <= SPACE) at += 1;
    return this.text.charCodeAt(at) === COLON;
  }
  private name(from: number, end: number): number {
    if (end - from >= LONG_NAME) return NEW_NAME * (1 + Math.floor((end - from) / LONG_NAME));
    const name = this.text.slice(from, end);
    if (this.names.has(name)) return NAME;
    this.names.add(name);
    return NEW_NAME;
  }
}
const orEnd = (at: number, text: string): number => (at < 0 ? text.length : at);
