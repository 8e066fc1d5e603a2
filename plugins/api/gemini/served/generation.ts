import { isJson, type Json, type ServedTo } from "#contract";
import { named, text } from "../wire.ts";
import { refused } from "./refused.ts";
import { jsonSchema } from "./schema.ts";

/** Settings of the generation -> the chat form's members. */
export function generationMembers(generationConfig: unknown, to: ServedTo): Json {
  const config = named(generationConfig);
  const other = REFUSED.find((member) => config[member] !== undefined && config[member] !== null);
  if (other !== undefined) throw refused(`generationConfig.${other}`, "generationConfig");
  return {
    ...given("temperature", config.temperature),
    ...given("top_p", config.topP),
    ...given("max_completion_tokens", config.maxOutputTokens),
    ...given("stop", wordsIn(config.stopSequences)),
    ...given("seed", config.seed),
    ...given("presence_penalty", config.presencePenalty),
    ...given("frequency_penalty", config.frequencyPenalty),
    ...given("logprobs", config.responseLogprobs),
    ...given("top_logprobs", config.logprobs),
    ...given("n", config.candidateCount === 1 ? undefined : config.candidateCount),
    ...given("response_format", formatOf(config)),
    ...given("modalities", modalitiesOf(config.responseModalities)),
    ...thinkingMembers(named(config.thinkingConfig), to),
    ...(to.mapped && given("top_k", config.topK)),
  };
}
const given = (member: string, value: unknown): Json => (value === undefined || value === null ? {} : { [member]: value });
/** Some vendors refuse a list without words. */
const wordsIn = (list: unknown): unknown => (Array.isArray(list) && list.length === 0 ? undefined : list);
/** Without them the answer would be another. */
const REFUSED = ["speechConfig", "imageConfig"] as const;

function formatOf({ responseMimeType, responseSchema, responseJsonSchema, _responseJsonSchema }: Json): Json | undefined {
  if (responseMimeType === undefined || responseMimeType === null || responseMimeType === "text/plain") return undefined;
  if (responseMimeType !== "application/json") throw refused(`The responseMimeType ${String(responseMimeType)}`, "generationConfig");
  const schema = responseJsonSchema ?? _responseJsonSchema ?? (isJson(responseSchema) ? jsonSchema(responseSchema) : undefined);
  return isJson(schema) ? { type: "json_schema", json_schema: { name: "answer", schema } } : { type: "json_object" };
}

/** Text is what everybody answers. */
function modalitiesOf(given: unknown): readonly string[] | undefined {
  const modalities = Array.isArray(given) ? given.map((modality) => String(modality).toLowerCase()) : [];
  return modalities.some((modality) => modality !== "text") ? modalities : undefined;
}

/** The effort that a level or a budget stands for: what a model takes of either, its provider's adapter knows. */
function thinkingMembers({ thinkingBudget: budget, thinkingLevel: level }: Json, { mapped }: ServedTo): Json {
  const named = text(level)?.toLowerCase();
  if (named !== undefined && LEVELS.has(named)) return { reasoning_effort: named };
  if (typeof budget !== "number" || budget < 0) return {};
  if (budget === 0) return mapped ? { reasoning_effort: "none" } : {}; // elsewhere few know the word
  return { reasoning_effort: EFFORTS.find(([most]) => budget <= most)?.[1] ?? "high" };
}
const LEVELS: ReadonlySet<string> = new Set(["minimal", "low", "medium", "high"]);
const EFFORTS: readonly (readonly [number, string])[] = [
  [1024, "low"],
  [8192, "medium"],
];
