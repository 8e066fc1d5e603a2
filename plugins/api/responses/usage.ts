import { inputTokens, isJson, type Json, outputTokens, type Usage } from "#contract";
import { count, object } from "../content/wire.ts";

/** The counts of a `usage` object, made disjoint; nothing where there are none. */
export function usageOf(wire: unknown): Usage | undefined {
  if (!isJson(wire)) return undefined;
  const [input, output] = [count(wire.input_tokens), count(wire.output_tokens)];
  if (input === undefined && output === undefined) return undefined;
  const into = object(wire.input_tokens_details);
  const cacheRead = Math.min(count(into.cached_tokens) ?? 0, input ?? 0);
  const inputAudio = Math.min(count(into.audio_tokens) ?? 0, (input ?? 0) - cacheRead);
  const reasoning = Math.min(count(object(wire.output_tokens_details).reasoning_tokens) ?? 0, output ?? 0);
  return {
    input: (input ?? 0) - cacheRead - inputAudio,
    ...(cacheRead > 0 && { cacheRead }),
    ...(inputAudio > 0 && { inputAudio }),
    output: (output ?? 0) - reasoning,
    ...(reasoning > 0 && { reasoning }),
  };
}

/** The `usage` object of an answer. Clients read its members without asking whether they are there. */
export function usageBody(usage: Usage): Json {
  const [input, output] = [inputTokens(usage), outputTokens(usage)];
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage.cacheRead ?? 0,
      cache_write_tokens: (usage.cacheWrite5m ?? 0) + (usage.cacheWrite1h ?? 0),
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    total_tokens: input + output,
  };
}
