import { isJson, tokens, type Usage } from "#contract";

export interface WireUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadInputTokens?: number;
  readonly cacheWriteInputTokens?: number;
  readonly cacheDetails?: readonly { readonly ttl?: string; readonly inputTokens?: number }[];
}

/** The wire's counts, already disjoint; `cacheDetails` tells how long what was written to the cache will live. */
export function usageOf({ inputTokens, outputTokens, cacheReadInputTokens, cacheWriteInputTokens, cacheDetails }: WireUsage): Usage {
  const written = tokens(cacheWriteInputTokens);
  const cacheWrite1h = Math.min(hourly(cacheDetails), written);
  const cacheWrite5m = written - cacheWrite1h;
  return {
    input: tokens(inputTokens),
    output: tokens(outputTokens),
    ...(cacheReadInputTokens !== undefined && { cacheRead: tokens(cacheReadInputTokens) }),
    ...(cacheWriteInputTokens !== undefined && { cacheWrite5m }),
    ...(cacheWrite1h > 0 && { cacheWrite1h }),
  };
}
const hourly = (details: WireUsage["cacheDetails"]): number =>
  Array.isArray(details)
    ? details.filter(isJson).reduce((sum, { ttl, inputTokens }) => (ttl === "1h" ? sum + tokens(inputTokens) : sum), 0)
    : 0;
