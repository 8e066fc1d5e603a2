import type { ChatRequest, Json } from "#contract";
import { traitsOf } from "./families.ts";

const MIN_BUDGET = 1024;
/** Share of the answer's tokens that each `reasoning_effort` may think. */
const SHARE: Readonly<Record<string, number>> = { minimal: 0.1, low: 0.2, medium: 0.5, high: 0.8, xhigh: 0.8 };
/** Tokens the shares are taken of when the request sets no limit, and tokens left for the answer then. */
const UNLIMITED = 8_192;
const FOR_ANSWER = 4_096;

/** Nova and gpt-oss know three efforts. */
const EFFORTS: Readonly<Record<string, string>> = { minimal: "low", low: "low", medium: "medium", high: "high", xhigh: "high" };

interface Thinking extends Json {
  readonly type: string;
  readonly budget_tokens?: number;
}

/** `thinking` of Claude: the client's own, else what `reasoning_effort` means for this model. */
export function thinkingOf(body: ChatRequest): Thinking | undefined {
  if (body.thinking) return given(body.thinking);
  const { thinking } = traitsOf(body.model);
  const effort = body.reasoning_effort;
  if (!effort || (thinking !== "adaptive" && thinking !== "budget")) return undefined;
  if (effort === "none") return { type: "disabled" };
  return thinking === "adaptive" ? { type: "adaptive" } : budgeted(SHARE[effort], limitOf(body));
}
const given = (thinking: NonNullable<ChatRequest["thinking"]>): Thinking =>
  thinking.type === "enabled" && thinking.budget_tokens === undefined ? { ...thinking, budget_tokens: MIN_BUDGET } : { ...thinking };
const budgeted = (share: number | undefined, limit = UNLIMITED): Thinking | undefined =>
  share === undefined ? undefined : { type: "enabled", budget_tokens: Math.max(MIN_BUDGET, Math.floor(limit * share)) };

const limitOf = (body: ChatRequest): number | undefined => body.max_tokens ?? body.max_completion_tokens ?? undefined;

/** Claude must be told a limit above the budget it thinks with; Nova at its highest effort must be told none. */
export function maxTokensOf(body: ChatRequest): number | undefined {
  if (isNovaAtHighest(body)) return undefined;
  const asked = limitOf(body);
  const budget = thinkingOf(body)?.budget_tokens;
  if (budget === undefined) return asked;
  if (asked === undefined) return budget + FOR_ANSWER;
  return asked > budget ? asked : asked + budget;
}

export const isClaudeThinking = (body: ChatRequest): boolean => ["enabled", "adaptive"].includes(thinkingOf(body)?.type ?? "");

/** Temperature, top_p and top_k are refused while thinking, and by the newest models always. */
export const mayTune = (body: ChatRequest): boolean => traitsOf(body.model).sampling && !isClaudeThinking(body) && !isNovaAtHighest(body);

/** `output_config.effort`, for Claude models that decide themselves how long to think. */
export function effortOf({ model, reasoning_effort: effort }: ChatRequest): string | undefined {
  if (!effort || effort === "none" || traitsOf(model).thinking !== "adaptive") return undefined;
  return effort === "minimal" ? "low" : effort;
}

/** `reasoningConfig` of Nova. */
export function novaReasoning({ model, reasoning_effort: effort }: ChatRequest): Json | undefined {
  if (!effort || traitsOf(model).thinking !== "nova") return undefined;
  if (effort === "none") return { type: "disabled" };
  return EFFORTS[effort] === undefined ? undefined : { type: "enabled", maxReasoningEffort: EFFORTS[effort] };
}
const isNovaAtHighest = (body: ChatRequest): boolean => novaReasoning(body)?.maxReasoningEffort === "high";

/** `reasoning_effort` of OpenAI's open models. */
export const openEffort = ({ model, reasoning_effort: effort }: ChatRequest): string | undefined =>
  effort && traitsOf(model).thinking === "effort" ? EFFORTS[effort] : undefined;
