import { inputTokens, isJson, type Json, outputTokens, type Usage, USAGE_PARTS, type UsagePart } from "#contract";
import { count, object } from "./wire.ts";

/** Where providers put a part: its first home that holds a number counts. */
type Homes = readonly (readonly [parent: string | null, member: string])[];
const CACHED: Homes = [
  ["prompt_tokens_details", "cached_tokens"],
  ["prompt_token_details", "cached_tokens"],
  [null, "prompt_cache_hit_tokens"],
  [null, "cached_tokens"],
  [null, "num_cached_tokens"],
];
const WRITTEN: Homes = [
  ["prompt_tokens_details", "cache_creation_input_tokens"],
  ["prompt_tokens_details", "cache_write_tokens"],
  [null, "cache_creation_input_tokens"],
];
const REASONED: Homes = [
  ["completion_tokens_details", "reasoning_tokens"],
  [null, "reasoning_tokens"],
];
const AUDIO_IN: Homes = [["prompt_tokens_details", "audio_tokens"]];
const AUDIO_OUT: Homes = [["completion_tokens_details", "audio_tokens"]];

function read(wire: Json, homes: Homes): number {
  for (const [parent, member] of homes) {
    const found = count((parent === null ? wire : object(wire[parent]))[member]);
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
  return { ...inputParts(wire, prompt ?? 0), ...outputParts(wire, prompt ?? 0, completion ?? 0) };
}

function inputParts(wire: Json, prompt: number): Usage {
  const cacheRead = read(wire, CACHED);
  // xAI counts cached tokens beside the prompt when they exceed it (provider fact sheet B.3).
  const total = cacheRead > prompt ? prompt + cacheRead : prompt;
  const cacheWrite5m = Math.min(read(wire, WRITTEN), total - cacheRead);
  const inputAudio = Math.min(read(wire, AUDIO_IN), total - cacheRead - cacheWrite5m);
  return parts({ cacheRead, cacheWrite5m, inputAudio }, { input: total - cacheRead - cacheWrite5m - inputAudio });
}

function outputParts(wire: Json, prompt: number, completion: number): Usage {
  const reasoning = read(wire, REASONED);
  const total = isBeside(reasoning, completion, prompt, count(wire["total_tokens"])) ? completion + reasoning : completion;
  const outputAudio = Math.min(read(wire, AUDIO_OUT), total - reasoning);
  return parts({ reasoning, outputAudio }, { output: total - reasoning - outputAudio });
}

/** Most providers count reasoning inside completion_tokens; xAI, and Gemini behind others, count it beside them. */
const isBeside = (reasoning: number, completion: number, prompt: number, total: number | undefined): boolean =>
  reasoning > completion || (reasoning > 0 && total !== undefined && total >= prompt + completion + reasoning);

type Parts = { [P in UsagePart]?: number };
/** The plain part always, the special ones when there are any. */
function parts(special: Parts, plain: Parts): Usage {
  const kept = { ...plain };
  for (const part of USAGE_PARTS) if (special[part]) kept[part] = special[part];
  return kept;
}

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
