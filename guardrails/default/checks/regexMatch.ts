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
    const shown = { regexPattern: rule, not, textExcerpt: excerpt(text) };
    const pattern = patternOf(rule);
    if (text.length > pattern.maxChars)
      return decided(false, `The text has ${text.length} characters, more than the ${pattern.maxChars} this pattern can be matched with.`, {
        ...shown,
        verdict: false,
        matchDetails: null,
      });
    const matchDetails = pattern.find(text);
    const verdict = (matchDetails !== null) !== not;
    return decided(verdict, `The pattern ${matchDetails ? "matches" : "does not match"} the text.`, { ...shown, verdict, matchDetails });
  },
});
