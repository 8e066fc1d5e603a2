/**
 * Makes `trigrams.json`: how usual it is that three letters follow each other in English, Spanish, French, German and
 * Italian words, from the word lists of `an-array-of-*-words` (MIT). `bun guardrails/gateway/tables/trigrams.make.ts`
 */
import { createRequire } from "node:module";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { numbersOf, TRIGRAMS, trigramAt } from "../gibberish/trigrams.ts";

const LANGUAGES = ["english", "french", "german", "italian", "spanish"];
const HIGHEST = 9;
/** Chance that three letters follow each other in a list, in halvings from the highest level down to nothing. */
const HIGHEST_CHANCE = 2 ** -8;

function levelsOf(words: readonly string[]): readonly number[] {
  const counts = new Uint32Array(TRIGRAMS);
  let total = 0;
  for (const word of words) {
    const numbers = numbersOf(word);
    for (let at = 2; at < numbers.length; at += 1) {
      const trigram = trigramAt(numbers, at);
      counts[trigram] = (counts[trigram] ?? 0) + 1;
    }
    total += numbers.length - 2;
  }
  return [...counts].map((count) => (count === 0 ? 0 : levelOf(count / total)));
}
const levelOf = (chance: number): number => Math.max(0, Math.min(HIGHEST, Math.round(HIGHEST + Math.log2(chance / HIGHEST_CHANCE))));

/** The table as text: a digit for each three letters, the highest of all languages. */
export function trigramTableText(): string {
  const require = createRequire(import.meta.url);
  const tables = LANGUAGES.map((language) => levelsOf(require(`an-array-of-${language}-words`) as readonly string[]));
  const levels = Array.from({ length: TRIGRAMS }, (_, at) => Math.max(...tables.map((table) => table[at] ?? 0))).join("");
  return `${JSON.stringify({ from: `an-array-of-{${LANGUAGES.join(",")}}-words, MIT`, levels })}\n`;
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, "trigrams.json"), trigramTableText());
