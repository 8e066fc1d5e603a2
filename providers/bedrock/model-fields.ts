import { isJson, type Json, mapBody } from "#contract";
import type { ModelRequest } from "../wires/anthropic/traits.ts";
import { effortOf } from "../wires/anthropic/thinking.ts";
import { vendorTool } from "../wires/anthropic/tools.ts";
import { familyOf } from "./families.ts";
import { mayTune, novaReasoning, openEffort, thinkingOf } from "./thinking.ts";
import { claudeChoiceOf, isClaudeTool } from "./tools.ts";

/** Members that go into `additionalModelRequestFields` in one family or another. */
export const FAMILY_MEMBERS = [
  "anthropic_version",
  "anthropic_beta",
  "output_config",
  "frequencyPenalty",
  "presencePenalty",
  "countPenalty",
] as const;

const topK = (b: ModelRequest): number | undefined => b.top_k ?? undefined;
const scaled = (scale: number | null | undefined): Json | undefined => (typeof scale === "number" ? { scale } : undefined);

const claude = mapBody<ModelRequest, Json>({
  top_k: (b) => (mayTune(b) ? topK(b) : undefined),
  anthropic_version: "anthropic_version",
  anthropic_beta: (b) => (typeof b.anthropic_beta === "string" ? listed(b.anthropic_beta) : b.anthropic_beta),
  thinking: thinkingOf,
  output_config: outputConfig,
  tools: claudeTools,
  tool_choice: claudeChoiceOf,
});
const FAMILIES: Readonly<Record<string, (body: ModelRequest) => Json>> = {
  anthropic: (b) => ({ ...claude(b), ...(typeof b.user === "string" && { metadata: { user_id: b.user } }) }),
  "": claude, // an ARN may hide a Claude: what is asked for in Claude's own words is sent
  cohere: mapBody<ModelRequest, Json>({
    top_k: topK,
    n: (b) => b.n ?? undefined,
    frequency_penalty: (b) => b.frequency_penalty ?? undefined,
    presence_penalty: (b) => b.presence_penalty ?? undefined,
    logitBias: "logit_bias",
  }),
  ai21: mapBody<ModelRequest, Json>({
    top_k: topK,
    frequencyPenalty: (b) => b.frequencyPenalty ?? scaled(b.frequency_penalty),
    presencePenalty: (b) => b.presencePenalty ?? scaled(b.presence_penalty),
    countPenalty: "countPenalty",
  }),
  amazon: mapBody<ModelRequest, Json>({ reasoningConfig: novaReasoning }),
  openai: mapBody<ModelRequest, Json>({ reasoning_effort: openEffort }),
};

/** What one family takes beyond Converse; the client's own fields win. */
export function modelFieldsOf(body: ModelRequest): Json | undefined {
  const own = body.additionalModelRequestFields ?? body.additional_model_request_fields;
  const fields = { ...FAMILIES[familyOf(body.model)]?.(body), ...(isJson(own) && own) };
  return Object.keys(fields).length > 0 ? fields : undefined;
}

const listed = (text: string): string[] =>
  text
    .split(",")
    .map((beta) => beta.trim())
    .filter((beta) => beta !== "");

function outputConfig(body: ModelRequest): Json | undefined {
  const effort = effortOf(body);
  const config = { ...(effort && { effort }), ...(isJson(body.output_config) && body.output_config) };
  return Object.keys(config).length > 0 ? config : undefined;
}
function claudeTools({ tools = [], tool_choice }: ModelRequest): Json[] | undefined {
  const own = (tool_choice === "none" ? [] : tools).map((tool) => ({ ...tool })).filter(isClaudeTool);
  return own.length > 0 ? own.map(vendorTool) : undefined;
}
