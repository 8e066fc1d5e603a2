import { type Static, Type } from "@sinclair/typebox";
import type { Json } from "../json.ts";
import { Nullable } from "./column.ts";

/* The chat form: the common request form of conversational operations. Open: unknown members travel on untouched. */

const open = { additionalProperties: true } as const;

export const ChatPart = Type.Object({ type: Type.String({ description: "`text`, `image_url`, `input_audio`, `file` …" }) }, open);

export const ChatMessage = Type.Object(
  {
    role: Type.String({ description: "`system`, `developer`, `user`, `assistant`, `tool` or `function`." }),
    content: Type.Optional(Nullable(Type.Union([Type.String(), Type.Array(ChatPart)]))),
  },
  open,
);

export const ChatBody = Type.Object(
  {
    model: Type.Optional(
      Type.String({ maxLength: 512, description: "Model id, or `@slug/model`. May be left out when a config's override_params sets it." }),
    ),
    messages: Type.Array(ChatMessage, { minItems: 1, description: "The conversation so far." }),
    stream: Type.Optional(Nullable(Type.Boolean({ default: false, description: "Answer as server-sent events." }))),
    stream_options: Type.Optional(Nullable(Type.Object({ include_usage: Type.Optional(Type.Boolean()) }, open))),
    temperature: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 2 }))),
    top_p: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 1 }))),
    presence_penalty: Type.Optional(Nullable(Type.Number({ minimum: -2, maximum: 2 }))),
    frequency_penalty: Type.Optional(Nullable(Type.Number({ minimum: -2, maximum: 2 }))),
    top_logprobs: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 20 }))),
    n: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 128 }))),
    max_tokens: Type.Optional(Nullable(Type.Integer({ minimum: 0 }))),
    max_completion_tokens: Type.Optional(Nullable(Type.Integer({ minimum: 0 }))),
    stop: Type.Optional(Nullable(Type.Union([Type.String(), Type.Array(Type.String())]))),
    tools: Type.Optional(Type.Array(Type.Object({ type: Type.Optional(Type.String()) }, open))),
    user: Type.Optional(Type.String()),
  },
  { ...open, $id: "CreateChatCompletionRequest" },
);
export type ChatBody = Static<typeof ChatBody>;

/** A chat request as adapters read it: the documented members, typed; validated by `ChatBody` at the edge. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatTurn[];
  readonly stream?: boolean | null;
  readonly stream_options?: { readonly include_usage?: boolean } | null;
  readonly temperature?: number | null;
  readonly top_p?: number | null;
  readonly top_k?: number | null;
  readonly n?: number | null;
  readonly max_tokens?: number | null;
  readonly max_completion_tokens?: number | null;
  readonly stop?: string | readonly string[] | null;
  readonly seed?: number | null;
  readonly logprobs?: boolean | null;
  readonly top_logprobs?: number | null;
  readonly presence_penalty?: number | null;
  readonly frequency_penalty?: number | null;
  readonly tools?: readonly ChatTool[];
  readonly tool_choice?: "none" | "auto" | "required" | { readonly type: "function"; readonly function: { readonly name: string } };
  readonly parallel_tool_calls?: boolean;
  readonly response_format?:
    | { readonly type: "text" | "json_object" }
    | {
        readonly type: "json_schema";
        readonly json_schema: {
          readonly name: string;
          readonly description?: string;
          readonly schema?: Readonly<Record<string, unknown>>;
          readonly strict?: boolean | null;
        };
      };
  readonly reasoning_effort?: string | null;
  readonly thinking?: { readonly type: string; readonly budget_tokens?: number } | null;
  readonly modalities?: readonly string[];
  readonly user?: string;
  readonly [member: string]: unknown;
}
export type ChatTurn =
  | { readonly role: "system" | "developer"; readonly content: string | readonly ChatContent[] }
  | { readonly role: "user"; readonly content: string | readonly ChatContent[]; readonly name?: string }
  | {
      readonly role: "assistant";
      readonly content?: string | readonly ChatContent[] | null;
      readonly tool_calls?: readonly ChatToolCall[];
      readonly reasoning_content?: string;
      readonly content_blocks?: readonly ChatContent[];
      readonly refusal?: string | null;
    }
  | { readonly role: "tool"; readonly content: string | readonly ChatContent[]; readonly tool_call_id: string }
  | { readonly role: "function"; readonly content: string | null; readonly name: string };
export interface CacheControl {
  readonly type: "ephemeral";
  readonly ttl?: "5m" | "1h";
}
export type ChatContent =
  | { readonly type: "text"; readonly text: string; readonly cache_control?: CacheControl }
  | {
      readonly type: "image_url";
      readonly image_url: { readonly url: string; readonly detail?: string; readonly mime_type?: string };
      readonly cache_control?: CacheControl;
    }
  | { readonly type: "input_audio"; readonly input_audio: { readonly data: string; readonly format: string } }
  | {
      readonly type: "file";
      readonly file: {
        readonly file_data?: string;
        readonly file_id?: string;
        readonly file_url?: string;
        readonly filename?: string;
        readonly mime_type?: string;
      };
      readonly cache_control?: CacheControl;
    }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature?: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | { readonly type: "refusal"; readonly refusal: string };
export interface ChatToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string; readonly thought_signature?: string };
}
export interface ChatTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description?: string;
    readonly parameters?: Readonly<Record<string, unknown>>;
    readonly strict?: boolean | null;
  };
  readonly cache_control?: CacheControl;
}

/** Members of the chat form: an adapter to another wire maps them or leaves them out; everything else travels on. */
// biome-ignore format: a list, several a line
const CHAT_MEMBERS: ReadonlySet<string> = new Set([
  "model", "messages", "stream", "stream_options", "temperature", "top_p",
  "top_k", "n", "max_tokens", "max_completion_tokens", "stop", "tools",
  "tool_choice", "parallel_tool_calls", "functions", "function_call", "response_format", "reasoning_effort",
  "thinking", "user", "seed", "logprobs", "top_logprobs", "logit_bias",
  "presence_penalty", "frequency_penalty", "service_tier", "store", "metadata", "modalities",
  "audio", "prediction", "web_search_options", "prompt_cache_key", "prompt_cache_retention", "prompt_cache_options",
  "safety_identifier", "verbosity",
]);

/** What travels on to another wire untouched: all but the chat form's members and those the adapter maps besides. */
export const travellingMembers = (body: Json, mapped: readonly string[] = []): Json =>
  Object.fromEntries(Object.entries(body).filter(([member]) => !CHAT_MEMBERS.has(member) && !mapped.includes(member)));
