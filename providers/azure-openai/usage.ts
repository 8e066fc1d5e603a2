import { isJson, type Json, type Usage } from "#contract";

const count = (value: unknown): number => (typeof value === "number" && value > 0 ? value : 0);
const object = (value: unknown): Json => (isJson(value) ? value : {});

/** `usage` of embeddings: input only. */
export function embeddingUsage({ usage }: Json): Usage | undefined {
  return isJson(usage) ? { input: count(usage["prompt_tokens"]) } : undefined;
}

/** `usage` of responses, images and transcriptions, its parts made disjoint. */
export function generationUsage({ usage }: Json): Usage | undefined {
  if (!isJson(usage) || (usage["input_tokens"] === undefined && usage["output_tokens"] === undefined)) return undefined;
  const [input, output] = [count(usage["input_tokens"]), count(usage["output_tokens"])];
  const into = object(usage["input_tokens_details"] ?? usage["input_token_details"]);
  const cacheRead = Math.min(count(into["cached_tokens"]), input);
  const inputAudio = Math.min(count(into["audio_tokens"]), input - cacheRead);
  const reasoning = Math.min(count(object(usage["output_tokens_details"])["reasoning_tokens"]), output);
  return { input: input - cacheRead - inputAudio, cacheRead, inputAudio, output: output - reasoning, reasoning };
}
