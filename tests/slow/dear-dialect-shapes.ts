/** Answers of providers that are dear to read, judge, or make into another dialect: whole, and as the frames of a stream. */

type Wire = "chat" | "anthropic" | "responses" | "gemini";
/** The same thing said, whole and streamed; one of the two where the other has no such shape. */
export interface DearAnswer {
  readonly whole?: () => object;
  readonly streamed?: () => string;
}

const MB = 1_000_000;
const LONG = "some words ".repeat(1.4 * MB);
const CHINESE = "漢字 ".repeat(1.3 * MB);
const SIGNATURE = "QUJD".repeat(MB / 4);
const LONG_ARGUMENTS = JSON.stringify({ a: LONG });
/** Calls of an answer have a limit, which of chat's is a lower one. */
const CALLS = 4_000;
const CHAT_CALLS = 500;
/** An answer that is made into another may have 20,000 objects and lists. */
const PIECES = 9_000;
const FRAMES = 60_000;
/** What is cut off a long text for each frame. */
const PER_FRAME = 60_000;

const times = <T>(count: number, of: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => of(at));
const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const event = (type: string, more: object = {}): string => `event: ${type}\n${data({ type, ...more })}`;
function inPieces(text: string, of: (piece: string) => string): string {
  let wire = "";
  for (let at = 0; at < text.length; at += PER_FRAME) wire += of(text.slice(at, at + PER_FRAME));
  return wire;
}

/* ── chat ────────────────────────────────────────────────────────────────────────────────────────────────────── */

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const completion = (message: object, more: object = {}): object => ({
  ...{ id: "x", object: "chat.completion", created: 1, model: "m", usage: USAGE },
  choices: [{ index: 0, message: { role: "assistant", content: null, ...message }, finish_reason: "stop", ...more }],
});
const chunk = (delta: object, finish_reason: string | null = null, more: object = {}): string =>
  data({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason, ...more }] });
const chatStream = (frames: string): string => `${chunk({ role: "assistant", content: "" })}${frames}${chunk({}, "stop")}data: [DONE]\n\n`;
const call = (at: number, args = "{}") => ({ id: `c${at}`, type: "function", function: { name: "f", arguments: args } });
const callDelta = (index: number, args?: string): string =>
  chunk({ tool_calls: [{ index, ...(args === undefined ? call(index, "") : { function: { arguments: args } }) }] });
const token = { token: "a", logprob: -1, bytes: [97], top_logprobs: [] };

const CHAT: Readonly<Record<string, DearAnswer>> = {
  "450,000 short strings": { whole: () => completion({ content: Array<string>(450_000).fill("a") }) },
  "a text of 15 MB": { whole: () => completion({ content: LONG }), streamed: () => chatStream(chunk({ content: LONG })) },
  "a text of 15 MB in pieces": { streamed: () => chatStream(inPieces(LONG, (content) => chunk({ content }))) },
  "Chinese of 12 MB": {
    whole: () => completion({ content: CHINESE }),
    streamed: () => chatStream(inPieces(CHINESE, (content) => chunk({ content }))),
  },
  "9,000 texts": { whole: () => completion({ content: times(PIECES, () => ({ type: "text", text: "a" })) }) },
  "60,000 frames": { streamed: () => chatStream(chunk({ content: "a" }).repeat(FRAMES)) },
  "500 calls": {
    whole: () => completion({ tool_calls: times(CHAT_CALLS, (at) => call(at)) }),
    streamed: () => chatStream(times(CHAT_CALLS, (at) => callDelta(at) + callDelta(at, "{}")).join("")),
  },
  "500 calls that end together": {
    streamed: () => chatStream(times(CHAT_CALLS, (at) => callDelta(at)).join("") + times(CHAT_CALLS, (at) => callDelta(at, "{}")).join("")),
  },
  "arguments of 15 MB": {
    whole: () => completion({ tool_calls: [call(0, LONG_ARGUMENTS)] }),
    streamed: () => chatStream(callDelta(0) + inPieces(LONG_ARGUMENTS, (args) => callDelta(0, args))),
  },
  "a call that does not end, and 10,000 pieces behind it": {
    streamed: () => chatStream(callDelta(0) + callDelta(0, '{"a":') + chunk({ content: "a" }).repeat(10_000)),
  },
  "15,000 thoughts between texts": {
    streamed: () => chatStream((chunk({ reasoning_content: "a" }) + chunk({ content: "a" })).repeat(15_000)),
  },
  "2,000 thoughts between texts": {
    streamed: () => chatStream((chunk({ reasoning_content: "a" }) + chunk({ content: "a" })).repeat(2_000)),
  },
  "9,000 signed thoughts": {
    whole: () =>
      completion({
        content: "a",
        content_blocks: times(PIECES, (at) => (at % 2 ? { type: "thinking", thinking: "a", signature: "b" } : { type: "text", text: "a" })),
      }),
  },
  "probabilities of tokens": {
    whole: () => completion({ content: "a".repeat(PIECES / 2) }, { logprobs: { content: times(PIECES / 2, () => token) } }),
    streamed: () => chatStream(chunk({ content: "a" }, null, { logprobs: { content: [token] } }).repeat(20_000)),
  },
};

/* ── Anthropic's ─────────────────────────────────────────────────────────────────────────────────────────────── */

const message = (content: readonly unknown[], more: object = {}): object => ({
  ...{ id: "x", type: "message", role: "assistant", model: "m", content, stop_reason: "end_turn", stop_sequence: null },
  usage: { input_tokens: 1, output_tokens: 1 },
  ...more,
});
const begins = (index: number, content_block: object): string => event("content_block_start", { index, content_block });
const delta = (index: number, piece: object): string => event("content_block_delta", { index, delta: piece });
const ends = (index: number): string => event("content_block_stop", { index });
const messageStream = (frames: string): string =>
  event("message_start", { message: message([], { stop_reason: null }) }) +
  frames +
  event("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 1 } }) +
  event("message_stop");
const TEXT = { type: "text", text: "" };
const block = (index: number, begun: object, ...pieces: readonly object[]): string =>
  begins(index, begun) + pieces.map((piece) => delta(index, piece)).join("") + ends(index);
const saidIn = (text: string): object => ({ type: "text_delta", text });
const use = (at: number, input: object = {}): object => ({ type: "tool_use", id: `t${at}`, name: "f", input });
const thinking = (signature: string): object => ({ type: "thinking", thinking: "a", signature });
const citation = { type: "char_location", cited_text: "a", document_index: 0, document_title: "t", start_char_index: 0, end_char_index: 1 };

const ANTHROPIC: Readonly<Record<string, DearAnswer>> = {
  "450,000 short strings": { whole: () => message(Array<string>(450_000).fill("a")) },
  "a text of 15 MB": {
    whole: () => message([{ type: "text", text: LONG }]),
    streamed: () => messageStream(block(0, TEXT, saidIn(LONG))),
  },
  "Chinese of 12 MB": {
    whole: () => message([{ type: "text", text: CHINESE }]),
    streamed: () => messageStream(begins(0, TEXT) + inPieces(CHINESE, (text) => delta(0, saidIn(text))) + ends(0)),
  },
  "9,000 texts": {
    whole: () => message(times(PIECES, () => ({ type: "text", text: "a" }))),
    streamed: () => messageStream(times(PIECES, (at) => block(at, TEXT, saidIn("a"))).join("")),
  },
  "60,000 frames": { streamed: () => messageStream(begins(0, TEXT) + delta(0, saidIn("a")).repeat(FRAMES) + ends(0)) },
  "4,000 calls": {
    whole: () => message(times(CALLS, (at) => use(at))),
    streamed: () => messageStream(times(CALLS, (at) => block(at, use(at), { type: "input_json_delta", partial_json: "{}" })).join("")),
  },
  "arguments of 15 MB": {
    whole: () => message([use(0, { a: LONG })]),
    streamed: () =>
      messageStream(
        begins(0, use(0)) + inPieces(LONG_ARGUMENTS, (partial_json) => delta(0, { type: "input_json_delta", partial_json })) + ends(0),
      ),
  },
  "9,000 signed thoughts": {
    whole: () => message(times(PIECES, (at) => (at % 2 ? thinking("b") : { type: "text", text: "a" }))),
    streamed: () =>
      messageStream(
        times(PIECES, (at) =>
          at % 2
            ? block(
                at,
                { type: "thinking", thinking: "", signature: "" },
                { type: "thinking_delta", thinking: "a" },
                { type: "signature_delta", signature: "b" },
              )
            : block(at, TEXT, saidIn("a")),
        ).join(""),
      ),
  },
  "12 MB of signatures": {
    whole: () => message(times(12, () => thinking(SIGNATURE))),
    streamed: () =>
      messageStream(
        times(12, (at) =>
          block(at, { type: "thinking", thinking: "", signature: "" }, { type: "signature_delta", signature: SIGNATURE }),
        ).join(""),
      ),
  },
  "9,000 citations": {
    whole: () => message([{ type: "text", text: "a", citations: times(PIECES, () => citation) }]),
    streamed: () => messageStream(block(0, TEXT, ...times(PIECES, () => ({ type: "citations_delta", citation })), saidIn("a"))),
  },
};

/* ── Responses ───────────────────────────────────────────────────────────────────────────────────────────────── */

const response = (output: readonly object[], more: object = {}): object => ({
  ...{ id: "resp_1", object: "response", created_at: 1, status: "completed", error: null, incomplete_details: null, model: "m", output },
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  ...more,
});
const item = (text: string, at = 0): object => ({
  ...{ type: "message", id: `msg_${at}`, status: "completed", role: "assistant" },
  content: [{ type: "output_text", annotations: [], text }],
});
const itemCall = (at: number, args = "{}"): object => ({
  type: "function_call",
  id: `fc_${at}`,
  call_id: `c${at}`,
  name: "f",
  arguments: args,
  status: "completed",
});
const added = (output_index: number, it: object): string => event("response.output_item.added", { output_index, item: it });
const done = (output_index: number, it: object): string => event("response.output_item.done", { output_index, item: it });
const responseStream = (frames: string, output: readonly object[]): string =>
  event("response.created", { response: response([], { status: "in_progress" }) }) +
  frames +
  event("response.completed", { response: response(output) });
const textDelta = (text: string, output_index = 0): string =>
  event("response.output_text.delta", { item_id: "msg_0", output_index, content_index: 0, delta: text });

const RESPONSES: Readonly<Record<string, DearAnswer>> = {
  "450,000 short strings": {
    whole: () => response([{ type: "message", id: "m", role: "assistant", content: Array<string>(450_000).fill("a") } as object]),
  },
  "a text of 15 MB": {
    whole: () => response([item(LONG)]),
    streamed: () => responseStream(added(0, item("")) + inPieces(LONG, textDelta) + done(0, item(LONG)), [item(LONG)]),
  },
  "Chinese of 12 MB": {
    whole: () => response([item(CHINESE)]),
    streamed: () => responseStream(added(0, item("")) + inPieces(CHINESE, textDelta), []),
  },
  "5,000 messages": {
    whole: () => response(times(5_000, (at) => item("a", at))),
    streamed: () =>
      responseStream(
        times(5_000, (at) => added(at, item("", at)) + textDelta("a", at) + done(at, item("a", at))).join(""),
        times(5_000, (at) => item("a", at)),
      ),
  },
  "60,000 frames": { streamed: () => responseStream(added(0, item("")) + textDelta("a").repeat(FRAMES), [item("a".repeat(FRAMES))]) },
  "4,000 calls": {
    whole: () => response(times(CALLS, (at) => itemCall(at))),
    streamed: () =>
      responseStream(
        times(CALLS, (at) => added(at, itemCall(at, "")) + done(at, itemCall(at))).join(""),
        times(CALLS, (at) => itemCall(at)),
      ),
  },
  "arguments of 15 MB": {
    whole: () => response([itemCall(0, LONG_ARGUMENTS)]),
    streamed: () =>
      responseStream(
        added(0, itemCall(0, "")) +
          inPieces(LONG_ARGUMENTS, (piece) =>
            event("response.function_call_arguments.delta", { item_id: "fc_0", output_index: 0, delta: piece }),
          ),
        [itemCall(0, LONG_ARGUMENTS)],
      ),
  },
  "12 MB of signatures": {
    whole: () => response(times(12, (at) => ({ type: "reasoning", id: `rs_${at}`, summary: [], encrypted_content: SIGNATURE }))),
  },
  "9,000 annotations": {
    whole: () =>
      response([
        {
          ...item("a"),
          content: [
            {
              type: "output_text",
              text: "a",
              annotations: times(PIECES, () => ({ type: "url_citation", url: "http://a", title: "t", start_index: 0, end_index: 1 })),
            },
          ],
        },
      ]),
  },
};

/* ── Gemini's ────────────────────────────────────────────────────────────────────────────────────────────────── */

const generated = (parts: readonly object[], more: object = {}): object => ({
  candidates: [{ content: { role: "model", parts }, index: 0, finishReason: "STOP", ...more }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  modelVersion: "m",
});
const part = (piece: object): string => data({ candidates: [{ content: { role: "model", parts: [piece] }, index: 0 }], modelVersion: "m" });
const geminiStream = (frames: string): string => frames + data(generated([{ text: "." }]));
const both = (parts: readonly object[]): DearAnswer => ({
  whole: () => generated(parts),
  streamed: () => geminiStream(parts.map(part).join("")),
});
const thought = (signature: string): object => ({ text: "a", thought: true, thoughtSignature: signature });

const GEMINI: Readonly<Record<string, DearAnswer>> = {
  "450,000 short strings": { whole: () => generated([{ foo: Array<string>(450_000).fill("a") }]) },
  "a text of 15 MB": both([{ text: LONG }]),
  "Chinese of 12 MB": both([{ text: CHINESE }]),
  "9,000 texts": both(times(PIECES, () => ({ text: "a" }))),
  "60,000 frames": { streamed: () => geminiStream(part({ text: "a" }).repeat(FRAMES)) },
  "4,000 calls": both(times(CALLS, (at) => ({ functionCall: { name: "f", args: { at } } }))),
  "arguments of 15 MB": both([{ functionCall: { name: "f", args: { a: LONG } } }]),
  "9,000 signed thoughts": both(times(PIECES, (at) => (at % 2 ? thought("b") : { text: "a" }))),
  "12 MB of signatures": both(times(12, () => thought(SIGNATURE))),
  "a picture, 12 MB long": both([{ inlineData: { mimeType: "image/png", data: SIGNATURE.repeat(12) } }]),
};

export const DEAR: { readonly [W in Wire]: Readonly<Record<string, DearAnswer>> } = {
  chat: CHAT,
  anthropic: ANTHROPIC,
  responses: RESPONSES,
  gemini: GEMINI,
};
