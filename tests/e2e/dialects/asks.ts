/** What a client says to ask for a feature, by dialect; and how a provider reads it, by wire. */
import { type Dialect, type FeatureId, fileOf, type ProviderId, PROVIDERS, type Wire } from "./features.ts";

export type Json = Readonly<Record<string, unknown>>;

const SCHEMA = { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false };
const PNG = "iVBORw0KGgo=";
const PDF = "JVBERi0xLjQ=";
const WAV = "UklGRg==";
/** Stands for what the provider that is asked calls a file. */
const FILE = "<file>";

/** The last words of the user, in parts. */
const chatSaying = (...content: readonly Json[]): Json => ({ messages: [{ role: "user", content }] });
const responsesSaying = (...content: readonly Json[]): Json => ({ input: [{ type: "message", role: "user", content }] });
const geminiSaying = (...parts: readonly Json[]): Json => ({ contents: [{ role: "user", parts }] });

const TOOLS: Readonly<Record<Dialect, Json>> = {
  chat: { tools: [{ type: "function", function: { name: "weather", parameters: SCHEMA } }] },
  messages: { tools: [{ name: "weather", input_schema: SCHEMA }] },
  responses: { tools: [{ type: "function", name: "weather", parameters: SCHEMA, strict: false }] },
  gemini: {
    tools: [{ functionDeclarations: [{ name: "weather", parameters: { type: "OBJECT", properties: { city: { type: "STRING" } } } }] }],
  },
};
const TOOLS_READ: Readonly<Record<Wire, RegExp>> = {
  chat: /"function":\{"name":"weather".*"city"/,
  responses: /"name":"weather".*"city"/,
  messages: /"name":"weather".*"input_schema":\{.*"city"/,
  converse: /"toolSpec":\{"name":"weather".*"city"/,
  gemini: /"functionDeclarations":\[\{"name":"weather".*"city"/,
};

const CLAUDE_THINKS = /"thinking":\{"type":"enabled","budget_tokens":\d+|"output_config":\{"effort":"\w+"/;
const THOUGHT_READ: Readonly<Record<Wire, RegExp>> = {
  chat: /"reasoning_effort":"\w+"/,
  responses: /"reasoning":\{"effort":"\w+"/,
  messages: CLAUDE_THINKS,
  converse: CLAUDE_THINKS,
  gemini: /"thinkingBudget":\d+|"thinkingLevel":"\w+"/i,
};

/** What is asked, by dialect, and what the provider is sent of it, by wire. */
interface DialectCase {
  readonly asks: Readonly<Partial<Record<Dialect, Json>>>;
  readonly sent?: Readonly<Partial<Record<Wire, RegExp>>>;
}
const HI: DialectCase = { asks: {} };
const WITH_TOOLS: DialectCase = { asks: TOOLS, sent: TOOLS_READ };

export const ASKS: Readonly<Record<FeatureId, DialectCase>> = {
  text: HI,
  tools: WITH_TOOLS,
  parallel: WITH_TOOLS,
  "no-arguments": WITH_TOOLS,
  "long-arguments": WITH_TOOLS,
  results: {
    asks: {
      chat: {
        ...TOOLS.chat,
        messages: [
          { role: "user", content: "Hi" },
          {
            role: "assistant",
            content: null,
            tool_calls: [{ id: "call_1abcdef", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } }],
          },
          { role: "tool", tool_call_id: "call_1abcdef", content: "sunny there" },
        ],
      },
      messages: {
        ...TOOLS.messages,
        messages: [
          { role: "user", content: "Hi" },
          { role: "assistant", content: [{ type: "tool_use", id: "toolu_1abcdef", name: "weather", input: { city: "Oslo" } }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1abcdef", content: "sunny there" }] },
        ],
      },
      responses: {
        ...TOOLS.responses,
        input: [
          { role: "user", content: "Hi" },
          { type: "function_call", call_id: "call_1abcdef", name: "weather", arguments: '{"city":"Oslo"}' },
          { type: "function_call_output", call_id: "call_1abcdef", output: "sunny there" },
        ],
      },
      gemini: {
        ...TOOLS.gemini,
        contents: [
          { role: "user", parts: [{ text: "Hi" }] },
          { role: "model", parts: [{ functionCall: { name: "weather", args: { city: "Oslo" } } }] },
          { role: "user", parts: [{ functionResponse: { name: "weather", response: { output: "sunny there" } } }] },
        ],
      },
    },
    sent: {
      chat: /"arguments":"\{\\"city\\":\\"Oslo\\"\}".*"role":"tool".*"sunny there"/,
      responses: /"function_call_output".*"sunny there"/,
      messages: /"input":\{"city":"Oslo"\}.*"type":"tool_result".*"sunny there"/,
      converse: /"input":\{"city":"Oslo"\}.*"toolResult":\{.*"sunny there"/,
      gemini: /"args":\{"city":"Oslo"\}.*"functionResponse":\{.*"sunny there"/,
    },
  },
  images: {
    asks: {
      chat: chatSaying({ type: "text", text: "Hi" }, { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } }),
      messages: chatSaying({ type: "text", text: "Hi" }, { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } }),
      responses: responsesSaying({ type: "input_text", text: "Hi" }, { type: "input_image", image_url: `data:image/png;base64,${PNG}` }),
      gemini: geminiSaying({ text: "Hi" }, { inlineData: { mimeType: "image/png", data: PNG } }),
    },
    sent: {
      chat: /"image_url":\{"url":"data:image\/png;base64,iVBORw0KGgo="|"image_url":"data:image\/png;base64,iVBORw0KGgo="/,
      responses: /"image_url":"data:image\/png;base64,iVBORw0KGgo="/,
      messages: /"type":"image","source":\{"type":"base64","media_type":"image\/png","data":"iVBORw0KGgo="/,
      converse: /"image":\{"format":"png","source":\{"bytes":"iVBORw0KGgo="/,
      gemini: /"inlineData":\{"mimeType":"image\/png","data":"iVBORw0KGgo="/,
    },
  },
  files: {
    asks: {
      chat: chatSaying(
        { type: "text", text: "Hi" },
        { type: "file", file: { file_data: `data:application/pdf;base64,${PDF}`, filename: "a.pdf" } },
      ),
      messages: chatSaying(
        { type: "text", text: "Hi" },
        { type: "document", source: { type: "base64", media_type: "application/pdf", data: PDF } },
      ),
      responses: responsesSaying(
        { type: "input_text", text: "Hi" },
        { type: "input_file", file_data: `data:application/pdf;base64,${PDF}`, filename: "a.pdf" },
      ),
      gemini: geminiSaying({ text: "Hi" }, { inlineData: { mimeType: "application/pdf", data: PDF } }),
    },
    sent: {
      chat: /"file_data":"data:application\/pdf;base64,JVBERi0xLjQ="/,
      responses: /"file_data":"data:application\/pdf;base64,JVBERi0xLjQ="/,
      messages: /"type":"document","source":\{"type":"base64","media_type":"application\/pdf","data":"JVBERi0xLjQ="/,
      converse: /"document":\{"format":"pdf",.*"bytes":"JVBERi0xLjQ="/,
      gemini: /"inlineData":\{"mimeType":"application\/pdf","data":"JVBERi0xLjQ="/,
    },
  },
  "kept-files": {
    asks: {
      chat: chatSaying({ type: "text", text: "Hi" }, { type: "file", file: { file_id: FILE } }),
      messages: chatSaying({ type: "text", text: "Hi" }, { type: "document", source: { type: "file", file_id: FILE } }),
      responses: responsesSaying({ type: "input_text", text: "Hi" }, { type: "input_file", file_id: FILE }),
      gemini: geminiSaying({ text: "Hi" }, { fileData: { mimeType: "application/pdf", fileUri: FILE } }),
    },
    sent: {
      chat: /"file_id":"file-1"/,
      responses: /"file_id":"file-1"/,
      messages: /"type":"document","source":\{"type":"file","file_id":"file-1"/,
      gemini: /"fileUri":"(gs:\/\/bucket|https:\/\/generativelanguage\.googleapis\.com\/v1beta\/files)\/file-1"/,
    },
  },
  structured: {
    asks: {
      chat: { response_format: { type: "json_schema", json_schema: { name: "answer", schema: SCHEMA, strict: true } } },
      messages: { output_config: { format: { type: "json_schema", schema: SCHEMA } } },
      responses: { text: { format: { type: "json_schema", name: "answer", schema: SCHEMA, strict: true } } },
      gemini: { generationConfig: { responseMimeType: "application/json", responseJsonSchema: SCHEMA } },
    },
    sent: {
      chat: /"response_format":.*(json_schema.*"city"|json_object)/,
      responses: /"format":\{"type":"json_schema".*"city"/,
      messages: /"format":\{"type":"json_schema".*"city"|"name":"gateway_structured_answer".*"city"/,
      converse: /"textFormat":.*city/,
      gemini: /"responseMimeType":"application\/json".*"city"|"city".*"responseMimeType":"application\/json"/,
    },
  },
  effort: {
    asks: {
      chat: { reasoning_effort: "high" },
      messages: { output_config: { effort: "high" } },
      responses: { reasoning: { effort: "high" } },
      gemini: { generationConfig: { thinkingConfig: { thinkingLevel: "HIGH" } } },
    },
    sent: THOUGHT_READ,
  },
  budget: {
    asks: {
      messages: { thinking: { type: "enabled", budget_tokens: 1024 } },
      gemini: { generationConfig: { thinkingConfig: { thinkingBudget: 8192 } } },
    },
    sent: THOUGHT_READ,
  },
  thoughts: HI,
  caching: {
    asks: {
      chat: chatSaying({ type: "text", text: "Hi", cache_control: { type: "ephemeral" } }),
      messages: chatSaying({ type: "text", text: "Hi", cache_control: { type: "ephemeral" } }),
    },
    sent: {
      chat: /"cache_control"/,
      responses: /"cache_control"/,
      messages: /"cache_control":\{"type":"ephemeral"\}/,
      converse: /"cachePoint":\{"type":"default"/,
      gemini: /"cache_control"/,
    },
  },
  "stop-sequences": {
    asks: { chat: { stop: ["END"] }, messages: { stop_sequences: ["END"] }, gemini: { generationConfig: { stopSequences: ["END"] } } },
    sent: {
      chat: /"stop":\["END"\]/,
      messages: /"stop_sequences":\["END"\]/,
      converse: /"stopSequences":\["END"\]/,
      gemini: /"stopSequences":\["END"\]/,
    },
  },
  "stop-reasons": HI,
  refusals: HI,
  usage: HI,
  errors: HI,
  choices: {
    asks: { chat: { n: 2 }, gemini: { generationConfig: { candidateCount: 2 } } },
    sent: { chat: /"n":2/, gemini: /"candidateCount":2/ },
  },
  logprobs: {
    asks: {
      chat: { logprobs: true, top_logprobs: 2 },
      responses: { include: ["message.output_text.logprobs"], top_logprobs: 2 },
      gemini: { generationConfig: { responseLogprobs: true, logprobs: 2 } },
    },
    sent: {
      chat: /"logprobs":true.*"top_logprobs":2/,
      responses: /"top_logprobs":2/,
      gemini: /"responseLogprobs":true.*"logprobs":2|"logprobs":2.*"responseLogprobs":true/,
    },
  },
  hearing: {
    asks: {
      chat: chatSaying({ type: "text", text: "Hi" }, { type: "input_audio", input_audio: { data: WAV, format: "wav" } }),
      responses: responsesSaying({ type: "input_text", text: "Hi" }, { type: "input_audio", input_audio: { data: WAV, format: "wav" } }),
      gemini: geminiSaying({ text: "Hi" }, { inlineData: { mimeType: "audio/wav", data: WAV } }),
    },
    sent: {
      chat: /"input_audio":\{"data":"UklGRg=="/,
      responses: /"input_audio":\{"data":"UklGRg=="/,
      gemini: /"inlineData":\{"mimeType":"audio\/wav","data":"UklGRg=="/,
    },
  },
  speech: {
    asks: {
      chat: { modalities: ["text", "audio"], audio: { format: "pcm16", voice: "Kore" } },
      gemini: { generationConfig: { responseModalities: ["AUDIO"] } },
    },
    sent: { chat: /"modalities":\[.*"audio"/, gemini: /"responseModalities":\[.*"AUDIO"/ },
  },
};

const BASE: Readonly<Record<Dialect, Json>> = {
  chat: { messages: [{ role: "user", content: "Hi" }] },
  messages: { max_tokens: 16_384, messages: [{ role: "user", content: "Hi" }] },
  responses: { input: "Hi", store: false },
  gemini: { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
};
/** Path and body of a request for the feature. */
export function requestOf(
  feature: FeatureId,
  dialect: Dialect,
  provider: ProviderId,
  stream: boolean,
): { readonly path: string; readonly body: Json } {
  const { model } = PROVIDERS[provider];
  const said = { ...BASE[dialect], ...ASKS[feature].asks[dialect] };
  const asked = JSON.parse(JSON.stringify(said).replace(FILE, fileOf(provider))) as Json; // as it was written

  const verb = stream ? "streamGenerateContent?alt=sse" : "generateContent";
  if (dialect === "gemini") return { path: `/v1beta/models/${model}:${verb}`, body: asked };
  const PATHS = { chat: "/v1/chat/completions", messages: "/v1/messages", responses: "/v1/responses" } as const;
  const counted = stream && dialect === "chat" ? { stream_options: { include_usage: true } } : {};
  return { path: PATHS[dialect], body: { model, ...asked, stream, ...counted } };
}
