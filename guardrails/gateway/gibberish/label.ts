import { gramsOf } from "../language/byte-grams.ts";
import { type Best, bestOf } from "../language/detect.ts";
import { scriptsOf } from "../language/scripts.ts";
import { looksArabic } from "../language/words.ts";
import { unknownShare } from "./beginnings.ts";
import { isRandomCodes, nonsenseShare, oddShare, repeatsItself } from "./nonsense.ts";
import { isPlainRow, wordOrder } from "./order.ts";
import { type OrderScore, orderScore } from "./shuffled.ts";
import { isOtherTongue } from "./tongues.ts";
import { proseOf, wordsOf } from "./words.ts";

/** What a text is, in the words of the reference. */
export const GIBBERISH_LABELS = ["clean", "mild gibberish", "word salad", "noise"] as const;
export type GibberishLabel = (typeof GIBBERISH_LABELS)[number];

/** Share of a text's letters in words that nobody can say. */
const NOISE = 0.5;
const MILD = 0.3;
/** A language that has so many of the text's pieces is what the text is in, however odd its words look elsewhere. */
const KNOWN = 0.45;
/** Pieces of several words that no language has: letters in each other's place, when the words look odd as well. */
const HARDLY_KNOWN = 0.22;
const SEVERAL_WORDS = 6;
const ODD_SHARE = 0.57;
const isScrambled = (words: readonly string[], known: number): boolean =>
  known < HARDLY_KNOWN && words.length >= SEVERAL_WORDS && !mostlyNames(words) && oddShare(words) >= ODD_SHARE;
const mostlyNames = (words: readonly string[]): boolean => words.filter((word) => NAME.test(word)).length * 2 > words.length;
/** With a capital inside only where names have one: `McDonald`, `O'Neil`, `Ann-Marie`. */
const NAME = /^(?:\p{Lu}\p{Ll}{0,2}['’-]?)?\p{Lu}\p{Ll}{2,}(?:['’-]\p{Lu}?\p{Ll}+)*$/u;

/** So many of a text's words begin like no word of five languages, and no other language has its pieces either. */
const UNKNOWN_SHARE = 0.75;
const UNKNOWN_PIECES = 0.3;
/** What looks most like one of the five and has none of its words is none of any other's either. */
const UNKNOWN_PIECES_OF_FIVE = 0.35;
const LEAST_UNKNOWN_WORDS = 4;
/** Words that are none, though one can say them; and letters in each other's place. */
const isNoLanguage = (text: string, words: readonly string[], { code, known }: Best): boolean =>
  known < (SHUFFLED[code] === undefined ? UNKNOWN_PIECES : UNKNOWN_PIECES_OF_FIVE) &&
  words.length >= LEAST_UNKNOWN_WORDS &&
  (unknownShare(words) ?? 0) >= UNKNOWN_SHARE &&
  !mostlyNames(words) &&
  !isOtherTongue(words) &&
  !looksArabic(text);

/** A language with fewer of the pieces is not what the text is in: the order of its words is not judged. */
const WELL_ENOUGH_KNOWN = 0.5;
/** With fewer it may be a language that is none of the table's, whose small words are not known either. */
const HALF_KNOWN = 0.25;

/** What a text is. Only Latin letters are judged: whatever else it is written in counts as clean. */
export function labelOf(text: string): GibberishLabel {
  const { weights } = scriptsOf(text);
  const latin = weights.get("Latn") ?? 0;
  if (latin === 0 || latin * 2 < [...weights.values()].reduce((sum, weight) => sum + weight, 0)) return "clean";
  if (isRandomCodes(text)) return "noise";
  const prose = proseOf(text);
  const words = wordsOf(prose);
  const wordShare = wordShareOf(text, words);
  if (wordShare >= MOSTLY && repeatsItself(words)) return "noise";
  const best = bestOf(gramsOf(words.join(" ")), "Latn");
  const { code, known } = best;
  const share = nonsenseShare(words);
  if (wordShare >= HALF && known < KNOWN && share >= MILD) return share >= NOISE ? "noise" : "mild gibberish";
  if (wordShare >= HALF && isNoLanguage(text, words, best)) return "noise";
  if (isScrambled(words, known) && !isOtherTongue(words)) return "mild gibberish";
  return orderLabel(prose, code, known);
}

/** How much of a text is words. Tables, lists of links and figures repeat words too, and markup has odd ones. */
const wordShareOf = (text: string, words: readonly string[]): number =>
  words.reduce((sum, { length }) => sum + length, 0) / text.replace(/\s+/g, "").length;
const MOSTLY = 0.75;
const HALF = 0.5;

/** So many words to one broken pair are a slip of the pen. */
const WORDS_PER_SLIP = 24;
/** So many words in a row need some that join them. */
const LEAST_UNJOINED = 8;

/** So many words, and so many of them small, have an order that can be judged; below this score they have none. */
const LEAST_JUDGED = 8;
const JOINING_SHARE = 0.2;
const SHUFFLED: Readonly<Record<string, number>> = { de: -3.8, en: -3.1, es: -3.4, fr: -3.3, it: -3.5 };
/** In a long text of a trade many pairs are a little odd; in one that was shuffled they are odder. */
const SHUFFLED_MEAN = -0.2;
const UNJUDGED: OrderScore = { score: 0, mean: 0 };
/** Pieces of code and lists leave half sentences, whose words stand as they like. */
const SHUFFLED_PIECES = -5.5;
const NO_SENTENCES = /[#{}=<>$|\\]|[*_]{2}|(?:^|\s)-/m;
/** Above this a pair that looks broken is one that nobody thought of. */
const IN_ORDER = -1;

function orderLabel(prose: string, code: string, known: number): GibberishLabel {
  const order = wordOrder(prose, code);
  if (order === null) return "clean";
  const { words, small, broken } = order;
  if (words >= LEAST_UNJOINED && known >= HALF_KNOWN && small <= words / LEAST_UNJOINED && isPlainRow(prose)) return "word salad";
  if (known < WELL_ENOUGH_KNOWN) return "clean";
  const { score, mean } = (words >= LEAST_JUDGED && orderScore(prose, code)) || UNJUDGED;
  if (
    small >= words * JOINING_SHARE &&
    mean < SHUFFLED_MEAN &&
    score < (NO_SENTENCES.test(prose) ? SHUFFLED_PIECES : (SHUFFLED[code] ?? SHUFFLED_PIECES))
  )
    return "word salad";
  if (score > IN_ORDER || broken === 0 || broken * WORDS_PER_SLIP < words) return "clean";
  return broken === 1 ? "mild gibberish" : "word salad";
}
