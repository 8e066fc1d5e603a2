/** How a streamed answer looks in each vendor's wire: what comes before the chunks that are counted, one of those, and what follows. */
export interface Wire {
  readonly first: string;
  readonly middle: string;
  readonly last: string;
}
const HEAD = { id: "chatcmpl-bench", object: "chat.completion.chunk", created: 1_750_000_000, model: "bench-1" };
const USAGE = { prompt_tokens: 120, completion_tokens: 200, total_tokens: 320 };
const TEXT = "fox jumps";

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (type: string, members: object = {}): string => `event: ${type}\n${data({ type, ...members })}`;

const chatChunk = (delta: object, finish_reason: string | null): string =>
  data({ ...HEAD, choices: [{ index: 0, delta, logprobs: null, finish_reason }] });
const chat: Wire = {
  first: chatChunk({ role: "assistant", content: "" }, null),
  middle: chatChunk({ content: TEXT }, null),
  last: `${chatChunk({}, "stop")}${data({ ...HEAD, choices: [], usage: USAGE })}data: [DONE]\n\n`,
};

const MESSAGE = {
  id: "msg_bench",
  type: "message",
  role: "assistant",
  model: "bench-1",
  content: [],
  stop_reason: null,
  stop_sequence: null,
};
const messages: Wire = {
  first:
    named("message_start", { message: { ...MESSAGE, usage: { input_tokens: 120, output_tokens: 1 } } }) +
    named("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
  middle: named("content_block_delta", { index: 0, delta: { type: "text_delta", text: TEXT } }),
  last:
    named("content_block_stop", { index: 0 }) +
    named("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 200 } }) +
    named("message_stop"),
};

const geminiChunk = (text: string, more: object): string =>
  data({
    candidates: [{ content: { parts: [{ text }], role: "model" }, index: 0, ...more }],
    modelVersion: "bench-1",
    responseId: "bench",
  });
const gemini: Wire = {
  first: geminiChunk("The ", {}),
  middle: geminiChunk(TEXT, {}),
  last: data({
    candidates: [{ content: { parts: [{ text: "." }], role: "model" }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 120, candidatesTokenCount: 200, totalTokenCount: 320 },
  }),
};

const RESPONSE = { id: "resp_bench", object: "response", created_at: 1_750_000_000, model: "bench-1" };
const AT = { item_id: "msg_bench", output_index: 0, content_index: 0 };
const PART = { type: "output_text", text: "", annotations: [], logprobs: [] };
const ITEM = { id: "msg_bench", type: "message", role: "assistant", content: [] };
const responses: Wire = {
  first:
    named("response.created", { response: { ...RESPONSE, status: "in_progress", output: [] } }) +
    named("response.output_item.added", { output_index: 0, item: { ...ITEM, status: "in_progress" } }) +
    named("response.content_part.added", { ...AT, part: PART }),
  middle: named("response.output_text.delta", { ...AT, sequence_number: 7, delta: TEXT, logprobs: [] }),
  last:
    named("response.output_item.done", { output_index: 0, item: { ...ITEM, status: "completed", content: [{ ...PART, text: TEXT }] } }) +
    named("response.completed", {
      response: { ...RESPONSE, status: "completed", output: [], usage: { input_tokens: 120, output_tokens: 200, total_tokens: 320 } },
    }),
};

const WIRES: readonly (readonly [path: RegExp, Wire])[] = [
  [/\/messages$/, messages],
  [/:streamGenerateContent$/, gemini],
  [/\/responses$/, responses],
];
/** The wire in which a path is answered. */
export const wireOf = (path: string): Wire => WIRES.find(([pattern]) => pattern.test(path))?.[1] ?? chat;
