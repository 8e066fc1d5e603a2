import { CATEGORIES, type Category, type Lexicon, WIDER } from "./category.ts";
import { CONTEXTS, DENIED, REPORTED } from "./context.ts";
import { RULES } from "./rules.ts";
import { sentencesOf } from "./sentences.ts";
import type { Rule } from "./words.ts";

/** Phrases weigh this much together, in one sentence. */
const ENOUGH = 0.7;
/** Denials stand within so many characters before a phrase. */
const MAX_DENIAL = 50;
/** "I don't want to live": these phrases have their denial in them. */
const DENYING: ReadonlySet<Category> = new Set(["self-harm/intent", "self-harm/instructions", "hate"]);

/**
 * Judges by phrases, without a model. It knows what is said plainly; of what is hinted at, quoted, spelled strangely or said
 * in other languages than its six it misses most.
 */
export const lexicon: Lexicon = {
  flagged(text) {
    const sentences = sentencesOf(text);
    const flagged = new Set<Category>();
    for (const [at, sentence] of sentences.entries()) {
      const around = () => `${sentences[at - 1] ?? ""} ${sentence} ${sentences[at + 1] ?? ""}`;
      for (const category of CATEGORIES) if (!flagged.has(category) && isSaid(category, sentence, around)) add(flagged, category);
    }
    return flagged;
  },
};
function add(flagged: Set<Category>, category: Category): void {
  flagged.add(category);
  const wider = WIDER[category];
  if (wider !== undefined) flagged.add(wider);
}

function isSaid(category: Category, sentence: string, around: () => string): boolean {
  let weight = 0;
  for (const rule of RULES[category]) weight += weightIn(rule, category, sentence);
  return weight >= ENOUGH && weight * factorOf(category, around()) >= ENOUGH;
}

function weightIn({ pattern, weight }: Rule, category: Category, sentence: string): number {
  const index = sentence.search(pattern);
  if (index < 0) return 0;
  const before = sentence.slice(Math.max(0, index - MAX_DENIAL), index);
  return REPORTED.test(before) || (!DENYING.has(category) && DENIED.test(before)) ? 0 : weight;
}

const factorOf = (category: Category, around: string): number =>
  CONTEXTS.reduce((factor, { words, factor: less, except }) => (!except.has(category) && words.test(around) ? factor * less : factor), 1);
