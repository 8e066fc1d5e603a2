import { isShorthand } from "./shorthand.ts";
import { usualness } from "./trigrams.ts";

const ROWS = ["qwertyuiop", "asdfghjkl", "zxcvbnm", "azertyuiop", "qsdfghjklm", "wxcvbn", "qwertzuiop", "yxcvbnm"];
const LEAST_ROW_CHARS = 5;
/** Keys that lie side by side, from the left and from the right. */
const KEYBOARD: ReadonlySet<string> = new Set(
  [...ROWS, ...ROWS.map((row) => [...row].reverse().join(""))].flatMap((row) =>
    [...row].flatMap((_, from) => [...row].map((__, to) => row.slice(from, to + 1))),
  ),
);

/** Words shorter than this say nothing of how letters follow each other. */
const LEAST_CHARS = 3;
/** Below these, nobody can say the word: short ones and names have fewer usual letters. */
const SAYABLE = { short: 1.2, name: 1, word: 2.8 };
const SHORT_CHARS = 4;

/** Share of the letters of words that stand in words which nobody can say. */
export function nonsenseShare(words: readonly string[]): number {
  const long = words.filter((word) => word.length >= LEAST_CHARS);
  const letters = (list: readonly string[]): number => list.reduce((sum, { length }) => sum + length, 0);
  return long.length === 0 ? 0 : letters(long.filter(isNonsense)) / letters(long);
}

function isNonsense(word: string): boolean {
  const small = word.toLowerCase();
  if (small.length >= LEAST_ROW_CHARS && KEYBOARD.has(small)) return true;
  return usualness(word) < sayable(word);
}
function sayable(word: string): number {
  if (word.length < SHORT_CHARS) return SAYABLE.short;
  return /^\p{Lu}\p{Ll}+$/u.test(word) ? SAYABLE.name : SAYABLE.word;
}

/** Words less usual than this look odd. */
const ODD = 5;

/** Share of words that look odd, though they can be said. */
export function oddShare(words: readonly string[]): number {
  const long = words.filter((word) => word.length >= LEAST_CHARS);
  return long.length === 0 ? 0 : long.filter((word) => usualness(word) < ODD || /\p{Ll}\p{Lu}/u.test(word)).length / long.length;
}

/** A syllable again and again: `lalalala`. */
const REPEATED = /^(\p{L}{2,5}?)\1{2,}\p{L}{0,3}$/u;
/** People laugh so: `hahaha`, `jejeje`, `kkkk`. */
const isLaughter = (word: string): boolean =>
  /^[hjkxaeiou]+$/.test(word) && (new Set(word).size === 2 || (new Set(word).size === 1 && word.length < LEAST_SCREAM_CHARS));
/** So many of one letter are a key that was held down. */
const LEAST_SCREAM_CHARS = 10;
const LEAST_REPEATED_CHARS = 8;
/** So many words that are nearly all the same. */
const LEAST_WORDS = 7;
const DISTINCT_SHARE = 0.34;

/** Is it the same syllable or the same few words again and again? */
export function repeatsItself(words: readonly string[]): boolean {
  const spoken = words.map((word) => word.toLowerCase()).filter((word) => !isLaughter(word));
  if (spoken.length >= LEAST_WORDS && new Set(spoken).size <= Math.max(1, spoken.length * DISTINCT_SHARE) && spoken.length < MOST_WORDS)
    return true;
  const repeated = spoken.filter((word) => word.length >= LEAST_REPEATED_CHARS && REPEATED.test(word));
  return repeated.length * 2 > spoken.length;
}
/** A long text has few words for many: its share of distinct ones says nothing. */
const MOST_WORDS = 150;

/** Letters and figures at random: `gxk1 bbq7z trw0p`, of which nothing can be said. Names of formats have a figure behind them, too. */
export function isRandomCodes(text: string): boolean {
  const tokens = text.trim().split(/\s+/, MOST_CODES + 1);
  if (tokens.length < LEAST_CODES || tokens.length > MOST_CODES) return false;
  const random = tokens.filter((token) => CODE.test(token) && !VOWEL.test(token) && !isShorthand(token.replace(/\d/g, "")));
  return random.length >= tokens.length * CODES_SHARE && random.filter((token) => /\d/.test(token)).length > 1;
}
const LEAST_CODES = 4;
const MOST_CODES = 40;
const CODES_SHARE = 0.75;
/** At least three letters, none of them a capital. */
const CODE = /^(?:\d{0,2}\p{Ll}\d{0,2}){3,7}$/u;
const VOWEL = /[aeiouyà-öø-ý]/;
