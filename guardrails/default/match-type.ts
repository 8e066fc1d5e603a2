import { OneOf } from "#contract";
import { patternCost, patternOf, patternProblems } from "./pattern.ts";

export const MATCH_TYPES = ["exact", "contains", "containsAll", "regex"] as const;
export type MatchType = (typeof MATCH_TYPES)[number];
export const MatchTypeOf = (what: string) =>
  OneOf(MATCH_TYPES, {
    default: "exact",
    description: `How ${what} is compared: it is one of the values (a list: it has exactly those), contains one, contains all, or a pattern (RE2) is found in it.`,
  });

/** A value as texts, and whether it was a list of them. */
interface Held {
  readonly texts: readonly string[];
  readonly isList: boolean;
}
type Matches = (held: Held, wanted: readonly string[]) => boolean;
const contains = ({ texts, isList }: Held, wanted: string): boolean =>
  isList ? texts.includes(wanted) : texts.some((text) => text.includes(wanted));

const MATCHES: Readonly<Record<MatchType, Matches>> = {
  exact: ({ texts, isList }, wanted) =>
    isList
      ? texts.length > 0 && texts.every((text) => wanted.includes(text)) && wanted.every((text) => texts.includes(text))
      : texts.some((text) => wanted.includes(text)),
  contains: (held, wanted) => wanted.some((value) => contains(held, value)),
  containsAll: (held, wanted) => wanted.every((value) => contains(held, value)),
  regex: ({ texts }, wanted) => wanted.some((rule) => texts.some((text) => patternOf(rule).test(text))),
};

/** Characters and members of a value that is compared; all of them together for a pattern. */
const MAX_CHARS = 10_000;
const MAX_MEMBERS = 200;
const MAX_PATTERN_CHARS = 512;

/** Does the value satisfy it? `null` when it is longer than anybody compares. */
export function matches(value: unknown, wanted: readonly string[], how: MatchType): boolean | null {
  const isList = Array.isArray(value);
  if (isList && value.length > MAX_MEMBERS) return null;
  const texts = (isList ? (value as readonly unknown[]) : [value]).map(textOf);
  const chars = texts.reduce((sum, { length }) => sum + length, 0);
  return chars > (how === "regex" ? MAX_PATTERN_CHARS : MAX_CHARS) ? null : MATCHES[how]({ texts, isList }, wanted);
}
export const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

/** Milliseconds that all patterns of a check may take: they are run where requests are. */
const MAX_PATTERNS_MS = 5;
/** What is wrong with values that are compared in this way. */
export function matchProblems(wanted: readonly string[], how: MatchType): readonly string[] {
  if (how !== "regex") return [];
  const ms = wanted.reduce((sum, rule) => sum + patternCost(rule, MAX_PATTERN_CHARS), 0);
  if (!(ms <= MAX_PATTERNS_MS)) return ["The patterns are too large, or too many: they would take too long with every request."];
  return wanted.flatMap(patternProblems);
}
