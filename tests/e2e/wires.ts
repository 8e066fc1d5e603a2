/** One short answer on every stream wire that the tree's providers speak, and how to ask for it. */
import { event } from "../providers/bedrock-eventstream.ts";

export interface Wire {
  readonly type: string;
  /** Everything before the finish. */
  readonly begins: Uint8Array;
  /** The finish, then the usage where the wire tells it afterwards. */
  readonly finish: Uint8Array;
  /** What says that nothing follows; null where only the connection's end does. */
  readonly marker: Uint8Array | null;
  /** Nothing before the marker says that the answer is complete. */
  readonly endsWithMarker?: true;
  /** What keeps the connection open and says nothing; null where the wire has no such thing. */
  readonly ping: Uint8Array | null;
  readonly headers: (host: string) => Record<string, string>;
}
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: { readonly type: string }): string => `event: ${value.type}\n${data(value)}`;
const chat = (delta: object, finish: string | null = null): string =>
  data({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] });
const to =
  (provider: string, path = "") =>
  (host: string) => ({
    "x-gateway-provider": provider,
    "x-gateway-custom-host": host + path,
    authorization: "Bearer k",
  });

export const WIRES: Readonly<Record<string, Wire>> = {
  openai: {
    type: "text/event-stream",
    begins: bytes(chat({ role: "assistant", content: "" }) + chat({ content: "Hello" })),
    finish: bytes(
      chat({}, "stop") +
        data({
          id: "c",
          object: "chat.completion.chunk",
          created: 1,
          model: "m",
          choices: [],
          usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
        }),
    ),
    marker: bytes("data: [DONE]\n\n"),
    ping: bytes(": still there\n\n"),
    headers: to("openai"),
  },
  anthropic: {
    type: "text/event-stream",
    begins: bytes(
      named({
        type: "message_start",
        message: { id: "m", type: "message", role: "assistant", model: "m", content: [], usage: { input_tokens: 3, output_tokens: 1 } },
      } as never) +
        named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } } as never) +
        named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello" } } as never) +
        named({ type: "content_block_stop", index: 0 } as never),
    ),
    finish: bytes(named({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } } as never)),
    marker: bytes(named({ type: "message_stop" })),
    endsWithMarker: true,
    ping: bytes(named({ type: "ping" })),
    headers: to("anthropic"),
  },
  google: {
    type: "text/event-stream",
    begins: bytes(
      data({ candidates: [{ index: 0, content: { role: "model", parts: [{ text: "Hello" }] } }], modelVersion: "m", responseId: "r" }),
    ),
    finish: bytes(
      data({
        candidates: [{ index: 0, content: { role: "model", parts: [{ text: "" }] }, finishReason: "STOP" }],
        usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 5, totalTokenCount: 8 },
        modelVersion: "m",
        responseId: "r",
      }),
    ),
    marker: null,
    ping: bytes(": still there\n\n"),
    headers: to("google"),
  },
  bedrock: {
    type: "application/vnd.amazon.eventstream",
    begins: Buffer.concat([
      event("messageStart", { role: "assistant" }),
      event("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Hello" } }),
      event("contentBlockStop", { contentBlockIndex: 0 }),
    ]),
    finish: event("messageStop", { stopReason: "end_turn" }),
    marker: event("metadata", { usage: { inputTokens: 3, outputTokens: 5, totalTokens: 8 }, metrics: { latencyMs: 1 } }),
    ping: null,
    headers: (host) => ({
      ...to("bedrock")(host),
      "x-gateway-aws-access-key-id": "AKIAHEADER",
      "x-gateway-aws-secret-access-key": "secret",
      "x-gateway-aws-region": "eu-central-1",
    }),
  },
};
