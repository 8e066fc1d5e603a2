import { isJson, type Json, tokens, type Usage, type UsagePart } from "#contract";

/** Only the first report of a stream says how cache writes split; the last one repeats their total. */
export interface CacheSplit {
  write1h: number;
}

/** The counts of a `usage` object, disjoint on the input side already. What is not reported stays away. */
export function usageOf(wire: unknown, split: CacheSplit): Usage | undefined {
  if (!isJson(wire)) return undefined;
  const usage: { [P in UsagePart]?: number } = {};
  if (isCount(wire.input_tokens)) usage.input = tokens(wire.input_tokens);
  if (isCount(wire.cache_read_input_tokens)) usage.cacheRead = tokens(wire.cache_read_input_tokens);
  addWritten(usage, wire, split);
  addOutput(usage, wire);
  return usage;
}

function addWritten(usage: { [P in UsagePart]?: number }, wire: Json, split: CacheSplit): void {
  const detail = wire.cache_creation;
  if (isJson(detail)) split.write1h = tokens(detail.ephemeral_1h_input_tokens);
  const detailed = isJson(detail) ? tokens(detail.ephemeral_5m_input_tokens) + split.write1h : undefined;
  const total = isCount(wire.cache_creation_input_tokens) ? tokens(wire.cache_creation_input_tokens) : detailed;
  if (total === undefined) return;
  usage.cacheWrite1h = Math.min(split.write1h, total);
  usage.cacheWrite5m = total - usage.cacheWrite1h;
}

function addOutput(usage: { [P in UsagePart]?: number }, wire: Json): void {
  if (!isCount(wire.output_tokens)) return;
  const total = tokens(wire.output_tokens);
  const thought = isJson(wire.output_tokens_details) ? wire.output_tokens_details.thinking_tokens : undefined;
  usage.output = total;
  if (!isCount(thought)) return;
  usage.reasoning = Math.min(tokens(thought), total);
  usage.output = total - usage.reasoning;
}
const isCount = (value: unknown): value is number => typeof value === "number";

/** The `usage` object of an answer. Clients read its members without asking whether they are there. */
export function usageBody(usage: Usage = {}): Json {
  const written1h = usage.cacheWrite1h ?? 0;
  const written5m = usage.cacheWrite5m ?? 0;
  return {
    input_tokens: (usage.input ?? 0) + (usage.inputAudio ?? 0),
    cache_creation_input_tokens: written5m + written1h,
    cache_read_input_tokens: usage.cacheRead ?? 0,
    ...(written1h > 0 && { cache_creation: { ephemeral_5m_input_tokens: written5m, ephemeral_1h_input_tokens: written1h } }),
    output_tokens: (usage.output ?? 0) + (usage.outputAudio ?? 0) + (usage.reasoning ?? 0),
    ...(usage.reasoning !== undefined && { output_tokens_details: { thinking_tokens: usage.reasoning } }),
  };
}
