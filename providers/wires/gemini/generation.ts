import { type ChatRequest, isJson, type Json, mapBody } from "#contract";
import { inner } from "./parts.ts";
import { geminiSchema } from "./schema.ts";
import { thinkingConfigOf } from "./thinking.ts";

interface GenerationConfig extends Json {
  readonly temperature: number;
  readonly topP: number;
  readonly topK: number;
  readonly maxOutputTokens: number;
  readonly stopSequences: readonly string[];
  readonly candidateCount: number;
  readonly seed: number;
  readonly presencePenalty: number;
  readonly frequencyPenalty: number;
  readonly responseLogprobs: boolean;
  readonly logprobs: number;
  readonly responseMimeType: string;
  readonly responseSchema: Json;
  readonly responseModalities: readonly string[];
  readonly imageConfig: Json;
  readonly speechConfig: Json;
  readonly mediaResolution: unknown;
  readonly thinkingConfig: Json;
}

const toGenerationConfig = mapBody<ChatRequest, GenerationConfig>({
  temperature: (b) => b.temperature ?? undefined,
  topP: (b) => b.top_p ?? undefined,
  topK: (b) => b.top_k ?? undefined,
  maxOutputTokens: (b) => b.max_completion_tokens ?? b.max_tokens ?? undefined,
  stopSequences: (b) => (typeof b.stop === "string" ? [b.stop] : (b.stop ?? undefined)),
  candidateCount: (b) => b.n ?? undefined,
  seed: (b) => b.seed ?? undefined,
  presencePenalty: (b) => b.presence_penalty ?? undefined,
  frequencyPenalty: (b) => b.frequency_penalty ?? undefined,
  responseLogprobs: (b) => b.logprobs ?? undefined,
  logprobs: (b) => b.top_logprobs || undefined, // 0, as OpenAI has it, is none
  responseMimeType: (b) => (JSON_FORMATS.has(b.response_format?.type ?? "") ? "application/json" : undefined),
  responseSchema: responseSchemaOf,
  responseModalities: (b) => b.modalities?.map((modality) => String(modality).toUpperCase()),
  imageConfig: imageConfigOf,
  speechConfig: speechConfigOf,
  mediaResolution: (b) => b.media_resolution ?? undefined,
  thinkingConfig: thinkingConfigOf,
});
const JSON_FORMATS = new Set(["json_object", "json_schema"]);

/** The wire's own `generationConfig` in the body wins over what the chat members mean. */
export function generationConfigOf(body: ChatRequest): Json | undefined {
  const own = body.generationConfig ?? body.generation_config;
  const config = { ...toGenerationConfig(body), ...(isJson(own) && own) };
  return Object.keys(config).length > 0 ? config : undefined;
}

function responseSchemaOf({ response_format: format }: ChatRequest): Json | undefined {
  if (format?.type !== "json_schema") return undefined;
  const described = inner({ ...format }, "json_schema");
  return geminiSchema(isJson(described.schema) ? described.schema : described);
}
function speechConfigOf({ audio }: ChatRequest): Json | undefined {
  if (!isJson(audio) || typeof audio.voice !== "string") return undefined;
  return { voiceConfig: { prebuiltVoiceConfig: { voiceName: audio.voice } } };
}
function imageConfigOf({ image_config: config }: ChatRequest): Json | undefined {
  if (!isJson(config)) return undefined;
  const { aspect_ratio: aspectRatio, image_size: imageSize, ...more } = config;
  return { ...(aspectRatio !== undefined && { aspectRatio }), ...(imageSize !== undefined && { imageSize }), ...more };
}
