import { type AdapterInput, defineAdapter, type Frame, isJson, type Json, type StreamEvent, type StreamMap } from "#contract";
import { betaHeader } from "../wires/anthropic/betas.ts";
import { CLAUDE_LACKS } from "../wires/anthropic/lacks.ts";
import { messageStream, reply as messageReply } from "../wires/anthropic/reply.ts";
import { messagesRequest } from "../wires/anthropic/request.ts";
import { traitsOf } from "../wires/anthropic/traits.ts";
import { GEMINI_LACKS } from "../wires/gemini/lacks.ts";
import { answerStream, reply as answerReply } from "../wires/gemini/reply.ts";
import { geminiRequest } from "../wires/gemini/request.ts";
import { chatRequest } from "../wires/chat/request.ts";
import { modelPath } from "./endpoint.ts";
import { type Publisher, vertexModel } from "./model.ts";
import { claudeVersion, fieldsOf, PROVIDER } from "./target.ts";

/** How the models of one publisher are spoken to. */
interface Spoken {
  readonly whole: string;
  readonly streamed: string;
  request(body: Json, ask: AdapterInput, name: string): Json;
  headers(ask: AdapterInput): Readonly<Record<string, string>>;
  reply(body: Json): readonly StreamEvent[];
}
const SPOKEN: { readonly [P in Publisher]: Spoken } = {
  google: {
    whole: "generateContent",
    streamed: "streamGenerateContent?alt=sse",
    request: (body, _ask, name) => geminiRequest(chatRequest(body, PROVIDER, GEMINI_LACKS), name),
    headers: () => ({}),
    reply: (body) => answerReply(body, PROVIDER),
  },
  anthropic: {
    whole: "rawPredict",
    streamed: "streamRawPredict",
    request: claudeRequest,
    headers: ({ target }) => betaHeader(fieldsOf(target).anthropic_beta),
    reply: (body) => messageReply(body, PROVIDER),
  },
};

/** The model stands in the URL, and the version in the body. Vertex knows no structured output: `output_config` would be refused. */
function claudeRequest(body: Json, { target, stream }: AdapterInput, name: string): Json {
  const traits = { ...traitsOf(name), structured: false };
  const request = chatRequest(body, PROVIDER, [...CLAUDE_LACKS, "keptFiles"]);
  const { model: _model, output_config: _config, ...message } = messagesRequest(request, { model: name, stream, traits });
  return { anthropic_version: claudeVersion(target), ...message };
}
const spoken = ({ target }: AdapterInput): Spoken => SPOKEN[vertexModel(target.model).publisher];

type Reader = (frame: Frame) => readonly StreamEvent[];
interface ChatState {
  /** `null` before the first frame. */
  read: Reader | null;
}
/** A stream does not know which model was asked; its first frame shows whose wire it is. */
const chatStream: StreamMap<ChatState> = {
  start: () => ({ read: null }),
  event(frame, state) {
    if (frame.event === "vertex_event") return []; // Vertex's own, among Claude's
    state.read ??= isClaude(frame) ? readerOf(messageStream) : readerOf(answerStream(PROVIDER));
    return state.read(frame);
  },
};
/** Claude's events have a type; Gemini's chunks have none. */
function isClaude({ event, data }: Frame): boolean {
  const value: unknown = event === "" ? JSON.parse(data) : undefined;
  return event !== "" || (isJson(value) && "type" in value);
}
function readerOf<S>(map: StreamMap<S>): Reader {
  const state = map.start();
  return (frame) => map.event(frame, state);
}

/** Chat completions of Gemini and Claude. */
export const chat = defineAdapter<ChatState>({
  path: (_body, ask) => modelPath(ask.target, ask.stream ? spoken(ask).streamed : spoken(ask).whole),
  frames: "sse",
  request: (body, ask) => spoken(ask).request(body, ask, vertexModel(ask.target.model).name),
  headers: (_body, ask) => spoken(ask).headers(ask),
  reply: (body, ask) => spoken(ask).reply(body),
  stream: chatStream,
});
