import type { Dialect } from "#contract";
import { type AnswerState, decode, read, usageIn } from "./decode.ts";
import { GeminiEncoder } from "./encode.ts";
import { judged } from "./judged.ts";
import { chatRequest } from "./served/request.ts";
import { write } from "./write.ts";

/** Google's generateContent and streamGenerateContent. Its streams always tell their usage. */
export const gemini: Dialect<AnswerState> = {
  id: "gemini",
  operation: "generateContent",
  streamedBy: "streamGenerateContent",
  served: { by: "chatComplete", request: chatRequest },
  decode,
  read,
  usage: usageIn,
  write,
  judged,
  encode: (options) => new GeminiEncoder(options),
  asksUsage: () => true,
  withUsage: (body) => body,
  framing: (search) => (/[?&]alt=sse(&|$)/.test(search) ? "sse" : "json-list"),
  isUsageFrame: () => false,
};
