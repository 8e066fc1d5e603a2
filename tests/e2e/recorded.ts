/**
 * What recorded answers say, computed from their raw lines alone: nothing here knows how the gateway reads them.
 * Three wires (OpenAI's chat, Anthropic's messages, Gemini's), each whole and streamed, and what a chat client reads.
 */
export interface RecordedAnswer {
  readonly text: string;
  readonly tools: readonly { readonly name: string; readonly arguments: unknown }[];
  readonly finish: string;
  /** All input tokens, all output tokens, as OpenAI's usage counts them. */
  readonly usage: { readonly input: number; readonly output: number; readonly total: number };
}
export type Wire = "chat" | "messages" | "gemini";
type Json = Readonly<Record<string, unknown>>;

export const saidByStream = (wire: Wire, lines: readonly string[]): RecordedAnswer =>
  STREAM[wire](lines.map((line) => JSON.parse(line) as Json));
export const saidByBody = (wire: Wire, body: string): RecordedAnswer => BODY[wire](JSON.parse(body) as Json);
const STREAM: Readonly<Record<Wire, (lines: readonly Json[]) => RecordedAnswer>> = {
  chat: saidByChunks,
  messages: saidByEvents,
  gemini: saidByGemini,
};
const BODY: Readonly<Record<Wire, (body: Json) => RecordedAnswer>> = {
  chat: saidByCompletion,
  messages: saidByMessage,
  gemini: (body) => saidByGemini([body]),
};

/* ── readers of JSON whose shape a vendor decides ────────────────────────────────────────────────────────────── */

const object = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.map(object) : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const count = (value: unknown): number => (typeof value === "number" ? value : 0);
/** Argument text; a call without any has the empty object. */
const parsed = (args: string): unknown => JSON.parse(args === "" ? "{}" : args);

/* ── OpenAI's chat: the recording, and what the gateway's client reads ───────────────────────────────────────── */

/** Content is text, or (Mistral's reasoning models) parts of which some are text. */
const contentOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : list(content)
        .filter(({ type }) => type === "text")
        .map((part) => text(part["text"]))
        .join("");
const chatUsage = (usage: Json): RecordedAnswer["usage"] => ({
  input: count(usage["prompt_tokens"]),
  output: count(usage["completion_tokens"]),
  total: count(usage["total_tokens"]),
});

export function saidByChunks(chunks: readonly Json[]): RecordedAnswer {
  const choices = chunks.flatMap((chunk) => list(chunk["choices"]));
  const calls = new Map<unknown, { name: string; arguments: string }>();
  for (const piece of choices.flatMap((choice) => list(object(choice["delta"])["tool_calls"]))) {
    const call = calls.get(piece["index"]) ?? { name: "", arguments: "" };
    const fn = object(piece["function"]);
    calls.set(piece["index"], { name: call.name + text(fn["name"]), arguments: call.arguments + text(fn["arguments"]) });
  }
  return {
    text: choices.map((choice) => contentOf(object(choice["delta"])["content"])).join(""),
    tools: [...calls.values()].map(({ name, arguments: args }) => ({ name, arguments: parsed(args) })),
    finish: text(choices.findLast((choice) => typeof choice["finish_reason"] === "string")?.["finish_reason"]),
    usage: chatUsage(object(chunks.findLast((chunk) => typeof chunk["usage"] === "object" && chunk["usage"] !== null)?.["usage"])),
  };
}

export function saidByCompletion(body: Json): RecordedAnswer {
  const choice = list(body["choices"])[0] ?? {};
  const message = object(choice["message"]);
  const calls = list(message["tool_calls"]).map((call) => object(call["function"]));
  return {
    text: contentOf(message["content"]),
    tools: calls.map((fn) => ({ name: text(fn["name"]), arguments: parsed(text(fn["arguments"])) })),
    finish: text(choice["finish_reason"]),
    usage: chatUsage(object(body["usage"])),
  };
}

/* ── Anthropic's messages ────────────────────────────────────────────────────────────────────────────────────── */

const MESSAGES_FINISH: Json = { end_turn: "stop", stop_sequence: "stop", compaction: "stop", tool_use: "tool_calls", max_tokens: "length" };
const messagesUsage = (usage: Json): RecordedAnswer["usage"] => {
  const input = count(usage["input_tokens"]) + count(usage["cache_read_input_tokens"]) + count(usage["cache_creation_input_tokens"]);
  const output = count(usage["output_tokens"]);
  return { input, output, total: input + output };
};

/** A recording may go on with the answer to a later request: one answer ends with its `message_stop`. */
function saidByEvents(recorded: readonly Json[]): RecordedAnswer {
  const end = recorded.findIndex(({ type }) => type === "message_stop");
  const events = recorded.slice(0, end + 1);
  const begun = events.filter(({ type }) => type === "content_block_start");
  const deltas = events.filter(({ type }) => type === "content_block_delta");
  const joined = (index: unknown, member: string): string =>
    deltas
      .filter((event) => event["index"] === index)
      .map((event) => text(object(event["delta"])[member]))
      .join("");
  const last = events.findLast(({ type }) => type === "message_delta") ?? {};
  return {
    text: begun.map(({ index, content_block: block }) => text(object(block)["text"]) + joined(index, "text")).join(""),
    tools: begun
      .filter(({ content_block: block }) => object(block)["type"] === "tool_use")
      .map(({ index, content_block: block }) => ({ name: text(object(block)["name"]), arguments: parsed(joined(index, "partial_json")) })),
    finish: text(MESSAGES_FINISH[text(object(last["delta"])["stop_reason"])]),
    usage: messagesUsage({ ...object(object(events[0]?.["message"])["usage"]), ...object(last["usage"]) }),
  };
}

function saidByMessage(body: Json): RecordedAnswer {
  const content = list(body["content"]);
  return {
    text: content
      .filter(({ type }) => type === "text")
      .map((block) => text(block["text"]))
      .join(""),
    tools: content.filter(({ type }) => type === "tool_use").map((block) => ({ name: text(block["name"]), arguments: block["input"] })),
    finish: text(MESSAGES_FINISH[text(body["stop_reason"])]),
    usage: messagesUsage(object(body["usage"])),
  };
}

/* ── Gemini's generateContent ────────────────────────────────────────────────────────────────────────────────── */

function saidByGemini(chunks: readonly Json[]): RecordedAnswer {
  const candidates = chunks.flatMap((chunk) => list(chunk["candidates"]).slice(0, 1));
  const parts = candidates.flatMap((candidate) => list(object(candidate["content"])["parts"]));
  const tools: { name: string; args: Json; pieces: Json[] }[] = [];
  for (const call of parts.flatMap((part) => (part["functionCall"] ? [object(part["functionCall"])] : []))) {
    if (call["name"]) tools.push({ name: text(call["name"]), args: object(call["args"]), pieces: [] });
    tools.at(-1)?.pieces.push(...list(call["partialArgs"]));
  }
  const usage = object(chunks.findLast((chunk) => chunk["usageMetadata"])?.["usageMetadata"]);
  const input = count(usage["promptTokenCount"]) + count(usage["toolUsePromptTokenCount"]);
  return {
    text: parts
      .filter((part) => part["thought"] !== true)
      .map((part) => text(part["text"]))
      .join(""),
    tools: tools.map(({ name, args, pieces }) => ({ name, arguments: { ...args, ...object(treeOf(leavesOf(pieces))) } })),
    finish: geminiFinish(candidates, tools.length > 0),
    usage: { input, output: count(usage["totalTokenCount"]) - input, total: count(usage["totalTokenCount"]) },
  };
}

function geminiFinish(candidates: readonly Json[], calls: boolean): string {
  const native = text(candidates.findLast((candidate) => candidate["finishReason"])?.["finishReason"]);
  if (native === "STOP") return calls ? "tool_calls" : "stop";
  return native === "MAX_TOKENS" ? "length" : native;
}

interface Leaf {
  readonly keys: readonly string[];
  readonly value: unknown;
}
/** Pieces of streamed arguments by their place; the texts of one place are one text. */
function leavesOf(pieces: readonly Json[]): readonly Leaf[] {
  const leaves = new Map<string, unknown>();
  for (const piece of pieces) {
    const path = text(piece["jsonPath"]);
    const value =
      typeof piece["stringValue"] === "string"
        ? text(leaves.get(path)) + piece["stringValue"]
        : (piece["numberValue"] ?? piece["boolValue"]);
    leaves.set(path, value);
  }
  return [...leaves].map(([path, value]) => ({ keys: path.replace(/^\$\./, "").split(/\.|(?=\[)/), value }));
}
function treeOf(leaves: readonly Leaf[]): unknown {
  const heads = [...new Set(leaves.map(({ keys }) => keys[0] ?? ""))];
  const below = (head: string): unknown => {
    const under = leaves.filter(({ keys }) => keys[0] === head);
    return under[0]?.keys.length === 1 ? under[0].value : treeOf(under.map(({ keys, value }) => ({ keys: keys.slice(1), value })));
  };
  return heads[0]?.startsWith("[") ? heads.map(below) : Object.fromEntries(heads.map((head) => [head, below(head)]));
}
