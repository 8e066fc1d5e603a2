import { isJson, type Json, type Usage } from "#contract";
import { DONE } from "./events.ts";

const count = (value: unknown): number => (typeof value === "number" && value > 0 ? value : 0);
const object = (value: unknown): Json => (isJson(value) ? value : {});

/** What a response used, its parts made disjoint. Images count as text, and sound that was cached as cached. */
export function usage({ type, response }: Json): Usage | undefined {
  const told = type === DONE && isJson(response) ? response["usage"] : undefined;
  if (!isJson(told)) return undefined;
  const [input, output] = [count(told["input_tokens"]), count(told["output_tokens"])];
  const into = object(told["input_token_details"]);
  const cacheRead = Math.min(count(into["cached_tokens"]), input);
  const cachedAudio = count(object(into["cached_tokens_details"])["audio_tokens"]);
  const inputAudio = Math.min(Math.max(count(into["audio_tokens"]) - cachedAudio, 0), input - cacheRead);
  const outputAudio = Math.min(count(object(told["output_token_details"])["audio_tokens"]), output);
  return {
    ...{ input: input - cacheRead - inputAudio, ...(cacheRead && { cacheRead }), ...(inputAudio && { inputAudio }) },
    ...{ output: output - outputAudio, ...(outputAudio && { outputAudio }) },
  };
}
