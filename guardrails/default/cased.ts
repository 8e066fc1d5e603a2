import { Type } from "@sinclair/typebox";
import { type Check, defineCheck } from "#contract";
import { Not } from "./counted.ts";
import { decided, excerpt, noText } from "./text.ts";

/** Nanoseconds for each character, at most. */
const CHAR_NS = 5;

/** A check that no letter of one case occurs; what is not a letter of A to Z does not count. */
export const casedCheck = (id: string, title: string, other: RegExp, word: "lower" | "upper", targets: Check["targets"]): Check =>
  defineCheck({
    id,
    title,
    on: ["input", "output"],
    ...(targets && { targets }),
    measures: () => true,
    params: Type.Object({ not: Not }),
    cost: (_, chars) => (chars * CHAR_NS) / 1_000_000,
    run({ text, params: { not } }) {
      if (text === "") return noText;
      const all = !other.test(text);
      const verdict = all !== not;
      const explanation = `The text is ${all ? "" : "not "}all ${word} case.`;
      return decided(verdict, { verdict, not, textExcerpt: excerpt(text), explanation });
    },
  });
