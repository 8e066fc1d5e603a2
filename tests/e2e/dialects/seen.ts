/** An answer of the gateway as a client of each dialect reads it, whole or streamed, in one form. */
import type { Dialect } from "./features.ts";
import { foldedMessage } from "./talks.ts";

type Json = Readonly<Record<string, unknown>>;

export interface Seen {
  readonly text: string;
  readonly thoughts: string;
  readonly calls: readonly unknown[];
  readonly finish: string;
  readonly choices: number;
  readonly hasLogprobs: boolean;
  /** Input, cached input, output. */
  readonly usage: readonly unknown[];
}

const events = (wire: string): Json[] => [...wire.matchAll(/^data: (\{.*?)\r?$/gm)].map(([, data = ""]) => JSON.parse(data) as Json);
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []);
const object = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});
const joined = (parts: readonly unknown[]): string => parts.filter((part) => typeof part === "string").join("");

/* ── chat ────────────────────────────────────────────────────────────────────────────────────────────────────── */

function chatWhole(wire: string): Json {
  const chunks = events(wire);
  const choices = chunks.flatMap(({ choices }) => list(choices));
  const finish_reason = choices.find(({ finish_reason }) => finish_reason)?.["finish_reason"];
  const logprobs = choices.find(({ logprobs }) => logprobs)?.["logprobs"];
  const joinedMember = (name: string): string => joined(choices.filter(({ index }) => index === 0).map(({ delta }) => object(delta)[name]));
  const message = {
    ...foldedMessage(wire),
    content: joinedMember("content"),
    refusal: joinedMember("refusal"),
    reasoning_content: joinedMember("reasoning_content"),
  };
  const indices = [...new Set(choices.map(({ index }) => index))];
  return {
    choices: indices.map((index) => ({ index, message, finish_reason, logprobs })),
    usage: chunks.findLast(({ usage }) => usage)?.["usage"],
  };
}
function chat(body: Json): Seen {
  const choices = list(body["choices"]);
  const { message, finish_reason, logprobs } = object(choices[0]);
  const { content, reasoning_content, tool_calls, refusal } = object(message);
  const { prompt_tokens, completion_tokens, prompt_tokens_details } = object(body["usage"]);
  const isRefused = Boolean(refusal) || finish_reason === "content_filter";
  return {
    text: joined([content]),
    thoughts: joined([reasoning_content]),
    calls: list(tool_calls).map((call) => JSON.parse(String(object(call["function"])["arguments"])) as unknown),
    finish: isRefused ? "refusal" : finish_reason === "tool_calls" ? "stop" : String(finish_reason),
    choices: choices.length,
    hasLogprobs: list(object(logprobs)["content"]).length > 0,
    usage: [prompt_tokens, object(prompt_tokens_details)["cached_tokens"], completion_tokens],
  };
}

/* ── messages ────────────────────────────────────────────────────────────────────────────────────────────────── */

interface Block {
  readonly start: Json;
  readonly deltas: Json[];
}
function messageWhole(wire: string): Json {
  const blocks: Block[] = [];
  let message: Json = {};
  for (const event of events(wire)) {
    if (event["type"] === "message_start") message = object(event["message"]);
    if (event["type"] === "content_block_start") blocks.push({ start: object(event["content_block"]), deltas: [] });
    if (event["type"] === "content_block_delta") blocks[Number(event["index"])]?.deltas.push(object(event["delta"]));
    if (event["type"] === "message_delta")
      message = { ...message, ...object(event["delta"]), usage: { ...object(message["usage"]), ...object(event["usage"]) } };
  }
  return { ...message, content: blocks.map(blockOf) };
}
function blockOf({ start, deltas }: Block): Json {
  const all = (name: string): string => joined([start[name], ...deltas.map((delta) => delta[name])]);
  const json = all("partial_json");
  return { type: start["type"], text: all("text"), thinking: all("thinking"), input: JSON.parse(json === "" ? "{}" : json) as unknown };
}
const STOPS: Readonly<Record<string, string>> = { end_turn: "stop", tool_use: "stop", max_tokens: "length", refusal: "refusal" };
function messages(body: Json): Seen {
  const content = list(body["content"]);
  const { input_tokens, cache_read_input_tokens, output_tokens } = object(body["usage"]);
  return {
    text: joined(content.map(({ text }) => text)),
    thoughts: joined(content.map(({ thinking }) => thinking)),
    calls: content.filter(({ type }) => type === "tool_use").map(({ input }) => input),
    finish: STOPS[String(body["stop_reason"])] ?? String(body["stop_reason"]),
    choices: 1,
    hasLogprobs: false,
    usage: [Number(input_tokens) + Number(cache_read_input_tokens), cache_read_input_tokens, output_tokens],
  };
}

/* ── responses ───────────────────────────────────────────────────────────────────────────────────────────────── */

const responseWhole = (wire: string): Json => object(events(wire).findLast((event) => "response" in event)?.["response"]);
function responses(body: Json): Seen {
  const items = list(body["output"]);
  const of = (kind: string): readonly Json[] => items.filter(({ type }) => type === kind);
  const parts = of("message").flatMap(({ content }) => list(content));
  const { reason } = object(body["incomplete_details"]);
  const { input_tokens, input_tokens_details, output_tokens } = object(body["usage"]);
  const isRefused = reason === "content_filter" || parts.some(({ type }) => type === "refusal");
  return {
    text: joined(parts.map(({ text }) => text)),
    thoughts: joined(of("reasoning").flatMap(({ summary }) => list(summary).map(({ text }) => text))),
    calls: of("function_call").map((call) => JSON.parse(String(call["arguments"])) as unknown),
    finish: isRefused ? "refusal" : reason === "max_output_tokens" ? "length" : "stop",
    choices: 1,
    hasLogprobs: parts.some(({ logprobs }) => list(logprobs).length > 0),
    usage: [input_tokens, object(input_tokens_details)["cached_tokens"], output_tokens],
  };
}

/* ── gemini ──────────────────────────────────────────────────────────────────────────────────────────────────── */

function geminiWhole(wire: string): Json {
  const chunks = events(wire);
  const all = chunks.flatMap(({ candidates }) => list(candidates));
  const first = all.filter(({ index = 0 }) => index === 0);
  const of = (name: string): unknown => first.find((candidate) => candidate[name])?.[name];
  const content = { parts: first.flatMap((candidate) => list(object(candidate["content"])["parts"])) };
  const candidate = { content, finishReason: of("finishReason"), logprobsResult: of("logprobsResult") };
  const indices = [...new Set(all.map(({ index = 0 }) => index))];
  const usageMetadata = chunks.findLast((chunk) => chunk["usageMetadata"])?.["usageMetadata"];
  return { candidates: indices.map((index) => ({ ...candidate, index })), usageMetadata };
}
const REASONS: Readonly<Record<string, string>> = { STOP: "stop", MAX_TOKENS: "length", SAFETY: "refusal", PROHIBITED_CONTENT: "refusal" };
function gemini(body: Json): Seen {
  const candidates = list(body["candidates"]);
  const { content, finishReason, logprobsResult } = object(candidates[0]);
  const parts = list(object(content)["parts"]);
  const { promptTokenCount, cachedContentTokenCount, candidatesTokenCount } = object(body["usageMetadata"]);
  return {
    text: joined(parts.filter(({ thought }) => !thought).map(({ text }) => text)),
    thoughts: joined(parts.filter(({ thought }) => thought).map(({ text }) => text)),
    calls: parts.filter((part) => "functionCall" in part).map((part) => object(part["functionCall"])["args"] ?? {}),
    finish: REASONS[String(finishReason)] ?? String(finishReason),
    choices: candidates.length,
    hasLogprobs: list(object(logprobsResult)["chosenCandidates"]).length > 0,
    usage: [promptTokenCount, cachedContentTokenCount, candidatesTokenCount],
  };
}

const READERS = {
  chat: [chat, chatWhole],
  messages: [messages, messageWhole],
  responses: [responses, responseWhole],
  gemini: [gemini, geminiWhole],
} as const satisfies Readonly<Record<Dialect, readonly [(body: Json) => Seen, (wire: string) => Json]>>;

export function seenBy(dialect: Dialect, text: string, stream: boolean): Seen {
  const [read, whole] = READERS[dialect];
  return read(stream ? whole(text) : (JSON.parse(text) as Json));
}

/** The form of an error: what every client of the dialect reads. */
export const ERRORS: Readonly<Record<Dialect, (status: number, message: string) => Json>> = {
  chat: (_status, message) => ({ error: { message } }),
  responses: (_status, message) => ({ error: { message } }),
  messages: (_status, message) => ({ type: "error", error: { message } }),
  gemini: (code, message) => ({ error: { code, message } }),
};
