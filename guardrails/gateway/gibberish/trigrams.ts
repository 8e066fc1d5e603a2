import table from "../tables/trigrams.json" with { type: "json" };

/** Letters of the table: a word's edge, and the alphabet without accents. */
const ALPHABET = 27;
const A = "a".charCodeAt(0);

/** A word as the table has it: small letters without accents, in numbers, an edge at both ends. */
export function numbersOf(word: string): readonly number[] {
  return [0, ...Array.from(plainLetters(word), (letter) => letter.charCodeAt(0) - A + 1), 0];
}

/** The letters of a word, small and without accents. */
export function plainLetters(word: string): string {
  const small = word.toLowerCase();
  return PLAIN.test(small) ? small : withoutAccents(small).replace(/[^a-z]/g, "");
}

const PLAIN = /^[a-z]*$/;
const withoutAccents = (word: string): string => word.normalize("NFD").replace(/[ßæøœł]/g, (letter) => LIGATURES[letter] ?? "");
const LIGATURES: Readonly<Record<string, string>> = { ß: "ss", æ: "ae", ø: "o", œ: "oe", ł: "l" };

/** The place in the table of a letter and the two before it. */
export const trigramAt = (numbers: readonly number[], at: number): number =>
  ((numbers[at - 2] ?? 0) * ALPHABET + (numbers[at - 1] ?? 0)) * ALPHABET + (numbers[at] ?? 0);
export const TRIGRAMS = ALPHABET ** 3;

/** How usual the letters of a word follow each other: 0, as in no word of five languages, to 9. */
export function usualness(word: string): number {
  const numbers = numbersOf(word);
  let sum = 0;
  for (let at = 2; at < numbers.length; at += 1) sum += table.levels.charCodeAt(trigramAt(numbers, at)) - ZERO;
  return sum / Math.max(1, numbers.length - 2);
}
const ZERO = "0".charCodeAt(0);
