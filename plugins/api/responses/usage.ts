import { inputTokens, type Json, outputTokens, type Usage } from "#contract";

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
