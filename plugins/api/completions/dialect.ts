import type { Collected, CollectedChoice, Dialect, EncodeOptions, Json } from "#contract";
import { type JudgedChoice, judgedAs, stringOf } from "../content/judged.ts";
import { count, objects } from "../content/wire.ts";
import { asksUsage, isUsageFrame, withUsage } from "../content/usage-frame.ts";
import { usageBody } from "../content/usage.ts";
import { type CompletionState, decode, read, usageIn } from "./decode.ts";
import { CompletionEncoder } from "./encode.ts";

/** A folded answer -> a whole text_completion. */
function write(answer: Collected, { id, created, model, strict }: EncodeOptions): Json {
  return {
    id: answer.id ?? id,
    object: "text_completion",
    created: answer.created ?? created,
    model: answer.model ?? model,
    choices: answer.choices.map((choice, index) => ({ ...choiceBody(choice, index, strict), logprobs: null })),
    ...(answer.usage && { usage: usageBody(answer.usage) }),
  };
}
const choiceBody = ({ text, finish, native }: CollectedChoice, index: number, strict: boolean): Json => ({
  text,
  index,
  finish_reason: (strict ? undefined : native) ?? finish ?? "stop",
});

/** A streamed answer in the form of a whole text_completion. */
const judged = judgedAs({
  body: ({ choices, id, model }) => ({
    ...(id !== undefined && { id }),
    object: "text_completion",
    ...(model !== undefined && { model }),
    choices: choices.map((choice, index) => choiceBody(choice, index, true)),
  }),
  choices: ({ choices }) => new Map(objects(choices).map(({ index, text }, at) => [count(index) ?? at, textAlone(stringOf(text))])),
  path: (choice) => `choices[${choice}].text`,
});
const textAlone = (text: string): JudgedChoice => ({ text, refusal: "", thoughts: "", calls: [] });

/** OpenAI's text completions: the dialect of `POST /v1/completions`. */
export const completions: Dialect<CompletionState> = {
  id: "completions",
  operation: "complete",
  decode,
  read,
  usage: usageIn,
  write,
  judged,
  encode: (options) => new CompletionEncoder(options),
  asksUsage,
  withUsage,
  isUsageFrame,
};
