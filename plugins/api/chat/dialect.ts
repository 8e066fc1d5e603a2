import type { Dialect } from "#contract";
import { asksUsage, isUsageFrame, withUsage } from "../content/usage-frame.ts";
import { type ChatState, decode, read, usageIn } from "./decode.ts";
import { ChatEncoder } from "./encode.ts";
import { judged } from "./judged.ts";
import { write } from "./write.ts";

/** OpenAI's chat completions: the dialect of `POST /v1/chat/completions`, and the own wire of most providers. */
export const chat: Dialect<ChatState> = {
  id: "chat",
  operation: "chatComplete",
  decode,
  read,
  usage: usageIn,
  write,
  judged,
  encode: (options) => new ChatEncoder(options),
  asksUsage,
  withUsage,
  isUsageFrame,
};
