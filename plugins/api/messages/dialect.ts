import type { Dialect } from "#contract";
import { responseRequest, suits } from "./by-responses/request.ts";
import { decode, type MessageState, read, usageIn } from "./decode.ts";
import { MessagesEncoder } from "./encode.ts";
import { judged } from "./judged.ts";
import { chatRequest } from "./served/request.ts";
import { write } from "./write.ts";

/** Anthropic's messages: the dialect of `POST /v1/messages`. Its streams always tell their usage. */
export const messages: Dialect<MessageState> = {
  id: "messages",
  operation: "messages",
  served: { by: "chatComplete", request: chatRequest },
  servedBefore: { by: "createModelResponse", request: responseRequest, flag: "use-responses-api-2026-07-30", suits },
  decode,
  read,
  usage: usageIn,
  write,
  judged,
  encode: (options) => new MessagesEncoder(options),
  asksUsage: () => true,
  withUsage: (body) => body,
  isUsageFrame: () => false,
};
