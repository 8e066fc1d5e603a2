import { Type } from "@sinclair/typebox";
import { defineCheck } from "#contract";
import { Not } from "../counted.ts";
import { patternOf, patternProblems } from "../pattern.ts";
import { decided, excerpt, noText } from "../text.ts";

/** A text too long to be matched within a request's time is refused, so that padding opens no door. */
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
        "Regular expression in RE2 syntax; `(?i)` at its start ignores case. A text of more than 2,000,000 characters fails, of fewer when the pattern is large.",
    }),
    not: Not,
  }),
  problems: ({ rule }) => patternProblems(rule),
  run({ text, params: { rule, not } }) {
    if (text === "") return noText;
    const pattern = patternOf(rule);
    const textExcerpt = excerpt(text);
    if (text.length > pattern.maxChars)
      return decided(false, {
        regexPattern: rule,
        not,
        textExcerpt,
        verdict: false,
        matchDetails: null,
        explanation: `The text has ${text.length} characters, more than the ${pattern.maxChars} this pattern can be matched with.`,
      });
    const matchDetails = pattern.find(text);
    const verdict = (matchDetails !== null) !== not;
    const explanation = matchDetails ? "The pattern matches the text." : "The pattern does not match the text.";
    return decided(verdict, { regexPattern: rule, not, textExcerpt, verdict, matchDetails, explanation });
  },
});
