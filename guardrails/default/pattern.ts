import { RE2JS } from "re2js";
import { messageOf } from "#contract";
import { patternSize } from "./pattern-size.ts";
import { remembered } from "./remembered.ts";

/**
 * Patterns written by users, matched in time linear in the text. RE2 (re2js: plain JavaScript, no dependencies) has no
 * backtracking; it takes `(?i)` and refuses what cannot be matched in linear time (lookahead, backreferences) when the
 * guardrail is saved. Patterns without repetition, but for one at their end, are linear in every engine and run on the built-in one, which is many
 * times faster. Linear in the text is still as many steps for each character as the pattern is large: `patternCost` says
 * how long that may take, before anything is compiled.
 */
export interface Pattern {
  find(text: string): PatternMatch | null;
  test(text: string): boolean;
  /** Where it matches, one behind the other, in the order of the text; nothing that matches nothing. */
  places(text: string): Generator<Place>;
  /** Milliseconds for each character of a text, at most. */
  readonly msPerChar: number;
}
export interface Place {
  readonly from: number;
  readonly to: number;
}
export interface PatternMatch {
  readonly matchedText: string;
  readonly index: number;
  readonly groups: Readonly<Record<string, string | null>>;
  readonly captures: readonly (string | null)[];
}

/** Estimates are asked for with every request, and take a look at every character. */
const MAX_ESTIMATED_CHARS = 2_000_000;
const sizes = remembered(MAX_ESTIMATED_CHARS, ({ length }) => length, patternSize);

/** Instructions of all patterns that are kept: tens of megabytes. */
const MAX_KEPT = 200_000;
const patterns = remembered(MAX_KEPT, sizeOf, (rule): Pattern => plain(rule) ?? linear(rule));
function sizeOf(rule: string): number {
  return rule.length + Math.min(sizes.get(rule), MAX_KEPT);
}

/** Throws what is wrong with the pattern. */
export const patternOf = (rule: string): Pattern => patterns.get(rule);

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

/* ── what it costs ───────────────────────────────────────────────────────────────────────────────────────────── */

/*
 * Measured, and doubled: nanoseconds for an instruction and a character (once more for each group, whose places every
 * step takes along), and for what is shown of a match.
 */
const LINEAR_NS = 120;
const PLAIN_NS = 6;
const SHOWN_NS = 40;
/* Compiling: for each instruction, and for each character of the pattern; classes of all of Unicode are large. */
const COMPILED_INSTRUCTION_NS = 4_000;
const COMPILED_CHAR_NS = 6_000;
const COMPILED_UNICODE_CHAR_NS = 50_000;
const NS_PER_MS = 1_000_000;

/** Milliseconds that it takes at most to find this pattern in a text of so many characters, its compilation included if that is still to be done. */
export function patternCost(rule: string, chars: number): number {
  const known = patterns.peek(rule);
  if (known !== undefined) return known.msPerChar * chars;
  const size = sizes.get(rule);
  if (size === Infinity) return Infinity;
  const perChar = /\\[pP]|\(\?[a-zA-Z-]*i|\[\^/.test(rule) ? COMPILED_UNICODE_CHAR_NS : COMPILED_CHAR_NS;
  const compiling = isPlain(rule) ? 0 : size * COMPILED_INSTRUCTION_NS + rule.length * perChar;
  return compiling / NS_PER_MS + msPerChar(rule, size, isPlain(rule) ? PLAIN_NS : LINEAR_NS) * chars;
}

/**
 * The same to find every place. Where a pattern repeats something, a match may be known only after the whole text has been
 * looked at, and there may be one for every character.
 */
export function placesCost(rule: string, chars: number): number {
  const compiling = patternCost(rule, 0);
  if (compiling === Infinity) return Infinity;
  return compiling + (patternCost(rule, chars) - compiling) * (isPlain(rule) ? 2 : chars + 1);
}

/** Every group may match the whole text, and is shown twice when it has a name. */
function msPerChar(rule: string, size: number, stepNs: number): number {
  const groups = rule.split("(").length;
  return (size * stepNs * groups + (2 * groups + 1) * SHOWN_NS) / NS_PER_MS;
}

/* ── the two engines ─────────────────────────────────────────────────────────────────────────────────────────── */

function linear(rule: string): Pattern {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(rule), RE2JS.LOOKBEHINDS);
  return {
    msPerChar: msPerChar(rule, compiled.programSize(), LINEAR_NS),
    test: (text) => compiled.matcher(text).find(),
    *places(text) {
      const matcher = compiled.matcher(text);
      while (matcher.find()) if (matcher.end() > matcher.start()) yield { from: matcher.start(), to: matcher.end() };
    },
    find(text) {
      const matcher = compiled.matcher(text);
      if (!matcher.find()) return null;
      const captures = Array.from({ length: matcher.groupCount() }, (_, index) => matcher.group(index + 1));
      return { matchedText: matcher.group() ?? "", index: matcher.start(), groups: matcher.getNamedGroups(), captures };
    },
  };
}

/**
 * Letters, classes without negation, anchors, exact counts of one character, at most one choice of alternatives, and a
 * repetition where an alternative ends: once it has begun the pattern has matched, and nothing is tried again.
 */
const PLAIN =
  /^(?:\(\?i\))?(?:[\w "'#%&,:;<=>@`~!/^$|-]|\\[dwbB.\-+*?()[\]{}|/^$]|\[(?!\^)(?:[\w .,:;@%+-]|\\[dw.-])+\]|(?<=[\w\]])(?:\{\d{1,2}\}|(?:[+*]|\{\d{1,2},\d{0,2}\})(?=\||$)))+$/;
const isPlain = (rule: string): boolean => rule.length <= 2_000 && PLAIN.test(rule);

function plain(rule: string): Pattern | undefined {
  if (!isPlain(rule)) return undefined;
  const native = nativeOf(rule);
  if (native === undefined) return undefined;
  const every = new RegExp(native, `${native.flags}g`);
  return {
    msPerChar: msPerChar(rule, sizes.get(rule), PLAIN_NS),
    test: (text) => native.test(text),
    *places(text) {
      for (const { 0: matched, index } of text.matchAll(every)) if (matched !== "") yield { from: index, to: index + matched.length };
    },
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
