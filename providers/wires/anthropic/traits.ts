import type { ChatRequest } from "#contract";

/** What differs between models and changes with every release, so it is data. */
export interface ModelTraits {
  /** Most output tokens; also the default, because the wire wants `max_tokens` always. */
  readonly maxTokens: number;
  /** How thinking is asked for. */
  readonly thinking: "adaptive" | "budget" | "none";
  /** Accepts temperature, top_p and top_k. */
  readonly sampling: boolean;
  /** Accepts `output_config.format`. */
  readonly structured: boolean;
}

/** The first match counts. */
const MODELS: readonly (readonly [RegExp, ModelTraits])[] = [
  [/claude-(opus-4-[78]|[a-z]+-[5-9])/, { maxTokens: 128_000, thinking: "adaptive", sampling: false, structured: true }],
  [/claude-[a-z]+-4-6/, { maxTokens: 128_000, thinking: "adaptive", sampling: true, structured: true }],
  [/claude-[a-z]+-4-5/, { maxTokens: 64_000, thinking: "budget", sampling: true, structured: true }],
  [/claude-opus-4-1/, { maxTokens: 32_000, thinking: "budget", sampling: true, structured: true }],
  [/claude-opus-4/, { maxTokens: 32_000, thinking: "budget", sampling: true, structured: false }],
  [/claude-(sonnet-4|3-7-sonnet)/, { maxTokens: 64_000, thinking: "budget", sampling: true, structured: false }],
  [/claude-3-5/, { maxTokens: 8_192, thinking: "none", sampling: true, structured: false }],
  [/claude-(3|2|1|v|instant)/, { maxTokens: 4_096, thinking: "none", sampling: true, structured: false }],
  [/claude/, { maxTokens: 128_000, thinking: "adaptive", sampling: true, structured: true }],
];
/** A server that speaks this wire with another vendor's models. */
const FOREIGN: ModelTraits = { maxTokens: 4_096, thinking: "budget", sampling: true, structured: false };

export const traitsOf = (model: string): ModelTraits => MODELS.find(([name]) => name.test(model))?.[1] ?? FOREIGN;

/** A chat request, and what the model it names can do where it is asked. */
export interface ModelRequest extends ChatRequest {
  readonly traits: ModelTraits;
}
