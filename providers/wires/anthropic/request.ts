import { type ChatRequest, isJson, type Json, mapBody, travellingMembers } from "#contract";
import type { Block } from "./blocks.ts";
import { systemOf, type Turn, turnsOf } from "./messages.ts";
import { effortOf, maxTokensOf, mayTune, type Thinking, thinkingOf } from "./thinking.ts";
import { stopsOf } from "./stops.ts";
import { formatOf, toolChoiceOf, toolsOf } from "./tools.ts";
import { type ModelRequest, type ModelTraits, traitsOf } from "./traits.ts";

interface MessagesRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly system: readonly Block[];
  readonly messages: readonly Turn[];
  readonly temperature: number;
  readonly top_p: number;
  readonly top_k: number;
  readonly stop_sequences: readonly string[];
  readonly stream: boolean;
  readonly thinking: Thinking;
  readonly output_config: Json;
  readonly tools: readonly Json[];
  readonly tool_choice: Json;
  readonly metadata: Json;
  readonly service_tier: string;
}

/** Whom a request goes to, and how. */
interface To {
  readonly model: string;
  readonly stream: boolean;
  /** What the model can do there; default: what it can do at Anthropic. */
  readonly traits?: ModelTraits;
}

/** A chat request as the body of a message request. */
export function messagesRequest(body: Json, { model, stream, traits = traitsOf(model) }: To): Json {
  // validated as ChatBody at the edge; the nested members are read with care below
  const request = { ...body, model, stream, traits } as unknown as ModelRequest;
  return { ...travellingMembers(body, ["output_config"]), ...toMessages(request) };
}

const toMessages = mapBody<ModelRequest, MessagesRequest>({
  model: (b) => b.model || undefined,
  max_tokens: maxTokensOf,
  system: (b) => systemOf(b.messages),
  messages: (b) => turnsOf(b.messages),
  temperature: (b) => (mayTune(b) && typeof b.temperature === "number" ? Math.min(Math.max(b.temperature, 0), 1) : undefined),
  // beside a temperature it is refused
  top_p: (b) => (mayTune(b) && typeof b.temperature !== "number" ? (b.top_p ?? undefined) : undefined),
  top_k: (b) => (mayTune(b) ? (b.top_k ?? undefined) : undefined),
  stop_sequences: stopsOf,
  stream: (b) => b.stream || undefined,
  thinking: thinkingOf,
  output_config: outputConfig,
  tools: toolsOf,
  tool_choice: toolChoiceOf,
  metadata: metadataOf,
  service_tier: (b) => tierOf(b.service_tier),
});

const tierOf = (tier: unknown): string | undefined =>
  typeof tier === "string" && Object.hasOwn(SERVICE_TIERS, tier) ? SERVICE_TIERS[tier] : undefined;
/** OpenAI's tiers in Anthropic's words; the others have no counterpart. */
const SERVICE_TIERS: Readonly<Record<string, string>> = {
  auto: "auto",
  default: "standard_only",
  standard: "standard_only",
  standard_only: "standard_only",
};

function outputConfig(body: ModelRequest): Json | undefined {
  const effort = effortOf(body);
  const format = formatOf(body);
  const own = isJson(body.output_config) ? body.output_config : {};
  const config = { ...(effort && { effort }), ...(format && { format }), ...own };
  return Object.keys(config).length > 0 ? config : undefined;
}
/** The wire takes only `user_id`; OpenAI's free metadata would be refused. */
function metadataOf(body: ChatRequest): Json | undefined {
  const user = body.user ?? (isJson(body.metadata) ? body.metadata.user_id : undefined);
  return typeof user === "string" ? { user_id: user } : undefined;
}
