import { type Collected, type CollectedChoice, type EncodeOptions, InnerJson, type Json } from "#contract";
import { orderedEvents } from "../content/ordered-events.ts";
import { reasonOf } from "./finish.ts";
import { besideOf, callPart, isContentEvent, logprobsBody, partOf } from "./parts.ts";
import { usageBody } from "./usage.ts";

const NOTHING: CollectedChoice = { text: "", reasoning: [], tools: [] };

/** A folded answer -> a whole answer of this form. */
export const write = (answer: Collected, options: EncodeOptions, inner = new InnerJson()): Json => ({
  candidates: (answer.choices.length > 0 ? answer.choices : [NOTHING]).map((choice, index) => candidateOf(choice, index, inner)),
  usageMetadata: usageBody(answer.usage ?? {}),
  modelVersion: answer.model ?? options.model,
  responseId: answer.id ?? options.id,
});

function candidateOf(choice: CollectedChoice, index: number, inner: InnerJson): Json {
  const { logprobs, beside, refusal } = choice;
  return {
    content: { parts: partsOf(choice, inner), role: "model" },
    finishReason: reasonOf({ ...choice, refused: refusal !== undefined }),
    index,
    ...(logprobs && { logprobsResult: logprobsBody(logprobs) }),
    ...(beside && besideOf(beside)),
  };
}

function partsOf(choice: CollectedChoice, inner: InnerJson): readonly Json[] {
  const ofEvents = orderedEvents(choice, 0).map((event) => (isContentEvent(event) ? partOf(event) : undefined));
  const parts = [
    ...ofEvents.filter((part) => part !== undefined),
    ...(choice.refusal ? [{ text: choice.refusal }] : []),
    ...choice.tools.map((call) => callPart(call, inner)),
  ];
  return parts.length > 0 ? parts : [{ text: "" }];
}
