import { Type } from "@sinclair/typebox";
import { type Patch, type Segment, defineCheck } from "#contract";
import { patternOf, patternProblems, placesCost } from "../pattern.ts";
import { decided, noText } from "../text.ts";

export default defineCheck({
  id: "default.regexReplace",
  title: "What matches a regular expression is replaced",
  on: ["input", "output"],
  targets: ["llm", "mcp_tools"],
  transforms: true,
  params: Type.Object({
    rule: Type.String({
      minLength: 1,
      maxLength: 10_000,
      description: "Regular expression in RE2 syntax, or `/expression/flags` with the flags i, m, s and g. Every match is replaced.",
    }),
    redactText: Type.Optional(
      Type.String({ maxLength: 1_000, description: "What stands in the place of a match, letter by letter. Default: `[REDACTED]`." }),
    ),
    replace: Type.Optional(Type.String({ maxLength: 1_000, description: "The same, as it was published too." })),
    failOnDetection: Type.Boolean({ default: false, description: "Fail where something matches, instead of replacing it." }),
  }),
  problems: ({ rule }) => ruleProblems(rule),
  cost: ({ rule }, chars) => placesCost(patternIn(rule), chars),
  run({ text, segments, params: { rule, redactText, replace, failOnDetection } }) {
    if (text === "") return noText;
    const by = redactText ?? replace ?? "[REDACTED]";
    const replaced = segments.map((segment) => replacedIn(segment, patternIn(rule), by));
    const matchCount = replaced.reduce((sum, { matches }) => sum + matches, 0);
    const explanation = matchCount === 0 ? "The pattern does not match the text." : `The pattern matches the text ${matchCount} times.`;
    const data = { regexPattern: rule, failOnDetection, matchCount, verdict: matchCount === 0 || !failOnDetection, explanation };
    if (matchCount === 0 || failOnDetection) return decided(data.verdict, data);
    const patches = replaced.flatMap(({ patch }) => (patch ? [patch] : []));
    if (patches.some(isHuge)) return { verdict: "error", class: "budget", message: "The text would become too long." };
    return { verdict: "transform", patches, data };
  },
});

interface Replaced {
  readonly matches: number;
  readonly patch: TextPatch | undefined;
}
type TextPatch = Extract<Patch, { readonly path: string }>;
/** Texts grow where what is put in is longer than what it replaces. */
const MAX_TEXT_CHARS = 4_000_000;
const isHuge = ({ text }: TextPatch): boolean => text.length > MAX_TEXT_CHARS;

function replacedIn({ path, text }: Segment, pattern: string, by: string): Replaced {
  const kept: string[] = [];
  let at = 0;
  let chars = 0;
  for (const { from, to } of patternOf(pattern).places(text)) {
    kept.push(text.slice(at, from));
    chars += from - at + by.length;
    at = to;
    if (chars > MAX_TEXT_CHARS) break; // it is refused, and takes no more memory until then
  }
  if (kept.length === 0) return { matches: 0, patch: undefined };
  return { matches: kept.length, patch: { path, text: [...kept, text.slice(at)].join(by) } };
}

/* ── `/expression/flags` ─────────────────────────────────────────────────────────────────────────────────────── */

const WRITTEN = /^\/(.+)\/([a-z]*)$/s;
const FLAGS = /^[imsg]*$/;

/** The pattern as RE2 writes it: its flags stand at its start. */
function patternIn(rule: string): string {
  const [, expression, flags = ""] = WRITTEN.exec(rule) ?? [];
  if (expression === undefined) return rule;
  const inside = [...new Set(flags)].filter((flag) => flag !== "g").join("");
  return inside === "" ? expression : `(?${inside})${expression}`;
}
function ruleProblems(rule: string): readonly string[] {
  const flags = WRITTEN.exec(rule)?.[2] ?? "";
  return FLAGS.test(flags) ? patternProblems(patternIn(rule)) : [`The flags of a pattern may be i, m, s and g, and not ${flags}.`];
}
