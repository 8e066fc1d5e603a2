import { RE2JS } from "re2js";
import { messageOf } from "#contract";
import { remembered } from "./remembered.ts";

/**
 * Patterns written by users, matched in time linear in the text. RE2 (re2js: plain JavaScript, no dependencies) has no
 * backtracking, so no pattern can hang the process; it takes `(?i)` and refuses what cannot be matched in linear time
 * (lookahead, backreferences) when the guardrail is saved. Patterns without repetition are linear in every engine and
 * run on the built-in one, which is many times faster.
 */
export interface Pattern {
  /** A longer text would hold up every other request for too long: the larger the pattern, the shorter the text. */
  readonly maxChars: number;
  find(text: string): PatternMatch | null;
  test(text: string): boolean;
}
export interface PatternMatch {
  readonly matchedText: string;
  readonly index: number;
  readonly groups: Readonly<Record<string, string | null>>;
  readonly captures: readonly (string | null)[];
}

/** Throws what is wrong with the pattern. */
export const patternOf = remembered(500, (rule: string): Pattern => plain(rule) ?? linear(rule));

/** What is wrong with a pattern, as sentences. */
export function patternProblems(rule: string): readonly string[] {
  try {
    patternOf(rule);
    return [];
  } catch (thrown) {
    return [
      `The pattern is not valid: ${messageOf(thrown)}. Patterns follow RE2: no lookahead and no backreferences; use "not" to turn a match around.`,
    ];
  }
}

/** No pattern takes longer texts than this. */
const MAX_CHARS = 2_000_000;
/** Each character may meet each instruction of the program: so many meetings take about half a second. */
const MAX_STEPS = 50_000_000;

function linear(rule: string): Pattern {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(rule), RE2JS.LOOKBEHINDS);
  return {
    maxChars: Math.min(MAX_CHARS, Math.floor(MAX_STEPS / compiled.programSize())),
    test: (text) => compiled.matcher(text).find(),
    find(text) {
      const matcher = compiled.matcher(text);
      if (!matcher.find()) return null;
      const captures = Array.from({ length: matcher.groupCount() }, (_, index) => matcher.group(index + 1));
      return { matchedText: matcher.group() ?? "", index: matcher.start(), groups: matcher.getNamedGroups(), captures };
    },
  };
}

/** Letters, classes without negation, anchors, exact counts of one character, and at most one choice of alternatives. */
const PLAIN =
  /^(?:\(\?i\))?(?:[\w "'#%&,:;<=>@`~!/^$|-]|\\[dwbB.\-+*?()[\]{}|/^$]|\[(?!\^)(?:[\w .,:;@%+-]|\\[dw.-])+\]|(?<=[\w\]])\{\d{1,2}\})+$/;

function plain(rule: string): Pattern | undefined {
  if (rule.length > 2_000 || !PLAIN.test(rule)) return undefined;
  const native = nativeOf(rule);
  if (native === undefined) return undefined;
  return {
    maxChars: MAX_CHARS,
    test: (text) => native.test(text),
    find(text) {
      const match = native.exec(text);
      return match && { matchedText: match[0], index: match.index, groups: {}, captures: [] };
    },
  };
}

function nativeOf(rule: string): RegExp | undefined {
  const folds = rule.startsWith("(?i)");
  try {
    return new RegExp(folds ? rule.slice(4) : rule, folds ? "iu" : "u");
  } catch {
    return undefined; // the other engine then says what is wrong with it, or takes it
  }
}
