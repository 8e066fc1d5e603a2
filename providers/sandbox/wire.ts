import { isJson, type Json } from "#contract";
import { type Speech, type SpeechUsage, words } from "./speech.ts";

/* A speech in the chat wire: as a whole body, and as the frames of a stream. */

export interface Head {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

export const usageBody = ({ prompt, completion, reasoning }: SpeechUsage): Json => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: 0 },
});

const finishReason = ({ tool }: Speech): string => (tool ? "tool_calls" : "stop");

const timesOf = ({ count }: Speech): readonly number[] => Array.from({ length: count }, (_, index) => index);
/** Each choice has calls of its own. */
const callId = (tool: NonNullable<Speech["tool"]>, index: number): string => (index === 0 ? tool.id : `${tool.id}_${index}`);

function messageOf({ tool, text, reasoning }: Speech, index: number): Json {
  return {
    role: "assistant",
    content: tool ? null : text,
    refusal: null,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(tool && {
      tool_calls: [{ id: callId(tool, index), type: "function", function: { name: tool.name, arguments: tool.arguments } }],
    }),
  };
}
export function completion(speech: Speech, head: Head): Json {
  const finish_reason = finishReason(speech);
  return {
    id: head.id,
    object: "chat.completion",
    created: head.created,
    model: head.model,
    choices: timesOf(speech).map((index) => ({ index, message: messageOf(speech, index), logprobs: null, finish_reason })),
    usage: usageBody(speech.usage),
  };
}

export const frame = (body: Json): string => `data: ${JSON.stringify(body)}\n\n`;
export const DONE = "data: [DONE]\n\n";

/** The frames of a stream, its terminal marker left out. */
export function* frames(speech: Speech, head: Head, withUsage: boolean): Generator<string> {
  const chunk = (choices: readonly Json[], rest: Json = withUsage ? { usage: null } : {}): string =>
    frame({ id: head.id, object: "chat.completion.chunk", created: head.created, model: head.model, choices, ...rest });
  for (const index of timesOf(speech)) {
    const part = (delta: Json, finish_reason: string | null = null): string => chunk([{ index, delta, logprobs: null, finish_reason }]);
    yield part({ role: "assistant", content: "" });
    for (const text of words(speech.reasoning)) yield part({ reasoning_content: text });
    for (const text of words(speech.text)) yield part({ content: text });
    if (speech.tool) yield* toolFrames({ ...speech.tool, id: callId(speech.tool, index) }, part);
    yield part({}, finishReason(speech));
  }
  if (withUsage) yield chunk([], { usage: usageBody(speech.usage) });
}

/** A call comes as its name and then its arguments in two halves. */
function* toolFrames(tool: NonNullable<Speech["tool"]>, part: (delta: Json) => string): Generator<string> {
  const half = Math.ceil(tool.arguments.length / 2);
  yield part({ tool_calls: [{ index: 0, id: tool.id, type: "function", function: { name: tool.name, arguments: "" } }] });
  for (const piece of [tool.arguments.slice(0, half), tool.arguments.slice(half)])
    yield part({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
}

export const wantsUsage = (body: Json): boolean => isJson(body["stream_options"]) && body["stream_options"]["include_usage"] === true;
