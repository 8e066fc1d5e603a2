/** Upstreams that answer a message, each in its vendor's own bytes, and the official client in front of the gateway. */
import Anthropic from "@anthropic-ai/sdk";
import type { Replay } from "../../kit/replay.ts";
import { jsonAnswer, sseAnswer } from "../../kit/replay.ts";
import { GATEWAY_KEY } from "../process.ts";

type Json = Readonly<Record<string, unknown>>;

export const clientOf = (base: string, headers: Readonly<Record<string, string>>): Anthropic =>
  new Anthropic({
    apiKey: "sk-provider-key",
    baseURL: base,
    maxRetries: 0,
    defaultHeaders: { "x-gateway-api-key": GATEWAY_KEY, ...headers },
  });

/* ── Anthropic ───────────────────────────────────────────────────────────────────────────────────────────────── */

const event = (data: Json): string => `event: ${String(data["type"])}\ndata: ${JSON.stringify(data)}\n\n`;
const USAGE = { input_tokens: 12, cache_creation_input_tokens: 0, cache_read_input_tokens: 3, output_tokens: 1 };
const head = { id: "msg_01", type: "message", role: "assistant", model: "claude-sonnet-4-5", stop_reason: null, stop_sequence: null };

/** How a block comes in pieces. */
const DELTAS: Readonly<Record<string, (block: Json) => readonly Json[]>> = {
  text: ({ text }) => halves(String(text)).map((text) => ({ type: "text_delta", text })),
  thinking: ({ thinking, signature }) => [
    ...halves(String(thinking)).map((thinking) => ({ type: "thinking_delta", thinking })),
    { type: "signature_delta", signature },
  ],
  tool_use: ({ input }) => halves(JSON.stringify(input)).map((partial_json) => ({ type: "input_json_delta", partial_json })),
  server_tool_use: ({ input }) => halves(JSON.stringify(input)).map((partial_json) => ({ type: "input_json_delta", partial_json })),
};
const EMPTY: Readonly<Record<string, Json>> = {
  text: { text: "" },
  thinking: { thinking: "", signature: "" },
  tool_use: { input: {} },
  server_tool_use: { input: {} },
};
export function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
const blockEvents = (block: Json, index: number): string => {
  const type = String(block["type"]);
  const deltas = (DELTAS[type]?.(block) ?? []).map((delta) => event({ type: "content_block_delta", index, delta }));
  const start = event({ type: "content_block_start", index, content_block: { ...block, ...EMPTY[type] } });
  return start + deltas.join("") + event({ type: "content_block_stop", index });
};

export interface Message {
  readonly content: readonly Json[];
  readonly stop?: string;
}
export const anthropicStream = ({ content, stop = "end_turn" }: Message): string =>
  event({ type: "message_start", message: { ...head, content: [], usage: USAGE } }) +
  event({ type: "ping" }) +
  content.map(blockEvents).join("") +
  event({ type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage: { ...USAGE, output_tokens: 7 } }) +
  event({ type: "message_stop" });
export const anthropicBody = ({ content, stop = "end_turn" }: Message): Json => ({
  ...head,
  content,
  stop_reason: stop,
  usage: { ...USAGE, output_tokens: 7 },
});

/* ── OpenAI and those like it ────────────────────────────────────────────────────────────────────────────────── */

interface AnswerContent {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly finish: string;
}
const chunk = (delta: Json, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "gpt-x", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const CHAT_USAGE = {
  prompt_tokens: 15,
  completion_tokens: 7,
  total_tokens: 22,
  prompt_tokens_details: { cached_tokens: 3 },
  completion_tokens_details: { reasoning_tokens: 2 },
};
const callPieces = ({ id, name, arguments: args }: NonNullable<AnswerContent["calls"]>[number], index: number): string =>
  chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }) +
  halves(args)
    .map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] }))
    .join("");

export const chatStream = ({ text = "", reasoning = "", calls = [], finish }: AnswerContent): string =>
  chunk({ role: "assistant", content: "" }) +
  (reasoning === ""
    ? ""
    : halves(reasoning)
        .map((piece) => chunk({ reasoning_content: piece }))
        .join("")) +
  (text === ""
    ? ""
    : halves(text)
        .map((piece) => chunk({ content: piece }))
        .join("")) +
  calls.map(callPieces).join("") +
  chunk({}, finish) +
  `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "gpt-x", choices: [], usage: CHAT_USAGE })}\n\n` +
  "data: [DONE]\n\n";
export const chatBody = ({ text, reasoning, calls = [], finish }: AnswerContent): Json => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "gpt-x",
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content: text ?? null,
        ...(reasoning !== undefined && { reasoning_content: reasoning }),
        ...(calls.length > 0 && {
          tool_calls: calls.map(({ id, name, arguments: args }) => ({ id, type: "function", function: { name, arguments: args } })),
        }),
      },
      finish_reason: finish,
    },
  ],
  usage: CHAT_USAGE,
});

/** Streamed where the request asks for a stream. */
export const inEither =
  (stream: string, body: Json) =>
  (request: { json(): unknown }): Replay =>
    (request.json() as Json)["stream"] === true ? sseAnswer(stream) : jsonAnswer(body);
