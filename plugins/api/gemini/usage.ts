import { inputTokens, isJson, type Json, tokens, type Usage } from "#contract";
import { objects } from "./wire.ts";

/**
 * The counts of `usageMetadata`, made disjoint: the prompt holds what was cached, counts by modality are parts of the
 * totals, thoughts stand beside the candidates. Early chunks of a stream count nothing.
 */
export function usageOf(wire: unknown): Usage | undefined {
  if (!isJson(wire) || wire.promptTokenCount === undefined) return undefined;
  const prompt = tokens(wire.promptTokenCount) + tokens(wire.toolUsePromptTokenCount);
  const candidates = tokens(wire.candidatesTokenCount);
  const cacheRead = Math.min(tokens(wire.cachedContentTokenCount), prompt);
  const inputAudio = clamped(audio(wire.promptTokensDetails) - audio(wire.cacheTokensDetails), prompt - cacheRead);
  const outputAudio = clamped(audio(wire.candidatesTokensDetails), candidates);
  return {
    input: prompt - cacheRead - inputAudio,
    cacheRead,
    output: candidates - outputAudio,
    reasoning: tokens(wire.thoughtsTokenCount),
    ...(inputAudio > 0 && { inputAudio }),
    ...(outputAudio > 0 && { outputAudio }),
  };
}
/** A part is never more than its whole. */
const clamped = (part: number, whole: number): number => Math.min(Math.max(part, 0), whole);
const audio = (details: unknown): number =>
  objects(details).reduce((total, { modality, tokenCount }) => (modality === "AUDIO" ? total + tokens(tokenCount) : total), 0);

/** The `usageMetadata` of an answer. */
export function usageBody(usage: Usage): Json {
  const promptTokenCount = inputTokens(usage);
  const candidatesTokenCount = (usage.output ?? 0) + (usage.outputAudio ?? 0);
  const thoughts = usage.reasoning ?? 0;
  return {
    promptTokenCount,
    candidatesTokenCount,
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
    ...((usage.cacheRead ?? 0) > 0 && { cachedContentTokenCount: usage.cacheRead }),
    totalTokenCount: promptTokenCount + candidatesTokenCount + thoughts,
  };
}
