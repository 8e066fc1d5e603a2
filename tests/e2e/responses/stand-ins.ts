/** Upstreams that answer a response, each in its vendor's own bytes, and the official client in front of the gateway. */
import OpenAI from "openai";
import { event } from "../../providers/bedrock-eventstream.ts";
import { jsonAnswer, type Received, type Replay, sseAnswer } from "../../kit/replay.ts";
import { anthropicBody, anthropicStream, chatBody, chatStream, inEither } from "../messages/stand-ins.ts";
import { GATEWAY_KEY } from "../process.ts";

type Json = Readonly<Record<string, unknown>>;

export const clientOf = (base: string, headers: Readonly<Record<string, string>>): OpenAI =>
  new OpenAI({
    apiKey: "sk-provider-key",
    baseURL: `${base}/v1`,
    maxRetries: 0,
    defaultHeaders: { "x-gateway-api-key": GATEWAY_KEY, ...headers },
  });

/** What a model answers, whatever the wire. */
export interface Answer {
  readonly text?: string;
  readonly thought?: string;
  /** Arguments of a call of the tool `weather`. */
  readonly call?: Json;
}

/* ── a provider with a Responses API ─────────────────────────────────────────────────────────────────────────── */

export const NATIVE_ID = "resp_native1";
const USAGE = {
  input_tokens: 15,
  input_tokens_details: { cached_tokens: 3 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 22,
};
const responseOf = (status: string, output: readonly Json[], usage: Json | null): Json => ({
  ...{ id: NATIVE_ID, object: "response", created_at: 1, status, error: null, incomplete_details: null, instructions: null },
  ...{ model: "gpt-x", output, parallel_tool_calls: true, temperature: 1, tool_choice: "auto", tools: [], top_p: 1, metadata: {}, usage },
});
const itemsOf = ({ thought, text, call }: Answer): readonly Json[] => [
  ...(thought === undefined
    ? []
    : [{ id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: thought }], encrypted_content: "gAAAA" }]),
  ...(text === undefined
    ? []
    : [
        {
          ...{ id: "msg_1", type: "message", status: "completed", role: "assistant" },
          content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
        },
      ]),
  ...(call === undefined
    ? []
    : [{ id: "fc_1", type: "function_call", status: "completed", call_id: "call_1", name: "weather", arguments: JSON.stringify(call) }]),
];
/** A native answer of these items; `more` may say how it ended. */
export const bodyOfItems = (items: readonly Json[], more: Json = {}): Json => ({ ...responseOf("completed", items, USAGE), ...more });
export const nativeBody = (answer: Answer): Json => bodyOfItems(itemsOf(answer));

type Piece = readonly [type: string, members: Json];
const PIECES: Readonly<Record<string, (item: Json, output_index: number) => readonly Piece[]>> = {
  reasoning: (item, output_index) => {
    const [part] = item["summary"] as readonly Json[];
    if (part === undefined) return []; // its provider shows the thought to nobody
    const at = { item_id: item["id"], output_index, summary_index: 0 };
    return [
      ["reasoning_summary_part.added", { ...at, part: { ...part, text: "" } }],
      ["reasoning_summary_text.delta", { ...at, delta: part["text"] }],
      ["reasoning_summary_text.done", { ...at, text: part["text"] }],
      ["reasoning_summary_part.done", { ...at, part }],
    ];
  },
  message: (item, output_index) => {
    const [part] = item["content"] as readonly Json[];
    const at = { item_id: item["id"], output_index, content_index: 0 };
    if (part?.["type"] === "refusal") return [["refusal.delta", { ...at, delta: part["refusal"] }]];
    const annotations = (part?.["annotations"] ?? []) as readonly Json[];
    return [
      ["content_part.added", { ...at, part: { ...part, text: "", annotations: [] } }],
      ["output_text.delta", { ...at, delta: part?.["text"], logprobs: [] }],
      ...annotations.map(
        (annotation, annotation_index): Piece => ["output_text.annotation.added", { ...at, annotation_index, annotation }],
      ),
      ["output_text.done", { ...at, text: part?.["text"], logprobs: [] }],
      ["content_part.done", { ...at, part }],
    ];
  },
  function_call: (item, output_index) => [
    ["function_call_arguments.delta", { item_id: item["id"], output_index, delta: item["arguments"] }],
    ["function_call_arguments.done", { item_id: item["id"], output_index, name: item["name"], arguments: item["arguments"] }],
  ],
};
const BARE: Readonly<Record<string, Json>> = { reasoning: { summary: [] }, message: { content: [] }, function_call: { arguments: "" } };

/** The beginning of a stream is of the same answer as its end. */
const pick = (end: unknown): Json => (typeof end === "object" && end !== null && "id" in end ? { id: end.id } : {});

/** The events of a native stream; `end` may say how it ended, and what for. */
export const nativeStream = (answer: Answer, end?: Piece): string => streamOfItems(itemsOf(answer), end);
export function streamOfItems(said: readonly Json[], end: Piece = ["completed", { response: bodyOfItems(said) }]): string {
  const [, { response }] = end;
  const begun = { response: { ...responseOf("in_progress", [], null), ...pick(response) } };
  const items = said.flatMap((item, output_index): readonly Piece[] => {
    const type = String(item["type"]);
    const started = { ...item, ...BARE[type], status: "in_progress" };
    return [
      ["output_item.added", { output_index, item: started }],
      ...(PIECES[type]?.(item, output_index) ?? []),
      ["output_item.done", { output_index, item }],
    ];
  });
  return ([["created", begun], ["in_progress", begun], ...items, end] as const)
    .map(([name, members], sequence_number) => {
      const type = name === "error" ? name : `response.${name}`;
      return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...members })}\n\n`;
    })
    .join("");
}

/* ── the others ──────────────────────────────────────────────────────────────────────────────────────────────── */

const message = ({ thought, text, call }: Answer) => ({
  content: [
    ...(thought === undefined ? [] : [{ type: "thinking", thinking: thought, signature: "c2lnbmVk" }]),
    ...(text === undefined ? [] : [{ type: "text", text }]),
    ...(call === undefined ? [] : [{ type: "tool_use", id: "toolu_1", name: "weather", input: call }]),
  ],
  stop: call === undefined ? "end_turn" : "tool_use",
});

const gemini = ({ thought, text, call }: Answer): Json => ({
  candidates: [
    {
      index: 0,
      finishReason: "STOP",
      content: {
        role: "model",
        parts: [
          ...(thought === undefined ? [] : [{ text: thought, thought: true }]),
          ...(text === undefined ? [] : [{ text }]),
          ...(call === undefined ? [] : [{ functionCall: { name: "weather", args: call }, thoughtSignature: "c2lnbmVk" }]),
        ],
      },
    },
  ],
  usageMetadata: { promptTokenCount: 15, cachedContentTokenCount: 3, candidatesTokenCount: 5, thoughtsTokenCount: 2, totalTokenCount: 22 },
  modelVersion: "gemini-x",
  responseId: "r1",
});

const CONVERSE_USAGE = { inputTokens: 12, outputTokens: 7, totalTokens: 22, cacheReadInputTokens: 3, cacheWriteInputTokens: 0 };
const blocksOf = ({ thought, text, call }: Answer): readonly Json[] => [
  ...(thought === undefined ? [] : [{ reasoningContent: { reasoningText: { text: thought, signature: "c2lnbmVk" } } }]),
  ...(text === undefined ? [] : [{ text }]),
  ...(call === undefined ? [] : [{ toolUse: { toolUseId: "tooluse_1", name: "weather", input: call } }]),
];
const converse = (answer: Answer): Json => ({
  output: { message: { role: "assistant", content: blocksOf(answer) } },
  stopReason: answer.call === undefined ? "end_turn" : "tool_use",
  usage: CONVERSE_USAGE,
  metrics: { latencyMs: 1 },
});
const converseStream = ({ thought, text, call }: Answer): Uint8Array => {
  const delta = (contentBlockIndex: number, piece: Json): Uint8Array => event("contentBlockDelta", { contentBlockIndex, delta: piece });
  return Buffer.concat([
    event("messageStart", { role: "assistant" }),
    ...(thought === undefined
      ? []
      : [
          delta(0, { reasoningContent: { text: thought } }),
          delta(0, { reasoningContent: { signature: "c2lnbmVk" } }),
          event("contentBlockStop", { contentBlockIndex: 0 }),
        ]),
    ...(text === undefined ? [] : [delta(1, { text }), event("contentBlockStop", { contentBlockIndex: 1 })]),
    ...(call === undefined
      ? []
      : [
          event("contentBlockStart", { contentBlockIndex: 2, start: { toolUse: { toolUseId: "tooluse_1", name: "weather" } } }),
          delta(2, { toolUse: { input: JSON.stringify(call) } }),
          event("contentBlockStop", { contentBlockIndex: 2 }),
        ]),
    event("messageStop", { stopReason: call === undefined ? "end_turn" : "tool_use" }),
    event("metadata", { usage: CONVERSE_USAGE, metrics: { latencyMs: 1 } }),
  ]);
};

export type WireName = "openai" | "anthropic" | "google" | "bedrock" | "openai-compatible";
/** How each vendor writes an answer: streamed where it is asked for a stream. */
export const ANSWERS: Readonly<Record<WireName, (answer: Answer) => (request: Received) => Replay>> = {
  openai: (answer) => inEither(nativeStream(answer), nativeBody(answer)),
  anthropic: (answer) => inEither(anthropicStream(message(answer)), anthropicBody(message(answer))),
  google: (answer) => (request) =>
    request.path.includes("streamGenerateContent") ? sseAnswer(`data: ${JSON.stringify(gemini(answer))}\n\n`) : jsonAnswer(gemini(answer)),
  bedrock: (answer) => (request) =>
    request.path.includes("converse-stream")
      ? { headers: { "content-type": "application/vnd.amazon.eventstream" }, body: converseStream(answer) }
      : jsonAnswer(converse(answer)),
  "openai-compatible": ({ thought, text, call }) => {
    const said = {
      ...(thought !== undefined && { reasoning: thought }),
      ...(text !== undefined && { text }),
      calls: call === undefined ? [] : [{ id: "call_1", name: "weather", arguments: JSON.stringify(call) }],
      finish: call === undefined ? "stop" : "tool_calls",
    };
    return inEither(chatStream(said), chatBody(said));
  },
};
export const WIRES = Object.keys(ANSWERS) as readonly WireName[];
/** Those that have no Responses API. */
export const TRANSLATED = WIRES.filter((wire) => wire !== "openai");

/** The headers that choose a wire's provider, at this host. */
export const headersOf = (wire: WireName, host: string): Record<string, string> => ({
  "x-gateway-provider": wire,
  "x-gateway-custom-host": `${host}/v1`,
  ...(wire === "bedrock" && {
    "x-gateway-aws-access-key-id": "AKIAHEADER",
    "x-gateway-aws-secret-access-key": "secret",
    "x-gateway-aws-region": "eu-central-1",
  }),
});
