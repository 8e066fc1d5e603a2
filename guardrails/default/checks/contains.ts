import { Type } from "@sinclair/typebox";
import { defineCheck } from "#contract";
import { ACCEPTS, OperatorOf } from "../operator.ts";
import { decided, noText } from "../text.ts";

/* Nanoseconds for each word: for a character of the text, and to show the word. */
const CHAR_NS = 20;
const WORD_NS = 3_000;

export default defineCheck({
  id: "default.contains",
  title: "Text contains any, all or none of the words",
  on: ["input", "output"],
  targets: ["llm", "mcp_tools"],
  params: Type.Object({
    words: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      maxItems: 10_000,
      description: "Words or phrases to look for; upper and lower case differ.",
    }),
    operator: OperatorOf("words", "any"),
  }),
  measures: ({ operator }) => operator !== "none",
  cost: ({ words }, chars) => (words.length * (chars * CHAR_NS + WORD_NS)) / 1_000_000,
  run({ text, params: { words, operator } }) {
    if (text === "") return noText;
    const foundWords: string[] = [];
    const missingWords: string[] = [];
    for (const word of words) (text.includes(word) ? foundWords : missingWords).push(word);
    const verdict = ACCEPTS[operator](foundWords.length, words.length);
    const explanation = `The check for ${operator} of the words ${verdict ? "passed" : "failed"}.`;
    return decided(verdict, { verdict, foundWords, missingWords, operator, explanation });
  },
});
