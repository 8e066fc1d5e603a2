import type { Logger, ModelOfAnswer, Tokenizer, Usage } from "#contract";
import type { Provided } from "../../kernel/generation.ts";
import { firstKnown } from "./first-known.ts";

/** Usage where a provider reported none, by what was asked and answered; made after the client has its answer. */
export type EstimateUsage = (asked: string, answered: string, of: ModelOfAnswer) => Promise<Usage>;

/** Longer than any text takes; a tokenizer may have to load its tables, and others wait for theirs. */
const COUNT_MS = 30_000;

/** Counted by the first tokenizer that counts for the model, else by rule of thumb. */
export function estimating(plugins: readonly Provided<Tokenizer>[], log: Logger, limitMs = COUNT_MS): EstimateUsage {
  const ask = (tokenizer: Tokenizer, { texts, of }: Texts) => tokenizer.count(texts, of);
  const countsOf = firstKnown({ plugins, ask, check: checkCounts, limitMs, log });
  return async (asked, answered, of) => {
    const texts = [asked.slice(0, MAX_COUNTED), answered.slice(0, MAX_COUNTED)];
    const [input, output] = (await countsOf({ texts, of })) ?? [];
    return { input: tokensIn(asked, input), output: tokensIn(answered, output), estimated: true };
  };
}
interface Texts {
  readonly texts: readonly string[];
  readonly of: ModelOfAnswer;
}

/** One for each text, as sums and policies can take it. */
function checkCounts(counts: readonly number[], { texts }: Texts): void {
  const proper = Array.isArray(counts) && texts.every((_, at) => isCount(counts[at]));
  if (!proper) throw new TypeError("it did not give one count for each text");
}
const isCount = (count: unknown): boolean => typeof count === "number" && count >= 0 && count <= Number.MAX_SAFE_INTEGER;

/** Longer texts are counted by this much of them and scaled up. */
const MAX_COUNTED = 100_000;
const CHARACTERS_PER_TOKEN = 4;
function tokensIn({ length }: string, counted: number | undefined): number {
  if (counted === undefined) return Math.ceil(length / CHARACTERS_PER_TOKEN);
  return Math.round(length <= MAX_COUNTED ? counted : (counted * length) / MAX_COUNTED);
}
