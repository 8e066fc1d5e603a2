import type { ChatRequest } from "#contract";

/** What differs between models and changes with every release, so it is data. */
export interface ModelTraits {
  /** Most output tokens; also the default, because the wire wants `max_tokens` always. */
  readonly maxTokens: number;
  /** How thinking is asked for; `always`: as `adaptive`, and it cannot be turned off. */
  readonly thinking: "adaptive" | "always" | "budget" | "none";
  /** `output_config.effort` for each `reasoning_effort` whose name is not taken as it is. */
  readonly efforts: Readonly<Record<string, string>>;
  /** Accepts temperature, top_p and top_k. */
  readonly sampling: boolean;
  /** Accepts `output_config.format`, and tools that are `strict`. */
  readonly structured: boolean;
}

const EFFORTS = { minimal: "low" } as const;
/** Before 4.7 the step between high and max has no name. */
const EFFORTS_4_6 = { ...EFFORTS, xhigh: "max" } as const;
const plain = { efforts: EFFORTS, sampling: true, structured: false } as const;

/** The first match counts. */
const MODELS: readonly (readonly [RegExp, ModelTraits])[] = [
  [/claude-(fable|mythos)-[5-9]/, { ...plain, maxTokens: 128_000, thinking: "always", sampling: false, structured: true }],
  [/claude-(opus-4-[78]|[a-z]+-[5-9])/, { ...plain, maxTokens: 128_000, thinking: "adaptive", sampling: false, structured: true }],
  [/claude-[a-z]+-4-6/, { ...plain, maxTokens: 128_000, thinking: "adaptive", efforts: EFFORTS_4_6, structured: true }],
  [/claude-[a-z]+-4-5/, { ...plain, maxTokens: 64_000, thinking: "budget", structured: true }],
  [/claude-opus-4-1/, { ...plain, maxTokens: 32_000, thinking: "budget", structured: true }],
  [/claude-opus-4/, { ...plain, maxTokens: 32_000, thinking: "budget" }],
  [/claude-(sonnet-4|3-7-sonnet)/, { ...plain, maxTokens: 64_000, thinking: "budget" }],
  [/claude-3-5/, { ...plain, maxTokens: 8_192, thinking: "none" }],
  [/claude-(3|2|1|v|instant)/, { ...plain, maxTokens: 4_096, thinking: "none" }],
  [/claude/, { ...plain, maxTokens: 128_000, thinking: "adaptive", structured: true }],
];
/** A server that speaks this wire with another vendor's models. */
const FOREIGN: ModelTraits = { ...plain, maxTokens: 4_096, thinking: "budget" };

export const traitsOf = (model: string): ModelTraits => MODELS.find(([name]) => name.test(model))?.[1] ?? FOREIGN;

/** A chat request, and what the model it names can do where it is asked. */
export interface ModelRequest extends ChatRequest {
  readonly traits: ModelTraits;
}
