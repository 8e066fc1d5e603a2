import { Type } from "@sinclair/typebox";
import { defineCheck } from "#contract";
import { type GibberishLabel, labelOf } from "../gibberish/label.ts";
import { Not, Timeout, decided, noText } from "../judged.ts";
import { sampleOf, sampledMs } from "../sample.ts";

/** Nanoseconds for each character that is looked at, at most. */
const CHAR_NS = 900;

const EXPLANATIONS: Readonly<Record<GibberishLabel, string>> = {
  clean: "The text is no gibberish.",
  "mild gibberish": "Parts of the text make no sense as words of a language.",
  "word salad": "The words of the text are in no order that a sentence has.",
  noise: "The text is letters at random, or the same ones again and again.",
};

export default defineCheck({
  id: "gateway.gibberish",
  title: "Text is no gibberish",
  on: ["input", "output"],
  targets: ["llm", "mcp_tools"],
  params: Type.Object({ not: Not, timeout: Timeout }),
  measures: () => true,
  cost: (_, chars) => sampledMs(chars, CHAR_NS),
  run({ text, params: { not } }) {
    if (text === "") return noText;
    const label = labelOf(sampleOf(text));
    return decided((label === "clean") !== not, { label, not, explanation: EXPLANATIONS[label] });
  },
});
