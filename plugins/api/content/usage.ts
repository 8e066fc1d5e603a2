import { inputTokens, isJson, type Json, outputTokens, type Usage, type UsagePart } from "#contract";
import { count } from "./wire.ts";

/** Where providers put a part: its first home that holds a number counts. */
type Homes = readonly { readonly parent: string | null; readonly member: string }[];
const CACHED: Homes = [
  { parent: "prompt_tokens_details", member: "cached_tokens" },
  { parent: "prompt_token_details", member: "cached_tokens" },
  { parent: null, member: "prompt_cache_hit_tokens" },
  { parent: null, member: "cached_tokens" },
  { parent: null, member: "num_cached_tokens" },
];
const WRITTEN: Homes = [
  { parent: "prompt_tokens_details", member: "cache_creation_input_tokens" },
  { parent: "prompt_tokens_details", member: "cache_write_tokens" },
  { parent: null, member: "cache_creation_input_tokens" },
];
const REASONED: Homes = [
  { parent: "completion_tokens_details", member: "reasoning_tokens" },
  { parent: null, member: "reasoning_tokens" },
];
const AUDIO_IN: Homes = [{ parent: "prompt_tokens_details", member: "audio_tokens" }];
const AUDIO_OUT: Homes = [{ parent: "completion_tokens_details", member: "audio_tokens" }];

function read(wire: Json, homes: Homes): number {
  for (const { parent, member } of homes) {
    const home = parent === null ? wire : wire[parent];
    const found = isJson(home) ? count(home[member]) : undefined;
    if (found !== undefined) return found;
  }
  return 0;
}

/** Splits a chat `usage` object into disjoint parts whose sum is the provider's total. */
export function usageOf(wire: unknown): Usage | undefined {
  if (!isJson(wire)) return undefined;
  const prompt = count(wire["prompt_tokens"]);
  const completion = count(wire["completion_tokens"]);
  if (prompt === undefined && completion === undefined) return undefined;
  const usage: Parts = {};
  addInput(usage, wire, prompt ?? 0);
  addOutput(usage, wire, prompt ?? 0, completion ?? 0);
  return usage;
}

function addInput(usage: Parts, wire: Json, prompt: number): void {
  const cacheRead = read(wire, CACHED);
  // xAI counts cached tokens beside the prompt when they exceed it.
  const total = cacheRead > prompt ? prompt + cacheRead : prompt;
  const cacheWrite5m = Math.min(read(wire, WRITTEN), total - cacheRead);
  const inputAudio = Math.min(read(wire, AUDIO_IN), total - cacheRead - cacheWrite5m);
  usage.input = total - cacheRead - cacheWrite5m - inputAudio;
  if (cacheRead) usage.cacheRead = cacheRead;
  if (cacheWrite5m) usage.cacheWrite5m = cacheWrite5m;
  if (inputAudio) usage.inputAudio = inputAudio;
}

function addOutput(usage: Parts, wire: Json, prompt: number, completion: number): void {
  const reasoning = read(wire, REASONED);
  const total = isBeside(reasoning, completion, prompt, count(wire["total_tokens"])) ? completion + reasoning : completion;
  const outputAudio = Math.min(read(wire, AUDIO_OUT), total - reasoning);
  usage.output = total - reasoning - outputAudio;
  if (reasoning) usage.reasoning = reasoning;
  if (outputAudio) usage.outputAudio = outputAudio;
}

/** Most providers count reasoning inside completion_tokens; xAI, and Gemini behind others, count it beside them. */
const isBeside = (reasoning: number, completion: number, prompt: number, total: number | undefined): boolean =>
  reasoning > completion || (reasoning > 0 && total !== undefined && total >= prompt + completion + reasoning);

/** The plain parts always, the special ones when there are any. */
type Parts = { [P in UsagePart]?: number };

/** The chat `usage` object of a folded answer. */
export function usageBody(usage: Usage): Json {
  const prompt = inputTokens(usage);
  const completion = outputTokens(usage);
  const written = (usage.cacheWrite5m ?? 0) + (usage.cacheWrite1h ?? 0);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: usage.cacheRead ?? 0, audio_tokens: usage.inputAudio ?? 0 },
    completion_tokens_details: { reasoning_tokens: usage.reasoning ?? 0, audio_tokens: usage.outputAudio ?? 0 },
    ...((written > 0 || (usage.cacheRead ?? 0) > 0) && {
      cache_read_input_tokens: usage.cacheRead ?? 0,
      cache_creation_input_tokens: written,
    }),
  };
}
