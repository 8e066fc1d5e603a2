import { de } from "./grammar/de.ts";
import { en } from "./grammar/en.ts";
import { es } from "./grammar/es.ts";
import { fr } from "./grammar/fr.ts";
import type { Grammar } from "./grammar/grammar.ts";
import { it } from "./grammar/it.ts";

export type Kind = "determiner" | "preposition" | "conjunction" | "subject" | "clitic" | "verb";

export interface SmallWords {
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly fine: ReadonlySet<string>;
  readonly never: ReadonlySet<string>;
  readonly mayEnd: ReadonlySet<string>;
  readonly others: ReadonlySet<string>;
  /** By the first word of a pair. */
  readonly clashes: ReadonlyMap<string, readonly RegExp[]>;
}

function smallWordsOf({ determiners, prepositions, conjunctions, subjects, clitics, verbs, ...rest }: Grammar): SmallWords {
  const lists = {
    determiner: determiners,
    preposition: prepositions,
    conjunction: conjunctions,
    subject: subjects,
    clitic: clitics,
    verb: verbs,
  };
  return {
    kinds: new Map(Object.entries(lists).flatMap(([kind, list]) => list.split(" ").map((word) => [word, kind as Kind] as const))),
    fine: new Set(rest.fine.split(", ")),
    never: new Set(rest.never.split(", ")),
    mayEnd: new Set(rest.mayEnd.split(" ")),
    others: new Set(rest.others.split(" ")),
    clashes: clashesOf(rest.clashes),
  };
}
function clashesOf(clashes: Grammar["clashes"]): ReadonlyMap<string, readonly RegExp[]> {
  const pairs = clashes.flatMap(([words, second]) => words.split(" ").map((first) => ({ first, second })));
  return new Map([...Map.groupBy(pairs, ({ first }) => first)].map(([first, group]) => [first, group.map(({ second }) => second)]));
}

/** By the code of the language. */
export const SMALL_WORDS: ReadonlyMap<string, SmallWords> = new Map(
  Object.entries({ de, en, es, fr, it }).map(([code, grammar]) => [code, smallWordsOf(grammar)]),
);
