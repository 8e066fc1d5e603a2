import {
  type Collected,
  type CollectedChoice,
  type Dialect,
  type EncodeOptions,
  isJson,
  type Json,
  type JudgedAnswer,
  type StreamEvent,
} from "#contract";
import { list } from "../content/conversation.ts";
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

/** A streamed answer in the form of a whole one. */
const judged: JudgedAnswer = {
  body: ({ choices, id, model }) => ({
    ...(id !== undefined && { id }),
    object: "text_completion",
    ...(model !== undefined && { model }),
    choices: choices.map((choice, index) => choiceBody(choice, index, true)),
  }),
  path: (choice) => `choices[${choice}].text`,
  events: (answer, body) => {
    const texts = list(body["choices"]).map((choice) => (isJson(choice) ? String(choice["text"] ?? "") : ""));
    return [
      ...beginning(answer),
      ...answer.choices.flatMap((choice, index) => changed(choice, texts[index] ?? "", index)),
      ...counts(answer),
    ];
  },
};
const beginning = ({ id, model, created }: Collected): readonly StreamEvent[] => [
  { type: "start", ...(id !== undefined && { id }), ...(model !== undefined && { model }), ...(created !== undefined && { created }) },
];
const changed = ({ finish, native }: CollectedChoice, text: string, choice: number): readonly StreamEvent[] => [
  ...(text === "" ? [] : [{ type: "text" as const, text, choice }]),
  { type: "finish", reason: finish ?? "stop", ...(native !== undefined && { native }), choice },
];
const counts = ({ usage }: Collected): readonly StreamEvent[] => (usage ? [{ type: "usage", usage }] : []);

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
