import type { ChatRequest, Json } from "#contract";
import type { ModelRequest } from "./traits.ts";

/** `thinking` of the wire; members the gateway does not know travel on. */
export interface Thinking extends Json {
  readonly type: string;
  readonly budget_tokens?: number;
}

const MIN_BUDGET = 1024;
/** Share of the model's most output tokens that each `reasoning_effort` may think. */
const SHARE: Readonly<Record<string, number>> = { minimal: 0.02, low: 0.1, medium: 0.3, high: 0.6, xhigh: 0.9, max: 0.9 };

/** The client's own `thinking`, else what `reasoning_effort` means for this model. */
export function thinkingOf(body: ModelRequest): Thinking | undefined {
  if (body.thinking) return given(body.thinking);
  const { thinking, maxTokens } = body.traits;
  const effort = body.reasoning_effort;
  if (!effort || thinking === "none") return undefined;
  if (effort === "none") return { type: "disabled" };
  if (thinking === "adaptive") return { type: "adaptive" };
  const share = SHARE[effort];
  return share === undefined ? undefined : { type: "enabled", budget_tokens: Math.max(MIN_BUDGET, Math.round(maxTokens * share)) };
}
const given = (thinking: NonNullable<ChatRequest["thinking"]>): Thinking =>
  thinking.type === "enabled" && thinking.budget_tokens === undefined ? { ...thinking, budget_tokens: MIN_BUDGET } : { ...thinking };

/** `output_config.effort`, for models that decide themselves how long to think. */
export function effortOf(body: ModelRequest): string | undefined {
  const effort = body.reasoning_effort;
  if (!effort || effort === "none" || body.traits.thinking !== "adaptive") return undefined;
  return effort === "minimal" ? "low" : effort;
}

export const isThinking = (body: ModelRequest): boolean => ["enabled", "adaptive"].includes(thinkingOf(body)?.type ?? "");

/** The wire demands `max_tokens`, and more of them than may be thought. */
export function maxTokensOf(body: ModelRequest): number {
  const most = body.traits.maxTokens;
  const asked = body.max_tokens ?? body.max_completion_tokens ?? most;
  const budget = thinkingOf(body)?.budget_tokens ?? 0;
  return asked > budget ? asked : Math.min(asked + budget, most);
}

/** Temperature, top_p and top_k are refused while thinking, and by the newest models always. */
export const mayTune = (body: ModelRequest): boolean => body.traits.sampling && !isThinking(body);
