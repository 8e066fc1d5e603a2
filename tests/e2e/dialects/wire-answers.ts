/** One answer as each wire writes it, whole and streamed. */
import { event } from "../../providers/bedrock-eventstream.ts";
import { jsonAnswer, type Received, type Replay, sseAnswer } from "../../kit/replay.ts";
import { anthropicBody, anthropicStream } from "../messages/stand-ins.ts";
import { streamOfItems } from "../responses/stand-ins.ts";
import type { Wire } from "./features.ts";

type Json = Readonly<Record<string, unknown>>;

export interface AnswerContent {
  readonly thought?: string;
  readonly text?: string;
  /** Arguments of calls of `weather`. */
  readonly calls?: readonly Json[];
  readonly finish?: "length" | "refusal";
  readonly choices?: number;
  readonly logprobs?: true;
}
/** 15 tokens in, 3 of them from the cache; 7 out. */
const TOKEN = { token: "Hello.", logprob: -0.5 };

/* ── OpenAI's chat completions ───────────────────────────────────────────────────────────────────────────────── */

const CHAT_USAGE = { prompt_tokens: 15, completion_tokens: 7, total_tokens: 22, prompt_tokens_details: { cached_tokens: 3 } };
const chatCall = (args: Json, index: number): Json => ({
  ...{ index, id: `call_${index}abcdef`, type: "function" },
  function: { name: "weather", arguments: JSON.stringify(args) },
});
const chatMessage = ({ thought, text, calls = [], finish }: AnswerContent): Json => ({
  role: "assistant",
  content: finish === "refusal" ? null : (text ?? null),
  ...(finish === "refusal" && { refusal: "No." }),
  ...(thought !== undefined && { reasoning_content: thought }),
  ...(calls.length > 0 && { tool_calls: calls.map(chatCall) }),
});
const chatFinish = ({ calls = [], finish }: AnswerContent): string =>
  finish === "length" ? "length" : calls.length > 0 ? "tool_calls" : "stop";
function chatWire(said: AnswerContent, kind: "message" | "delta"): readonly Json[] {
  const logprobs = said.logprobs ? { logprobs: { content: [{ ...TOKEN, bytes: null, top_logprobs: [] }], refusal: null } } : {};
  return Array.from({ length: said.choices ?? 1 }, (_, index) => ({
    index,
    [kind]: chatMessage(said),
    finish_reason: chatFinish(said),
    ...logprobs,
  }));
}
const CHAT = { id: "chatcmpl-1", created: 1, model: "m" };
const chat = (said: AnswerContent): Json => ({ ...CHAT, object: "chat.completion", choices: chatWire(said, "message"), usage: CHAT_USAGE });
const chatStream = (said: AnswerContent): string => {
  const chunk = (members: Json): string => `data: ${JSON.stringify({ ...CHAT, object: "chat.completion.chunk", ...members })}\n\n`;
  return `${chunk({ choices: chatWire(said, "delta") })}${chunk({ choices: [], usage: CHAT_USAGE })}data: [DONE]\n\n`;
};

/* ── OpenAI's responses ──────────────────────────────────────────────────────────────────────────────────────── */

const RESPONSE_USAGE = {
  ...{ input_tokens: 15, input_tokens_details: { cached_tokens: 3 }, output_tokens: 7 },
  ...{ output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 22 },
};
const outputPart = ({ text, finish, logprobs }: AnswerContent): Json =>
  finish === "refusal"
    ? { type: "refusal", refusal: "No." }
    : { type: "output_text", text, annotations: [], logprobs: logprobs ? [{ ...TOKEN, bytes: [], top_logprobs: [] }] : [] };
const response = (said: AnswerContent): Json => {
  const { thought, text, calls = [], finish } = said;
  const message = { id: "msg_1", type: "message", status: "completed", role: "assistant", content: [outputPart(said)] };
  const output = [
    ...(thought === undefined ? [] : [{ id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: thought }] }]),
    ...(text === undefined && finish !== "refusal" ? [] : [message]),
    ...calls.map((args, index) => ({
      ...{ id: `fc_${index}`, type: "function_call", status: "completed", call_id: `call_${index}` },
      ...{ name: "weather", arguments: JSON.stringify(args) },
    })),
  ];
  const ended =
    finish === "length" ? { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } } : { status: "completed" };
  return { id: "resp_1", object: "response", created_at: 1, model: "m", error: null, output, usage: RESPONSE_USAGE, ...ended };
};
const responseStream = (said: AnswerContent): string => {
  const whole = response(said);
  return streamOfItems(whole["output"] as readonly Json[], [String(whole["status"]), { response: whole }]);
};

/* ── Anthropic's messages ────────────────────────────────────────────────────────────────────────────────────── */

const message = ({ thought, text, calls = [], finish }: AnswerContent) => ({
  content: [
    ...(thought === undefined ? [] : [{ type: "thinking", thinking: thought, signature: "c2ln" }]),
    ...(text === undefined || finish === "refusal" ? [] : [{ type: "text", text }]),
    ...calls.map((input, index) => ({ type: "tool_use", id: `toolu_${index}`, name: "weather", input })),
  ],
  stop: finish === "length" ? "max_tokens" : finish === "refusal" ? "refusal" : calls.length > 0 ? "tool_use" : "end_turn",
});
/** Its events as AWS sends them, each in an event of its own. */
export const invokeStream = (wire: string): Uint8Array =>
  Buffer.concat(
    [...wire.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => event("chunk", { bytes: Buffer.from(data).toString("base64") })),
  );

/* ── AWS's Converse ──────────────────────────────────────────────────────────────────────────────────────────── */

const CONVERSE_USAGE = { inputTokens: 12, outputTokens: 7, totalTokens: 22, cacheReadInputTokens: 3, cacheWriteInputTokens: 0 };
const converseStop = ({ calls = [], finish }: AnswerContent): string =>
  finish === "length" ? "max_tokens" : finish === "refusal" ? "content_filtered" : calls.length > 0 ? "tool_use" : "end_turn";
const converse = (said: AnswerContent): Json => {
  const { thought, text, calls = [], finish } = said;
  const content = [
    ...(thought === undefined ? [] : [{ reasoningContent: { reasoningText: { text: thought, signature: "c2ln" } } }]),
    ...(text === undefined || finish === "refusal" ? [] : [{ text }]),
    ...calls.map((input, index) => ({ toolUse: { toolUseId: `tooluse_${index}`, name: "weather", input } })),
  ];
  return { output: { message: { role: "assistant", content } }, stopReason: converseStop(said), usage: CONVERSE_USAGE };
};
function converseStream(said: AnswerContent): Uint8Array {
  const { thought, text, calls = [], finish } = said;
  const delta = (contentBlockIndex: number, piece: Json): Uint8Array => event("contentBlockDelta", { contentBlockIndex, delta: piece });
  return Buffer.concat([
    event("messageStart", { role: "assistant" }),
    ...(thought === undefined
      ? []
      : [delta(0, { reasoningContent: { text: thought } }), delta(0, { reasoningContent: { signature: "c2ln" } })]),
    ...(text === undefined || finish === "refusal" ? [] : [delta(1, { text })]),
    ...calls.flatMap((input, index) => [
      event("contentBlockStart", { contentBlockIndex: index + 2, start: { toolUse: { toolUseId: `tooluse_${index}`, name: "weather" } } }),
      ...(Object.keys(input).length > 0 ? [delta(index + 2, { toolUse: { input: JSON.stringify(input) } })] : []),
      event("contentBlockStop", { contentBlockIndex: index + 2 }),
    ]),
    event("messageStop", { stopReason: converseStop(said) }),
    event("metadata", { usage: CONVERSE_USAGE }),
  ]);
}

/* ── Google's ────────────────────────────────────────────────────────────────────────────────────────────────── */

const GEMINI_USAGE = { promptTokenCount: 15, cachedContentTokenCount: 3, candidatesTokenCount: 7, totalTokenCount: 22 };
const gemini = ({ thought, text, calls = [], finish, choices = 1, logprobs }: AnswerContent): Json => {
  const parts = [
    ...(thought === undefined ? [] : [{ text: thought, thought: true }]),
    ...(text === undefined || finish === "refusal" ? [] : [{ text }]),
    ...calls.map((args) => ({ functionCall: { name: "weather", args }, thoughtSignature: "c2ln" })),
  ];
  const finishReason = finish === "length" ? "MAX_TOKENS" : finish === "refusal" ? "PROHIBITED_CONTENT" : "STOP";
  const chosen = { token: TOKEN.token, logProbability: TOKEN.logprob };
  const beside = logprobs ? { logprobsResult: { chosenCandidates: [chosen], topCandidates: [{ candidates: [chosen] }] } } : {};
  const candidates = Array.from({ length: choices }, (_, index) => ({ index, content: { role: "model", parts }, finishReason, ...beside }));
  return { candidates, usageMetadata: GEMINI_USAGE, modelVersion: "m", responseId: "r1" };
};

/* ── all of them ─────────────────────────────────────────────────────────────────────────────────────────────── */

const binary = (body: Uint8Array): Replay => ({ headers: { "content-type": "application/vnd.amazon.eventstream" }, body });
const streams = (request: Received): boolean => /stream/i.test(request.path) || (request.json() as Json)["stream"] === true;

export const ANSWER: Readonly<Record<Wire, (said: AnswerContent, request: Received) => Replay>> = {
  chat: (said, request) => (streams(request) ? sseAnswer(chatStream(said)) : jsonAnswer(chat(said))),
  responses: (said, request) => (streams(request) ? sseAnswer(responseStream(said)) : jsonAnswer(response(said))),
  messages(said, request) {
    if (!streams(request)) return jsonAnswer(anthropicBody(message(said)));
    const wire = anthropicStream(message(said));
    return request.path.includes("/model/") ? binary(invokeStream(wire)) : sseAnswer(wire);
  },
  converse: (said, request) => (streams(request) ? binary(converseStream(said)) : jsonAnswer(converse(said))),
  gemini: (said, request) => (streams(request) ? sseAnswer(`data: ${JSON.stringify(gemini(said))}\r\n\r\n`) : jsonAnswer(gemini(said))),
};

const WHY = "Slow down.";
/** A refusal for now, as each vendor words it. */
export const BUSY: Readonly<Record<Wire, Replay>> = {
  chat: jsonAnswer({ error: { message: WHY, type: "rate_limit_error", param: null, code: "rate_limit_exceeded" } }, { status: 429 }),
  responses: jsonAnswer({ error: { message: WHY, type: "rate_limit_error", param: null, code: "rate_limit_exceeded" } }, { status: 429 }),
  messages: jsonAnswer({ type: "error", error: { type: "rate_limit_error", message: WHY } }, { status: 429 }),
  converse: jsonAnswer({ message: WHY }, { status: 429, headers: { "x-amzn-errortype": "ThrottlingException" } }),
  gemini: jsonAnswer({ error: { code: 429, message: WHY, status: "RESOURCE_EXHAUSTED" } }, { status: 429 }),
};
