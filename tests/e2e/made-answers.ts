/**
 * Short answers of each wire with characters of two, three and four bytes: cut everywhere where there are no recordings,
 * and with what no recording has, lines that end with CR LF.
 */
import { saidByBody, saidByStream, type Wire } from "./recorded.ts";
import { framed, type Recorded } from "./replayed.ts";

const TEXTS = ["Größe: ", "12 € – ", "😀 漢字"];
const chat = (delta: object, finish: string | null = null): object => ({
  ...{ id: "c", object: "chat.completion.chunk", created: 1, model: "m" },
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const gemini = (text: string, more: object = {}, finish: object = {}): object => ({
  candidates: [{ index: 0, content: { role: "model", parts: [{ text }] }, ...finish }],
  ...{ modelVersion: "m", responseId: "r" },
  ...more,
});

const LINES: Readonly<Record<Wire, readonly object[]>> = {
  chat: [
    chat({ role: "assistant", content: "" }),
    ...TEXTS.map((content) => chat({ content })),
    chat({}, "stop"),
    { ...chat({}), choices: [], usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 } },
  ],
  messages: [
    {
      type: "message_start",
      message: { id: "m", type: "message", role: "assistant", model: "m", content: [], usage: { input_tokens: 3, output_tokens: 1 } },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...TEXTS.map((text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ],
  gemini: [
    ...TEXTS.map((text) => gemini(text)),
    gemini("", { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 5, totalTokenCount: 8 } }, { finishReason: "STOP" }),
  ],
};
/** Of the chat wire one provider whose bytes pass, and one whose frames are read. */
const PROVIDERS: readonly (readonly [provider: string, wire: Wire])[] = [
  ["openai", "chat"],
  ["mistral-ai", "chat"],
  ["anthropic", "messages"],
  ["google", "gemini"],
];
const BODY = JSON.stringify({
  ...{ id: "c", object: "chat.completion", created: 1, model: "m" },
  choices: [{ index: 0, message: { role: "assistant", content: TEXTS.join("") }, finish_reason: "stop" }],
  usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
});

export const madeStreams: readonly Recorded[] = PROVIDERS.map(([provider, wire]) => {
  const lines = LINES[wire].map((line) => JSON.stringify(line));
  return { path: `a made answer of ${provider}`, provider, wire, bytes: framed(lines, wire), said: saidByStream(wire, lines) };
});
export const madeBodies: readonly Recorded[] = [
  { path: "a made answer", provider: "openai", wire: "chat", bytes: new TextEncoder().encode(BODY), said: saidByBody("chat", BODY) },
];

/** The same with lines that end with CR LF: no line of an answer holds a line end itself. */
export const withCrLf = (recorded: Recorded): Recorded => ({
  ...recorded,
  bytes: new TextEncoder().encode(new TextDecoder().decode(recorded.bytes).replaceAll("\n", "\r\n")),
});
