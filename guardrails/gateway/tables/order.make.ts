/**
 * Makes `order.json`: how much rather sentences of English, Spanish, French, German and Italian have words beside each
 * other than shuffled ones do. It is learned from the sentences beside it, which were written for it, those of the first
 * labelled sets, and the same with their words shuffled. `bun guardrails/gateway/tables/order.make.ts`
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUCKETS, ENDING_CHARS, neighboursIn, tokensOf, type Vocabulary } from "../gibberish/neighbours.ts";
import { WEIGHT_PARTS } from "../gibberish/shuffled.ts";

/** By code: what the labelled sets call the language. */
const LANGUAGES = {
  de: ["deu", "deu_Latn"],
  en: ["eng", "eng_Latn"],
  es: ["spa", "spa_Latn"],
  fr: ["fra", "fra_Latn"],
  it: ["ita", "ita_Latn"],
};
type Code = keyof typeof LANGUAGES;

const readText = (path: string): string => readFileSync(join(import.meta.dirname, path), "utf8").trim();
interface Row {
  readonly text: string;
  readonly label: string;
  readonly language?: string;
}
const rowsOf = (path: string): readonly Row[] =>
  readText(path)
    .split("\n")
    .map((line) => JSON.parse(line) as Row);

/** Every sentence that a language's table is learned from. */
export function sentencesOf(code: Code): readonly string[] {
  const [short, label] = LANGUAGES[code];
  const clean = rowsOf("../cases/gibberish/first.jsonl").filter((row) => row.label === "clean" && row.language === short);
  const told = rowsOf("../cases/language/first.jsonl").filter((row) => row.label === label);
  return [...readText(`sentences/${code}.txt`).split("\n"), ...[...clean, ...told].map(({ text }) => text)];
}

/** The same numbers each time. */
function dice(): () => number {
  let seed = 7;
  return () => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
}
function shuffled<T>(list: readonly T[], random: () => number): T[] {
  const rest = [...list];
  return list.map(() => rest.splice(Math.floor(random() * rest.length), 1)[0] as T); // one for each
}

const SIGNS = /[.,;:!?¿¡"„“«»()]/g;
const small = (text: string): string => text.toLowerCase().replace(SIGNS, "");
const withoutEnd = (text: string): string => text.replace(/[.!?]$/, "");

/** Words this often in the sentences count by themselves, endings this often by theirs. */
const FREQUENT = 2;
const FREQUENT_ENDING = 10;
function vocabularyOf(texts: readonly string[]): Vocabulary {
  const words = texts.flatMap(tokensOf).map((token) => token.toLowerCase());
  const often = (list: readonly string[], least: number): ReadonlySet<string> =>
    new Set(
      [...Map.groupBy(list, (each) => each)]
        .filter(([, group]) => group.length >= least)
        .map(([each]) => each)
        .sort(),
    );
  return {
    frequent: often(words, FREQUENT),
    endings: often(
      words.map((word) => word.slice(-ENDING_CHARS)),
      FREQUENT_ENDING,
    ),
  };
}

/** Buckets of a text, and whether it is one that somebody wrote. */
interface Example {
  readonly buckets: readonly number[];
  readonly written: boolean;
}
const SHUFFLES = 8;
/** Words of any sentences, not of one. */
const SOUPS = 4;
const SOUP_WORDS = 11;
function examplesOf(texts: readonly string[], look: (text: string) => readonly number[], random: () => number): readonly Example[] {
  const words = texts.flatMap((text) => text.split(/\s+/));
  return texts.flatMap((text) => {
    const mixed = [
      ...Array.from({ length: SHUFFLES }, () => shuffled(text.split(/\s+/), random).join(" ")),
      ...Array.from({ length: SOUPS }, () =>
        Array.from({ length: SOUP_WORDS }, () => words[Math.floor(random() * words.length)]).join(" "),
      ),
    ];
    const written = [text, text, small(text), small(text), withoutEnd(text), withoutEnd(text)];
    return [
      ...written.map((each) => ({ buckets: look(each), written: true })),
      ...mixed.map((each, at) => ({ buckets: look(at % 2 === 0 ? each : small(each)), written: false })),
    ];
  });
}

const ROUNDS = 8;
const RATE = 0.3;
const FORGETTING = 1e-3;
/** Learns weights by steps that shrink for buckets which were seen often; nothing of it depends on the machine. */
function learned(examples: readonly Example[], random: () => number): Float64Array {
  const weights = new Float64Array(BUCKETS);
  const moved = new Float64Array(BUCKETS);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { buckets, written } of shuffled(examples, random)) {
      const share = 1 / Math.sqrt(buckets.length);
      const score = buckets.reduce((sum, bucket) => sum + (weights[bucket] ?? 0) * share, 0);
      const miss = (written ? 1 : 0) - (1 + score / (1 + Math.abs(score))) / 2;
      for (const bucket of buckets) {
        const step = miss * share - FORGETTING * (weights[bucket] ?? 0);
        moved[bucket] = (moved[bucket] ?? 0) + step * step;
        weights[bucket] = (weights[bucket] ?? 0) + (RATE * step) / Math.sqrt((moved[bucket] ?? 0) + 0.1);
      }
    }
  return weights;
}

/** What is learned of a language from its sentences. */
export function tableOf(code: string, texts: readonly string[]): Vocabulary & { readonly weights: Int8Array } {
  const random = dice();
  const vocabulary = vocabularyOf(texts);
  const weights = learned(
    examplesOf(texts, (text) => neighboursIn(text, code, vocabulary), random),
    random,
  );
  return { ...vocabulary, weights: Int8Array.from(weights, (weight) => Math.max(-127, Math.min(127, Math.round(weight * WEIGHT_PARTS)))) };
}

/** The table as text. */
export function orderTableText(): string {
  const languages = Object.keys(LANGUAGES).map((code) => {
    const { frequent, endings, weights } = tableOf(code, sentencesOf(code as Code)); // its own keys
    return [code, { frequent: [...frequent].join(" "), endings: [...endings].join(" "), weights: Buffer.from(weights).toString("base64") }];
  });
  return `${JSON.stringify({ from: "tables/sentences, Apache-2.0", languages: Object.fromEntries(languages) })}\n`;
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, "order.json"), orderTableText());
