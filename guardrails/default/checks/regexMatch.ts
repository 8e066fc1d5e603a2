import { Type } from "@sinclair/typebox";
import { defineCheck } from "#contract";
import { Not } from "../counted.ts";
import { patternCost, patternOf, patternProblems } from "../pattern.ts";
import { decided, excerpt, noText } from "../text.ts";

/** It says how the text begins or ends. */
const isAnchored = (rule: string): boolean => /\^|\$|\\[AZz]/.test(rule);

export default defineCheck({
  id: "default.regexMatch",
  title: "Text matches a regular expression",
  on: ["input", "output"],
  targets: ["llm", "mcp_tools"],
  params: Type.Object({
    rule: Type.String({
      minLength: 1,
      maxLength: 10_000,
      description:
        "Regular expression in RE2 syntax; `(?i)` at its start ignores case. A text that takes too long to be matched is the error `budget`.",
    }),
    not: Not,
  }),
  measures: ({ rule, not }) => !not || isAnchored(rule),
  problems: ({ rule }) => patternProblems(rule),
  cost: ({ rule }, chars) => patternCost(rule, chars),
  run({ text, params: { rule, not } }) {
    if (text === "") return noText;
    const textExcerpt = excerpt(text);
    const matchDetails = patternOf(rule).find(text);
    const verdict = (matchDetails !== null) !== not;
    const explanation = matchDetails ? "The pattern matches the text." : "The pattern does not match the text.";
    return decided(verdict, { regexPattern: rule, not, textExcerpt, verdict, matchDetails, explanation });
  },
});
