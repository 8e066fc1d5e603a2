import type { Json } from "#contract";
import type { ModelRequest } from "../wires/anthropic/traits.ts";
import {
  budgetWithin,
  limitOf,
  mayTune as mayTuneClaude,
  raisedLimit,
  type Thinking,
  thinkingOf as thinkingOfClaude,
} from "../wires/anthropic/thinking.ts";
import { traitsOf } from "./families.ts";

/** Tokens a budget is taken of when the request sets no limit, and tokens left for the answer then: a high limit is counted against the account's quota. */
const UNLIMITED = 8_192;
const FOR_ANSWER = 4_096;

/** Nova and gpt-oss know three efforts. */
const EFFORTS: Readonly<Record<string, string>> = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};

/** `thinking` of Claude: the client's own, else what `reasoning_effort` means for this model. */
export function thinkingOf(body: ModelRequest): Thinking | undefined {
  const thinking = thinkingOfClaude(body);
  const isOurs = thinking?.type === "enabled" && !body.thinking && limitOf(body) === undefined;
  return isOurs ? { ...thinking, budget_tokens: budgetWithin(UNLIMITED, String(body.reasoning_effort)) ?? 0 } : thinking;
}

/** Claude must be told a limit above the budget it thinks with; Nova at its highest effort must be told none. */
export function maxTokensOf(body: ModelRequest): number | undefined {
  if (isNovaAtHighest(body)) return undefined;
  const limit = limitOf(body);
  if (limit !== undefined) return raisedLimit(limit, body);
  const budget = thinkingOf(body)?.budget_tokens;
  return budget === undefined ? undefined : budget + FOR_ANSWER;
}

/** Temperature, top_p and top_k are refused by Claude in places, and by Nova at its highest effort. */
export const mayTune = (body: ModelRequest): boolean => mayTuneClaude(body) && !isNovaAtHighest(body);

/** `reasoningConfig` of Nova. */
export function novaReasoning({ model, reasoning_effort: effort }: ModelRequest): Json | undefined {
  if (!effort || traitsOf(model).reasoning !== "nova") return undefined;
  if (effort === "none") return { type: "disabled" };
  return EFFORTS[effort] === undefined ? undefined : { type: "enabled", maxReasoningEffort: EFFORTS[effort] };
}
const isNovaAtHighest = (body: ModelRequest): boolean => novaReasoning(body)?.maxReasoningEffort === "high";

/** `reasoning_effort` of OpenAI's open models. */
export const openEffort = ({ model, reasoning_effort: effort }: ModelRequest): string | undefined =>
  effort && traitsOf(model).reasoning === "effort" ? EFFORTS[effort] : undefined;
