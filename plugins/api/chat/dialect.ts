import { type Dialect, isJson, type Json } from "#contract";
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
  asksUsage: (body) => isJson(body["stream_options"]) && body["stream_options"]["include_usage"] === true,
  withUsage: (body) => ({
    ...body,
    stream_options: { ...(isJson(body["stream_options"]) ? body["stream_options"] : {}), include_usage: true },
  }),
  isUsageFrame: (data) => data.length < MAX_USAGE && data.includes('"usage"') && isUsageChunk(data),
};

/** Characters of a usage chunk: counts and their names. */
const MAX_USAGE = 64 * 1024;

function isUsageChunk(data: string): boolean {
  try {
    const chunk: Json = JSON.parse(data);
    return Array.isArray(chunk["choices"]) && chunk["choices"].length === 0 && isJson(chunk["usage"]);
  } catch {
    return false; // what is no JSON is no usage chunk; decode reports it
  }
}
