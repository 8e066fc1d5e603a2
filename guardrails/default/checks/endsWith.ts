import { Type } from "@sinclair/typebox";
import { defineCheck } from "#contract";
import { Not } from "../counted.ts";
import { decided, excerpt, noText } from "../text.ts";

/** A full stop after the suffix is forgiven. */
export default defineCheck({
  id: "default.endsWith",
  title: "Text ends with a suffix",
  on: ["input", "output"],
  measures: () => true,
  params: Type.Object({
    suffix: Type.String({ minLength: 1, maxLength: 10_000, description: "What the text must end with; a full stop may follow." }),
    not: Not,
  }),
  run({ text, params: { suffix, not } }) {
    if (text === "") return noText;
    const ends = text.endsWith(suffix) || text.endsWith(`${suffix}.`);
    const verdict = ends !== not;
    const explanation = `The text ${ends ? "ends" : "does not end"} with "${suffix}".`;
    return decided(verdict, { suffix, not, verdict, textExcerpt: excerpt(text), explanation });
  },
});
