import { tokens, type Usage } from "#contract";

export interface WireUsage {
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
  readonly cache_creation?: { readonly ephemeral_5m_input_tokens?: number; readonly ephemeral_1h_input_tokens?: number } | null;
  readonly output_tokens_details?: { readonly thinking_tokens?: number } | null;
}
/** Only the first report of a stream says how cache writes split; the last one repeats their total. */
export interface CacheSplit {
  write1h: number;
}

/** The wire's counts, already disjoint on the input side. Counts that are not reported stay away. */
export function usageOf(wire: WireUsage, split: CacheSplit): Usage {
  const parts = { input: wire.input_tokens, cacheRead: wire.cache_read_input_tokens, ...written(wire, split), ...answered(wire) };
  return Object.fromEntries(Object.entries(parts).flatMap(([part, count]) => (typeof count === "number" ? [[part, tokens(count)]] : [])));
}

function written({ cache_creation: detail, cache_creation_input_tokens: total }: WireUsage, split: CacheSplit) {
  if (detail) split.write1h = detail.ephemeral_1h_input_tokens ?? 0;
  const all = total ?? (detail && (detail.ephemeral_5m_input_tokens ?? 0) + split.write1h);
  if (typeof all !== "number") return {};
  const cacheWrite1h = Math.min(split.write1h, all);
  return { cacheWrite5m: all - cacheWrite1h, cacheWrite1h };
}
function answered({ output_tokens: total, output_tokens_details: detail }: WireUsage) {
  const thought = detail?.thinking_tokens;
  return typeof total === "number" && typeof thought === "number"
    ? { output: total - Math.min(thought, total), reasoning: Math.min(thought, total) }
    : { output: total };
}
