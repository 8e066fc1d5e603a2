import { Type } from "@sinclair/typebox";
import { OneOf, defineCheck } from "#contract";
import { Not, Timeout, decided, noText } from "../judged.ts";
import { type Detected, detect } from "../language/detect.ts";
import { LABELS, type Label, meansSame } from "../language/labels.ts";
import { sampleOf, sampledMs } from "../sample.ts";

/** Nanoseconds for each character that is looked at, at most. */
const CHAR_NS = 300;
const Language = OneOf(LABELS, { description: "A language and its script." });

export default defineCheck({
  id: "gateway.language",
  title: "Text is in a language",
  on: ["input"],
  targets: ["llm", "mcp_tools"],
  params: Type.Object({
    language: Type.Optional(
      Type.Union([Language, Type.Array(Language, { minItems: 1, maxItems: LABELS.length })], {
        description:
          "Language that the text has to be in, or several of which one is enough. Without it, every language passes, and the result says which it is. A text of fewer than twelve letters passes when one of them is written with such letters.",
      }),
    ),
    not: Not,
    timeout: Timeout,
  }),
  measures: () => true,
  cost: (_, chars) => sampledMs(chars, CHAR_NS),
  run({ text, params: { language, not } }) {
    if (text === "") return noText;
    const found = detect(sampleOf(text));
    const asked = language === undefined ? [] : [language].flat();
    const { label: detectedLanguage, confidence, reliable } = found;
    const data = { detectedLanguage, language: language ?? null, not, confidence, reliable, explanation: explained(found) };
    return decided(asked.length === 0 || found.label === null || isAsSaid(asked, found, not), data);
  },
});

/** Of a text that is too short only its script is judged, and nobody can say that it is not in some language. */
const isAsSaid = (asked: readonly Label[], found: Detected, not: boolean): boolean =>
  (found.tooShort && not) || isOneOf(asked, found, not) !== not;

/** Is it one of the languages? A text that says too little is given the benefit of the doubt. */
const isOneOf = (asked: readonly Label[], { label, reliable, plausible }: Detected, not: boolean): boolean =>
  [...(reliable || not ? [] : plausible), label ?? ""].some((each) => asked.some((wanted) => meansSame(wanted, each)));

function explained({ label, reliable, tooShort, plausible }: Detected): string {
  if (label === null) return "The text has no letters that would tell its language.";
  if (tooShort && plausible.length > 0) return `The text is too short to tell its language; it seems to be in ${label}.`;
  return reliable ? `The text is in ${label}.` : `The text seems to be in ${label}, but says too little to tell for sure.`;
}
