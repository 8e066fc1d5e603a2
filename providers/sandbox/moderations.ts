import { type Adapter, isJson, type Json } from "#contract";
import { obeying } from "./answering.ts";
import { idOf } from "./id.ts";
import { invalid, missing } from "./missing.ts";
import { wordsIn } from "./words.ts";
import { inTurns } from "./in-turns.ts";

/** Category -> the words that the sandbox takes for a violation of it. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  harassment: ["idiot", "stupid"],
  "harassment/threatening": ["threaten"],
  hate: ["hate"],
  "hate/threatening": [],
  illicit: ["steal"],
  "illicit/violent": ["bomb"],
  "self-harm": ["suicide"],
  "self-harm/instructions": [],
  "self-harm/intent": [],
  sexual: ["porn"],
  "sexual/minors": [],
  violence: ["kill", "murder"],
  "violence/graphic": ["blood"],
};

/** Moderations: a few words are violations, and nothing else is. */
export const moderations = {
  moderate: {
    answer: obeying(async (body) => {
      const results = await inTurns(textsOf(body["input"]), judged);
      return { id: `modr-${idOf(body)}`, model: String(body["model"] ?? "sandbox-moderation"), results };
    }),
  },
} satisfies Record<string, Adapter>;

/** One result for each text; parts of one message are judged as one. */
function textsOf(input: unknown): readonly string[] {
  if (typeof input === "string") return [input];
  if (!Array.isArray(input) || input.length === 0) throw missing("input");
  if (input.every((text) => typeof text === "string")) return fewEnough(input);
  if (!input.every(isJson)) throw invalid("input", "input must be a text, a list of texts, or a list of parts.");
  return [input.map((part: unknown) => (isJson(part) && typeof part["text"] === "string" ? part["text"] : "")).join("\n")];
}

const MAX_TEXTS = 256;
function fewEnough(texts: readonly string[]): readonly string[] {
  if (texts.length > MAX_TEXTS) throw invalid("input", `input must have at most ${MAX_TEXTS} texts.`);
  return texts;
}

function judged(text: string): Json {
  const words = new Set(wordsIn(text));
  const found = Object.entries(WORDS).map(([category, bad]) => [category, bad.some((word) => words.has(word))] as const);
  return {
    flagged: found.some(([, violated]) => violated),
    categories: Object.fromEntries(found),
    category_scores: Object.fromEntries(found.map(([category, violated]) => [category, violated ? 0.99 : 0.01])),
    category_applied_input_types: Object.fromEntries(found.map(([category]) => [category, ["text"]])),
  };
}
