import { type TSchema, Type } from "@sinclair/typebox";
import { type Check, type Verdict, defineCheck } from "#contract";
import { decided, excerpt, noText } from "./text.ts";

export const Not = Type.Boolean({ default: false, description: "Turn the verdict around." });

/** What the three counting checks differ in. */
interface Counted {
  readonly id: string;
  readonly title: string;
  /** What is counted, in the plural, as parameters name it: `Words`. */
  readonly of: string;
  readonly most: number;
  readonly count: (text: string) => number;
  /** Nanoseconds that counting takes for each character, at most. */
  readonly charNs: number;
  /** Names of the count and its bounds in the result. */
  readonly shown: readonly [count: string, min: string, max: string];
  /** Does an empty text count as zero rather than as nothing to check? */
  readonly countsEmpty: boolean;
}

/** A check whose text must hold between `min…` and `max…` of something. */
export function countedCheck({ id, title, of, most, count, charNs, shown, countsEmpty }: Counted): Check {
  const [min, max] = [`min${of}`, `max${of}`];
  const [shownCount, shownMin, shownMax] = shown;
  const [within, outside] = ["within", "outside"].map((where) => ` ${of.toLowerCase()}, ${where} the range of `);
  const bound = (which: string, value: number): TSchema =>
    Type.Number({ default: value, minimum: 0, description: `${which} number of ${of.toLowerCase()}.` });
  return defineCheck({
    id,
    title,
    on: ["input", "output"],
    targets: ["llm", "mcp_tools"],
    params: Type.Object({ [min]: bound("Smallest", 0), [max]: bound("Largest", most), not: Not }),
    measures: () => true,
    cost: (_, chars) => (chars * charNs) / 1_000_000,
    run({ text, params }): Verdict {
      if (text === "" && !countsEmpty) return noText;
      const { [min]: least, [max]: greatest, not } = params as Readonly<Record<string, unknown>>; // names made above
      const found = count(text);
      const inRange = found >= Number(least) && found <= Number(greatest);
      const explanation = `The text has ${found}${inRange ? within : outside}${least} to ${greatest}.`;
      const verdict = inRange !== not;
      const textExcerpt = excerpt(text);
      return decided(verdict, { [shownCount]: found, [shownMin]: least, [shownMax]: greatest, not, verdict, textExcerpt, explanation });
    },
  });
}

/** Counts what a pattern matches, without a list of the matches. */
export function countOf(pattern: RegExp): (text: string) => number {
  const next = new RegExp(pattern, "g"); // it remembers where it stands, and begins anew when there is no more
  return (text) => {
    let count = 0;
    while (next.test(text)) count += 1;
    return count;
  };
}
