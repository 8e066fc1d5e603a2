import { type ModelTraits as ClaudeTraits, traitsOf as claudeTraitsOf } from "../wires/anthropic/traits.ts";

/** What the workspace's catalogue lists for Bedrock; other model ids, inference profiles and ARNs work as well. */
export const models = [
  "anthropic.claude-opus-4-6-v1",
  "anthropic.claude-sonnet-4-5-20250929-v1:0",
  "anthropic.claude-haiku-4-5-20251001-v1:0",
  "amazon.nova-2-lite-v1:0",
  "amazon.nova-pro-v1:0",
  "amazon.nova-lite-v1:0",
  "amazon.nova-micro-v1:0",
  "meta.llama3-3-70b-instruct-v1:0",
  "mistral.mistral-large-2407-v1:0",
  "openai.gpt-oss-120b-1:0",
  "amazon.titan-embed-text-v2:0",
  "amazon.titan-embed-image-v1",
  "cohere.embed-english-v3",
  "cohere.embed-multilingual-v3",
] as const;

/** Geography of a cross-region inference profile. */
const GEOGRAPHY = /^(us|us-gov|eu|apac|au|ca|jp|global)\./;

/** `arn:…:inference-profile/us.anthropic.claude-x` -> `anthropic.claude-x`: what the model's vendor and name are read from. */
export function bareModel(model: string): string {
  const name = model.startsWith("arn:") ? model.slice(model.lastIndexOf("/") + 1) : model;
  return name.replace(GEOGRAPHY, "");
}
/** `anthropic`, `amazon`, `cohere` …; empty when the id does not tell (an application inference profile). */
export function familyOf(model: string): string {
  const bare = bareModel(model);
  return bare.includes(".") ? bare.slice(0, bare.indexOf(".")) : "";
}

export const mayBeClaude = (model: string): boolean => ["anthropic", ""].includes(familyOf(model));

/** What differs between models and changes with every release, so it is data. */
export interface ModelTraits {
  /** How reasoning is asked for: in Claude's way, in Nova's, by an effort alone, or not at all. */
  readonly reasoning: "claude" | "nova" | "effort" | "none";
  /** Accepts `outputConfig.textFormat`, and tools that are `strict`. */
  readonly structured: boolean;
  /** How far a tool call can be demanded: of one tool, of any tool, or not at all. */
  readonly forces: "tool" | "any" | "none";
}
const PLAIN: ModelTraits = { reasoning: "none", structured: false, forces: "any" };
const CLAUDE: ModelTraits = { ...PLAIN, reasoning: "claude", forces: "tool" };

/** By the id without geography. The first match counts. */
const MODELS: readonly (readonly [RegExp, ModelTraits])[] = [
  [/^anthropic\.claude-[a-z]+-4-[56]/, { ...CLAUDE, structured: true }], // 2026-09: newer ones refuse structured output
  [/^anthropic\./, CLAUDE],
  [/^amazon\.nova-2/, { ...PLAIN, reasoning: "nova", forces: "tool" }],
  [/^amazon\./, { ...PLAIN, forces: "tool" }],
  [/^openai\./, { ...PLAIN, reasoning: "effort" }],
  [/^meta\./, { ...PLAIN, forces: "none" }],
];

export const traitsOf = (model: string): ModelTraits => {
  const bare = bareModel(model);
  return MODELS.find(([name]) => name.test(bare))?.[1] ?? PLAIN;
};

/** No Claude that is known to be one: nothing is asked of it in Claude's way but what the client itself says. */
const UNKNOWN: ClaudeTraits = { maxTokens: Number.MAX_SAFE_INTEGER, thinking: "none", efforts: {}, sampling: true, structured: false };
/** What Claude can do here, when the model is one. */
export function claudeTraits(model: string): ClaudeTraits {
  const { reasoning, structured } = traitsOf(model);
  return reasoning === "claude" ? { ...claudeTraitsOf(model), structured } : UNKNOWN;
}
