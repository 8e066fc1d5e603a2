import { isSlang } from "./shorthand.ts";
import { type Kind, SMALL_WORDS, type SmallWords } from "./small-words.ts";

/** What does not follow a word of a kind; `end` is the end of a sentence. */
const NOT_AFTER: Readonly<Record<Kind, readonly (Kind | "end")[]>> = {
  determiner: ["determiner", "preposition", "conjunction", "subject", "clitic", "verb", "end"],
  preposition: ["preposition", "conjunction", "subject", "verb", "end"],
  conjunction: ["end"],
  subject: ["determiner", "preposition", "subject", "conjunction", "end"],
  clitic: ["determiner", "preposition", "conjunction", "subject", "end"],
  verb: ["verb"],
};

/** Words (names of files and the like among them), the ends of sentences, and other signs, which part two words without saying anything. */
const TOKENS = /\p{L}+(?:[-._/@:][\p{L}\d]+)*['’]?|[.!?…]+|[^\s\p{L}]/gu;
const IS_END = /^[.!?…]/;
/** What follows the last word of a text that stops in the middle of a sentence: a prompt to complete, an answer that was cut. */
const UNFINISHED = "";
/** Fewer words, though without a sign or a capital, may be such a text too. */
const LEAST_ROW_WORDS = 8;
/** Nothing but small letters and blanks: no list, no title, no names. */
export const isPlainRow = (prose: string): boolean => /^[\p{Ll}\s'’-]+$/u.test(prose);
const IS_WORD = /^\p{L}/u;

export interface WordOrder {
  readonly words: number;
  /** Words that are there to join others. */
  readonly small: number;
  /** Pairs of neighbours that no sentence of the language has. */
  readonly broken: number;
}

/** How well words follow each other; `null` for a language whose small words are not listed. */
export function wordOrder(text: string, code: string): WordOrder | null {
  const grammar = SMALL_WORDS.get(code);
  if (grammar === undefined) return null;
  const tokens = text.toLowerCase().replaceAll("’", "'").match(TOKENS) ?? [];
  const words = tokens.filter((token) => IS_WORD.test(token));
  const end = words.length >= LEAST_ROW_WORDS && isPlainRow(text) ? "." : UNFINISHED;
  const broken = tokens.filter((token, index) => isBroken(token, tokens[index + 1] ?? end, tokens[index - 1], grammar));
  return {
    words: words.length,
    small: words.filter((word) => grammar.kinds.has(word) || grammar.others.has(word) || isSlang(word)).length,
    broken: broken.length,
  };
}

function isBroken(first: string, second: string, before: string | undefined, { kinds, fine, never, mayEnd, clashes }: SmallWords): boolean {
  const kind = kinds.get(first);
  if (IS_END.test(second)) return kind !== undefined && !mayEnd.has(first) && NOT_AFTER[kind].includes("end");
  const pair = `${first} ${second}`;
  if (!IS_WORD.test(first) || !IS_WORD.test(second) || before === ",") return false;
  if (never.has(pair) || clashes.get(first)?.some((clash) => clash.test(second))) return true;
  const next = kinds.get(second);
  if (kind === undefined || next === undefined) return false;
  return NOT_AFTER[kind].includes(next) && !fine.has(pair) && !fine.has(`* ${second}`);
}
