import { type CheckResult, type GuardrailResult, isJson, type Json } from "#contract";
import type { Ran } from "./run.ts";
import { SHORTEST, Sightings } from "./sightings.ts";

/* Checks may quote what they saw. What is not to be seen any more, an answer that is denied or what was taken out of a text, no result shows either. */

/** What was judged, and what of it may still be seen. */
export interface Texts {
  readonly before: string;
  /** Empty where nothing may. */
  readonly after: string;
}

/** The results without what they quote of it. Those of one run stand at its place. */
export function withoutQuotes(results: readonly GuardrailResult[], runs: readonly Ran[], texts: Texts): readonly GuardrailResult[] {
  const search = new Search(texts);
  const shown = () =>
    results.map((result, at) => ({
      ...result,
      checks: result.checks.map((check, number) => unquoted(check, runs[at]?.judged[number]?.check.params, search)),
    }));
  shown(); // every part that results show is noted, and all of them are looked for at once
  search.look();
  return shown();
}

function unquoted(check: CheckResult, params: unknown, search: Search): CheckResult {
  const hider = new Hider(search, new Set(isJson(params) ? Object.values(params) : []));
  const error = check.error && { ...check.error, message: String(hider.value(check.error.message)) };
  return { ...check, error, data: hider.value(check.data) };
}

const HIDDEN = "[removed]";
/** Of a sentence about a text that nobody is shown, words of this length are quotes. */
const SHORTEST_QUOTE = 8;
/** Shorter numbers are counts and places. */
const SHORTEST_NUMBER = 4;
const SHORTEST_QUOTED_NUMBER = 6;
/** A longer string is not looked through. */
const LONGEST = 4_000;
/** Characters of texts that are looked through, and of what all results show together, of which most is looked for twice: beyond them nothing that checks say is shown. */
const MOST_OF_TEXTS = 500_000;
const MOST_OF_RESULTS = 200_000;

/** What results show is noted first, then looked for, then asked for. */
class Search {
  readonly denied: boolean;
  private readonly sightings = new Sightings();
  private looked = false;
  private left = MOST_OF_RESULTS;
  private isTooMuch: boolean;

  constructor(private readonly texts: Texts) {
    this.denied = texts.after === "";
    this.isTooMuch = texts.before.length + texts.after.length > MOST_OF_TEXTS;
  }
  look(): void {
    this.isTooMuch ||= this.left < 0;
    this.looked = true;
    if (!this.isTooMuch) this.sightings.lookThrough(this.texts.before, this.texts.after);
  }
  /** Nothing is looked for any more: there would be too much to do. */
  get isSpent(): boolean {
    return this.isTooMuch || this.left < 0;
  }
  isGone(part: string): boolean {
    return this.isNoted(part) && this.sightings.isGone(part);
  }
  holdsGone(part: string): boolean {
    return this.isNoted(part) && this.sightings.holdsGone(part);
  }
  private isNoted(part: string): boolean {
    if (this.looked) return true;
    this.left -= part.length;
    if (!this.isSpent) this.sightings.note(part);
    return false;
  }
}

class Hider {
  constructor(
    private readonly search: Search,
    /** What the operator wrote himself. */
    private readonly own: ReadonlySet<unknown>,
  ) {}

  /** Plain JSON, as results are written. */
  value(value: unknown): unknown {
    if (typeof value === "string") return this.string(value);
    if (typeof value === "number") return this.number(value);
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    return isJson(value) ? this.object(value) : value;
  }

  private object(object: Json): Json {
    const shown = new Map<string, unknown>();
    for (const [name, inside] of Object.entries(object)) shown.set(free(this.name(name), shown), this.value(inside));
    return Object.fromEntries(shown);
  }
  /** Names may be what was found. Those that any check may use stay where a whole text is hidden: it has many words. */
  private name(name: string): string {
    const isPlain = OF_ANY_CHECK.has(name) || ((this.search.denied || this.search.isSpent) && /^[A-Za-z][A-Za-z_]*$/.test(name));
    return isPlain ? name : this.string(name);
  }
  private number(value: number): unknown {
    const text = String(value);
    const shortest = this.search.denied ? SHORTEST_QUOTED_NUMBER : SHORTEST_NUMBER;
    if (text.length < shortest || this.own.has(value)) return value;
    return this.search.isSpent || this.search.holdsGone(text) ? HIDDEN : value;
  }
  private string(text: string): string {
    if (text.length < SHORTEST || this.own.has(text)) return text;
    if (text.length > LONGEST || this.search.isSpent) return HIDDEN;
    const excerpt = text.endsWith("...") ? text.slice(0, -3) : text;
    if (this.search.denied) return this.search.isGone(excerpt) ? HIDDEN : this.words(text, SHORTEST_QUOTE);
    const words = this.words(text, SHORTEST);
    return words === text && this.search.isGone(excerpt) ? HIDDEN : words;
  }
  private words(text: string, shortest: number): string {
    return text.replace(/[^\s"'`,;()[\]{}<>:=|/&]+/g, (word) => {
      const bare = word.replace(/^[.!?]+|[.!?]+$/g, "");
      return this.isWordGone(bare, shortest) ? word.replace(bare, () => HIDDEN) : word;
    });
  }
  /** A word, or what others joined in it. */
  private isWordGone(word: string, shortest: number): boolean {
    const isGone = (part: string) => part.length >= shortest && this.search.holdsGone(part);
    return isGone(word) || (word.match(/[\p{L}\p{N}]+/gu) ?? []).some((part) => part !== word && isGone(part));
  }
}
/** Names that readers of results rely on. */
const OF_ANY_CHECK: ReadonlySet<string> = new Set(["explanation", "verdict", "textExcerpt"]);

/** Names that were hidden are told apart. */
function free(name: string, taken: ReadonlyMap<string, unknown>): string {
  let other = name;
  for (let count = 2; taken.has(other); count++) other = `${name} ${count}`;
  return other;
}
