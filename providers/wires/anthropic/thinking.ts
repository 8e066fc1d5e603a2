import { type ChatRequest, type ChatTurn, isJson, type Json, signatureFor } from "#contract";
import type { ModelRequest } from "./traits.ts";

/** `thinking` of the wire; members the gateway does not know travel on. */
export interface Thinking extends Json {
  readonly type: string;
  readonly budget_tokens?: number;
}

const MIN_BUDGET = 1024;
type Shares = Readonly<Record<string, number>>;
/** Share of the client's own limit that each `reasoning_effort` may think: the limit holds thoughts and answer. */
const SHARE: Shares = { minimal: 0.1, low: 0.2, medium: 0.5, high: 0.8, xhigh: 0.9, max: 0.9 };
/** Share of the model's most output tokens, where the client sets no limit. */
const SHARE_OF_MOST: Shares = { minimal: 0.02, low: 0.1, medium: 0.3, high: 0.6, xhigh: 0.9, max: 0.9 };

export const limitOf = (body: ChatRequest): number | undefined => body.max_tokens ?? body.max_completion_tokens ?? undefined;

/** The client's own `thinking`, else what `reasoning_effort` means for this model; none where it would be refused. */
export function thinkingOf(body: ModelRequest): Thinking | undefined {
  const thinking = body.thinking ? given(body.thinking) : byEffort(body);
  return thinking && isOn(thinking) && (forcesTool(body) || isUnsigned(thinking, body)) ? undefined : thinking;
}
const given = (thinking: NonNullable<ChatRequest["thinking"]>): Thinking =>
  thinking.type === "enabled" && thinking.budget_tokens === undefined ? { ...thinking, budget_tokens: MIN_BUDGET } : { ...thinking };

function byEffort(body: ModelRequest): Thinking | undefined {
  const { thinking } = body.traits;
  const effort = body.reasoning_effort;
  if (!effort || thinking === "none") return undefined;
  if (effort === "none") return thinking === "always" ? undefined : { type: "disabled" };
  if (thinking !== "budget") return { type: "adaptive" };
  const budget = budgetFor(effort, body);
  return budget === undefined ? undefined : { type: "enabled", budget_tokens: budget };
}
function budgetFor(effort: string, body: ModelRequest): number | undefined {
  const limit = limitOf(body);
  if (limit === undefined) return budgetOf(body.traits.maxTokens, SHARE_OF_MOST[effort]);
  return limit > MIN_BUDGET ? budgetWithin(limit, effort) : undefined; // no room for the least budget there is
}
const budgetOf = (tokens: number, share: number | undefined): number | undefined =>
  share === undefined ? undefined : Math.max(MIN_BUDGET, Math.floor(tokens * share));
/** What an effort may think within so many tokens of thoughts and answer. */
export const budgetWithin = (limit: number, effort: string): number | undefined => budgetOf(limit, SHARE[effort]);

/** A tool that must be called is refused beside thinking; the call is what the client waits for. */
const forcesTool = ({ tools = [], tool_choice: choice, response_format, traits }: ModelRequest): boolean =>
  (tools.length > 0 && (choice === "required" || isJson(choice))) ||
  response_format?.type === "json_object" ||
  (response_format?.type === "json_schema" && !traits.structured);

/**
 * With a budget, a turn that has called tools goes on only if it began with its signed thoughts. A client of the chat
 * form may not have been shown them, or they were another provider's: such a turn is ended without.
 */
function isUnsigned({ type }: Thinking, { messages }: ModelRequest): boolean {
  const lastQuestion = messages.findLastIndex(({ role }) => role !== "assistant" && role !== "tool");
  const begun = messages[lastQuestion + 1];
  return type === "enabled" && begun?.role === "assistant" && !beginsWithThought(begun);
}
function beginsWithThought({ content_blocks: blocks, content }: Extract<ChatTurn, { role: "assistant" }>): boolean {
  const first = blocks?.[0] ?? (typeof content === "string" ? undefined : content?.[0]);
  return first !== undefined && isSignedThought({ ...first });
}
/** The dialect in which Claude's signatures are native, wherever it runs. */
export const CLAUDE_WIRE = "messages";
/** A thought that Claude's vendor takes back. */
export const isSignedThought = ({ type, signature }: Json): boolean =>
  type === "redacted_thinking" || (type === "thinking" && signatureFor(CLAUDE_WIRE, signature) !== undefined);

/** `output_config.effort`, for models that decide themselves how long to think. */
export function effortOf(body: ModelRequest): string | undefined {
  const effort = body.reasoning_effort;
  const { thinking, efforts } = body.traits;
  if (!effort || thinking === "budget" || thinking === "none") return undefined;
  if (effort === "none") return thinking === "always" ? "low" : undefined;
  return efforts[effort] ?? effort;
}

const isOn = ({ type }: Thinking): boolean => type === "enabled" || type === "adaptive";
export const isThinking = (body: ModelRequest): boolean => isOn(thinkingOf(body) ?? { type: "disabled" });

/** The limit, raised above what may be thought by it where the client set both; the model's most is never passed. */
export function raisedLimit(limit: number, body: ModelRequest): number {
  const budget = thinkingOf(body)?.budget_tokens ?? 0;
  return limit > budget ? limit : Math.min(limit + budget, body.traits.maxTokens);
}
/** The wire demands `max_tokens` always. */
export const maxTokensOf = (body: ModelRequest): number => raisedLimit(limitOf(body) ?? body.traits.maxTokens, body);

/** Temperature, top_p and top_k are refused while thinking, and by the newest models always. */
export const mayTune = (body: ModelRequest): boolean => body.traits.sampling && !isThinking(body);
