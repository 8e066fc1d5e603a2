import { defineAdapter } from "#contract";
import { GEMINI_LACKS } from "../wires/gemini/lacks.ts";
import { type AnswerState, answerStream, reply } from "../wires/gemini/reply.ts";
import { geminiRequest } from "../wires/gemini/request.ts";
import { chatRequest } from "../wires/chat/request.ts";
import { modelPath } from "./model-path.ts";

/** Chat completions over :generateContent and :streamGenerateContent. */
export const chat = defineAdapter<AnswerState>({
  path: (_body, ask) => `/v1beta/${modelPath(ask)}:${ask.stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
  frames: "sse",
  request: (body, { target }) => geminiRequest(chatRequest(body, "google", GEMINI_LACKS), target.model),
  reply: (body) => reply(body, "google"),
  stream: answerStream("google"),
});
