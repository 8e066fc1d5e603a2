import { type Adapter, isJson, type Json } from "#contract";
import { obeying } from "./answering.ts";
import { invalid, missing } from "./missing.ts";
import { wordsIn } from "./words.ts";

/** Decisions: what shares more words with the state is more likely. */
export const decisions = {
  decisions: {
    answer: obeying((body) => {
      const { state, questions } = body;
      if (state === undefined) throw missing("state");
      if (!isJson(questions) || Object.keys(questions).length === 0) throw missing("questions");
      const words = wordsIn(textOf(state));
      const held = new Set(words);
      const answers = Object.entries(questions).map(([id, question]) => [id, answerTo(question, id, held)]);
      return {
        model: String(body["model"] ?? "sandbox-decisions"),
        answers: Object.fromEntries(answers) as Json,
        usage: { input_tokens: words.length, output_tokens: answers.length },
      };
    }),
  },
} satisfies Record<string, Adapter>;

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value ?? ""));

type Words = ReadonlySet<string>;
const ANSWERS: Readonly<Record<string, (criteria: unknown, state: Words) => Json | undefined>> = { noul, choice, score };

function answerTo(question: unknown, id: string, state: Words): Json {
  const { type, criteria } = isJson(question) ? question : {};
  const kind = String(type);
  const answer = Object.hasOwn(ANSWERS, kind) ? ANSWERS[kind]?.(criteria, state) : undefined;
  if (!answer) throw invalid(`questions.${id}`, `questions.${id} is no question with its criteria.`);
  return { type: kind, ...answer };
}

function noul(criteria: unknown, state: Words): Json {
  const { true: yes, false: no } = isJson(criteria) ? criteria : {};
  return { noul: shares([yes, no], state)[0] ?? 0 };
}

function choice(criteria: unknown, state: Words): Json | undefined {
  if (!isJson(criteria)) return undefined;
  const options = Object.keys(criteria);
  const found = shares(
    options.map((option) => `${option} ${textOf(criteria[option])}`),
    state,
  );
  const confidence = Math.max(...found);
  return {
    choice: options[found.indexOf(confidence)],
    probabilities: Object.fromEntries(options.map((option, at) => [option, found[at]])),
    confidence,
  };
}

/** Levels are counted from 0. */
function score(criteria: unknown, state: Words): Json | undefined {
  if (!Array.isArray(criteria)) return undefined;
  const found = shares(criteria, state);
  return {
    score: found.reduce((sum, share, level) => sum + share * level, 0),
    probabilities: Object.fromEntries(found.map((share, level) => [level, share])),
    legend: Object.fromEntries(criteria.map((meaning: unknown, level) => [level, meaning])),
    confidence: Math.max(...found),
  };
}

/** Parts of 1: each begins with one share, and has one more for each word that the state has too. */
function shares(meanings: readonly unknown[], state: Words): readonly number[] {
  const weights = meanings.map((meaning) => 1 + [...new Set(wordsIn(textOf(meaning)))].filter((word) => state.has(word)).length);
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / all);
}
