import { tokens, type Usage } from "#contract";

interface ModalityCount {
  readonly modality?: string;
  readonly tokenCount?: number;
}
export interface WireUsage {
  readonly promptTokenCount?: number;
  readonly cachedContentTokenCount?: number;
  readonly toolUsePromptTokenCount?: number;
  readonly candidatesTokenCount?: number;
  readonly thoughtsTokenCount?: number;
  readonly promptTokensDetails?: readonly ModalityCount[];
  readonly cacheTokensDetails?: readonly ModalityCount[];
  readonly candidatesTokensDetails?: readonly ModalityCount[];
}

/**
 * The wire's counts, made disjoint: its prompt count holds the cached tokens, its counts by modality are parts of the
 * totals, thoughts stand beside the candidates. Early chunks of a stream report no counts at all.
 */
export function usageOf(wire: WireUsage): Usage | undefined {
  if (wire.promptTokenCount === undefined) return undefined;
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
const audio = (details: readonly ModalityCount[] = []): number =>
  details.reduce((total, { modality, tokenCount }) => (modality === "AUDIO" ? total + tokens(tokenCount) : total), 0);
