import { type AdapterInput, defineAdapter, isJson, type Json, mapBody, travellingMembers } from "#contract";
import type { ModelRequest } from "../wires/anthropic/traits.ts";
import { CLAUDE_LACKS } from "../wires/anthropic/lacks.ts";
import { stopsOf } from "../wires/anthropic/stops.ts";
import { chatRequest } from "../wires/chat/request.ts";
import type { Lack } from "../wires/chat/lacks.ts";
import type { Block } from "./blocks.ts";
import { claudeTraits, familyOf, mayBeClaude } from "./families.ts";
import { systemOf, type Turn, turnsOf } from "./messages.ts";
import { FAMILY_MEMBERS, modelFieldsOf } from "./model-fields.ts";
import { modelPath, plainModel } from "./model-path.ts";
import { type ConverseState, converseStream, reply } from "./reply.ts";
import { outputConfigOf } from "./structured.ts";
import { maxTokensOf, mayTune } from "./thinking.ts";
import { hasTools, toolConfigOf } from "./tools.ts";

interface ConverseRequest {
  readonly system: readonly Block[];
  readonly messages: readonly Turn[];
  readonly inferenceConfig: Json;
  readonly toolConfig: Json;
  readonly outputConfig: Json;
  readonly guardrailConfig: unknown;
  readonly performanceConfig: unknown;
  readonly requestMetadata: unknown;
  readonly serviceTier: unknown;
  readonly additionalModelRequestFields: Json;
  readonly additionalModelResponseFieldPaths: unknown;
}
/** The wire's members that have a second spelling, or are mapped besides the chat form's. */
const ALSO_MAPPED = [
  ...FAMILY_MEMBERS,
  "inferenceConfig",
  "guardrail_config",
  "performance_config",
  "additional_model_request_fields",
  "additional_model_response_field_paths",
];

const toConverse = mapBody<ModelRequest, ConverseRequest>({
  system: (b) => systemOf(b.messages),
  messages: (b) =>
    turnsOf(b.messages, {
      asBlocks: hasTools(b),
      id: familyOf(b.model) === "mistral" ? mistralId : wireId,
      thoughts: mayBeClaude(b.model),
    }),
  inferenceConfig,
  toolConfig: toolConfigOf,
  outputConfig: outputConfigOf,
  guardrailConfig: (b) => b.guardrailConfig ?? b.guardrail_config,
  performanceConfig: (b) => b.performanceConfig ?? b.performance_config,
  requestMetadata: (b) => b.requestMetadata ?? textsOf(b.metadata),
  serviceTier: (b) => (isJson(b.serviceTier) ? b.serviceTier : tierOf(b.service_tier)),
  additionalModelRequestFields: modelFieldsOf,
  additionalModelResponseFieldPaths: (b) => b.additionalModelResponseFieldPaths ?? b.additional_model_response_field_paths,
});

const tierOf = (tier: unknown): Json | undefined =>
  typeof tier === "string" && Object.hasOwn(SERVICE_TIERS, tier) ? SERVICE_TIERS[tier] : undefined;
/** OpenAI's tiers that Bedrock has; `auto` is what it does by itself. */
const SERVICE_TIERS: Readonly<Record<string, Json>> = {
  default: { type: "default" },
  flex: { type: "flex" },
  priority: { type: "priority" },
  reserved: { type: "reserved" },
};

const toInferenceConfig = mapBody<ModelRequest, Json>({
  maxTokens: maxTokensOf,
  temperature: (b) => (mayTune(b) && typeof b.temperature === "number" ? Math.min(b.temperature, 1) : undefined),
  topP: (b) => (mayTune(b) && !isBesideTemperature(b) ? (b.top_p ?? undefined) : undefined),
  stopSequences: stopsOf,
});
/** Claude takes one of the two. */
const isBesideTemperature = (b: ModelRequest): boolean => familyOf(b.model) === "anthropic" && typeof b.temperature === "number";

/** The wire's own `inferenceConfig` in the body wins over what the chat members mean. */
function inferenceConfig(body: ModelRequest): Json | undefined {
  const config = { ...toInferenceConfig(body), ...(isJson(body.inferenceConfig) && body.inferenceConfig) };
  return Object.keys(config).length > 0 ? config : undefined;
}
/** The wire's metadata holds texts only. */
function textsOf(metadata: unknown): Json | undefined {
  const texts = isJson(metadata) ? Object.entries(metadata).filter(([, value]) => typeof value === "string") : [];
  return texts.length > 0 ? Object.fromEntries(texts) : undefined;
}

/** Other vendors' call ids (`functions.weather:0`) have characters that this wire refuses, or too many. */
const wireId = (id: unknown): string =>
  String(id)
    .slice(-64)
    .replace(/[^\w-]/g, "_");
/** Characters of an id that are looked at: a client may send millions. */
const LONGEST_ID = 256;
/** Mistral wants nine letters and digits; ids differ at their end. */
const mistralId = (id: unknown): string =>
  String(id)
    .slice(-LONGEST_ID)
    .replace(/[^A-Za-z0-9]/g, "")
    .slice(-9)
    .padStart(9, "0");

const LACKS = ["logprobs", "speech", "hearing", "webSearch", "keptFiles", "functionTurns"] as const;
/** Cohere's models are told how many answers are wanted. */
const lacksOf = (model: string): readonly Lack[] =>
  familyOf(model) === "cohere" ? LACKS : [...LACKS, ...(familyOf(model) === "anthropic" ? CLAUDE_LACKS : (["choices"] as const))];

function request(body: Json, { target }: AdapterInput): Json {
  // validated as ChatBody at the edge; the nested members are read with care
  const model = plainModel(target.model);
  const request = { ...chatRequest(body, "bedrock", lacksOf(model)), model, traits: claudeTraits(model) } as unknown as ModelRequest;
  return { ...travellingMembers(body, ALSO_MAPPED), ...toConverse(request) };
}

/** Chat completions over Converse and ConverseStream. */
export const chat = defineAdapter<ConverseState>({
  path: (_body, { target, stream }) => `${modelPath(target.model)}/${stream ? "converse-stream" : "converse"}`,
  headers: (_body, { stream }) => ({ accept: stream ? "application/vnd.amazon.eventstream" : "application/json" }),
  frames: "aws-eventstream",
  request,
  reply,
  stream: converseStream,
});
