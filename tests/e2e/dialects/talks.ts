/** A conversation with one tool, as clients of each dialect hold it: through the official libraries where they keep all that they are given. */
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { GATEWAY_KEY } from "../process.ts";

type Json = Readonly<Record<string, unknown>>;
type Mutable = Record<string, unknown>;

/** What the model said: what the client keeps of it in the conversation, its text, and the id of its call. */
export interface Spoken {
  readonly kept: readonly unknown[];
  readonly text: string;
  readonly callId?: string;
}
export interface Talk {
  user(text: string): unknown;
  result(callId: string, text: string): unknown;
  ask(history: readonly unknown[], stream: boolean): Promise<Spoken>;
}
export interface Gate {
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
}
const MODEL = "claude-sonnet-4-5"; // each target of the tests has one of its own
const SCHEMA = { type: "object", properties: { city: { type: "string" } } } as const;
const headersOf = ({ headers }: Gate): Record<string, string> => ({ "x-gateway-api-key": GATEWAY_KEY, ...headers });

/* ── chat ────────────────────────────────────────────────────────────────────────────────────────────────────── */

/** By hand: the official library keeps nothing of `content_blocks` in a stream. */
const chat = (gate: Gate): Talk => ({
  user: (content) => ({ role: "user", content }),
  result: (tool_call_id, content) => ({ role: "tool", tool_call_id, content }),
  async ask(messages, stream) {
    const tools = [{ type: "function", function: { name: "weather", parameters: SCHEMA } }];
    const body = { model: MODEL, messages, stream, tools, thinking: { type: "enabled", budget_tokens: 1024 }, max_tokens: 4096 };
    const response = await fetch(`${gate.base}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer sk", ...headersOf(gate) },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    const message = stream ? foldedMessage(text) : (JSON.parse(text) as { choices: { message: Json }[] }).choices[0]?.message;
    return spokenInChat(message ?? {});
  },
});
function spokenInChat(message: Json): Spoken {
  const { hook_results: _, ...kept } = message;
  const [call] = (message["tool_calls"] ?? []) as { id: string }[];
  return { kept: [kept], text: String(message["content"] ?? ""), ...(call && { callId: call.id }) };
}
export function foldedMessage(wire: string): Json {
  const message: Mutable = { role: "assistant", content: "" };
  const calls: Mutable[] = [];
  const blocks: Mutable[] = [];
  for (const [, data = ""] of wire.matchAll(/^data: (\{.*)$/gm)) {
    const chunk = JSON.parse(data) as { error?: Json; choices?: { delta: Json }[] };
    if (chunk.error) throw new Error(data);
    const { content, tool_calls = [], content_blocks = [] } = (chunk.choices?.[0]?.delta ?? {}) as Record<string, never>;
    message["content"] = `${String(message["content"])}${content ?? ""}`;
    for (const { index = 0, ...piece } of tool_calls as Json[]) addTo((calls[Number(index)] ??= {}), piece);
    for (const { index = 0, delta } of content_blocks as Json[]) addTo((blocks[Number(index)] ??= {}), delta as Json);
  }
  for (const block of blocks) block["type"] ??= "text" in block ? "text" : "thinking";
  if (message["content"] === "") message["content"] = null;
  return { ...message, ...(calls.length > 0 && { tool_calls: calls }), ...(blocks.length > 0 && { content_blocks: blocks }) };
}
/** Texts grow, objects are folded, whatever names the thing stays. */
function addTo(target: Mutable, piece: Json): void {
  for (const [name, value] of Object.entries(piece)) {
    if (typeof value === "object" && value !== null) addTo((target[name] ??= {}) as Mutable, value as Json);
    else if (["arguments", "text", "thinking"].includes(name)) target[name] = `${String(target[name] ?? "")}${String(value)}`;
    else target[name] = value;
  }
}

/* ── messages ────────────────────────────────────────────────────────────────────────────────────────────────── */

const messages = (gate: Gate): Talk => ({
  user: (content) => ({ role: "user", content }),
  result: (tool_use_id, content) => ({ role: "user", content: [{ type: "tool_result", tool_use_id, content }] }),
  async ask(history, stream) {
    const client = new Anthropic({ apiKey: "sk", baseURL: gate.base, maxRetries: 0, defaultHeaders: headersOf(gate) });
    const body: Anthropic.MessageCreateParamsNonStreaming = {
      model: MODEL,
      max_tokens: 4096,
      messages: history as Anthropic.MessageParam[],
      tools: [{ name: "weather", input_schema: SCHEMA }],
      thinking: { type: "enabled", budget_tokens: 1024 },
    };
    const { content } = stream ? await client.messages.stream(body).finalMessage() : await client.messages.create(body);
    const call = content.find(({ type }) => type === "tool_use") as Anthropic.ToolUseBlock | undefined;
    const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
    return { kept: [{ role: "assistant", content }], text, ...(call && { callId: call.id }) };
  },
});

/* ── responses ───────────────────────────────────────────────────────────────────────────────────────────────── */

const responses = (gate: Gate): Talk => ({
  user: (content) => ({ role: "user", content }),
  result: (call_id, output) => ({ type: "function_call_output", call_id, output }),
  async ask(history, stream) {
    const client = new OpenAI({ apiKey: "sk", baseURL: `${gate.base}/v1`, maxRetries: 0, defaultHeaders: headersOf(gate) });
    const body: OpenAI.Responses.ResponseCreateParamsNonStreaming = {
      model: MODEL,
      input: history as OpenAI.Responses.ResponseInput,
      tools: [{ type: "function", name: "weather", parameters: { ...SCHEMA }, strict: false }],
      include: ["reasoning.encrypted_content"],
      reasoning: { effort: "low" },
      store: false,
    };
    const { output } = stream
      ? await client.responses.stream({ ...body, stream: true }).finalResponse()
      : await client.responses.create(body);
    // the library notes what it has read of the arguments beside them
    const kept = output.map((item): object => ({ ...item, parsed_arguments: undefined }));
    const call = output.find(({ type }) => type === "function_call") as OpenAI.Responses.ResponseFunctionToolCall | undefined;
    const parts = output.flatMap((item) => (item.type === "message" ? item.content : []));
    const text = parts.map((part) => (part.type === "output_text" ? part.text : "")).join("");
    return { kept, text, ...(call && { callId: call.call_id }) };
  },
});

/* ── gemini ──────────────────────────────────────────────────────────────────────────────────────────────────── */

/** A client that reads signatures as bytes, as several of Google's do, writes them in the alphabet for URLs. */
const rewritten = (signature: string): string => Buffer.from(signature, "base64").toString("base64url");

const gemini =
  (rewrites: boolean) =>
  (gate: Gate): Talk => ({
    user: (text) => ({ role: "user", parts: [{ text }] }),
    result: (_id, output) => ({ role: "user", parts: [{ functionResponse: { name: "weather", response: { output } } }] }),
    async ask(history, stream) {
      const client = new GoogleGenAI({ apiKey: "sk", httpOptions: { baseUrl: gate.base, headers: headersOf(gate) } });
      const asked = {
        model: MODEL,
        contents: history as never,
        config: {
          tools: [{ functionDeclarations: [{ name: "weather", parametersJsonSchema: SCHEMA }] }],
          thinkingConfig: { includeThoughts: true, thinkingBudget: 1024 },
        },
      };
      const chunks = [];
      if (stream) for await (const chunk of await client.models.generateContentStream(asked)) chunks.push(chunk);
      else chunks.push(await client.models.generateContent(asked));
      const given = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
      const parts = given.map((part) =>
        rewrites && part.thoughtSignature !== undefined ? { ...part, thoughtSignature: rewritten(part.thoughtSignature) } : part,
      );
      const call = parts.find(({ functionCall }) => functionCall !== undefined);
      const text = parts.map(({ text = "", thought }) => (thought ? "" : text)).join("");
      return { kept: [{ role: "model", parts }], text, ...(call && { callId: call.functionCall?.id ?? "weather" }) };
    },
  });

export const TALKS: Readonly<Record<string, (gate: Gate) => Talk>> = { chat, messages, responses, gemini: gemini(false) };
export const rewritingGemini = gemini(true);
