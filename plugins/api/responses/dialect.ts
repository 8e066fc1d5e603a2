import type { Dialect } from "#contract";
import { decode, type ResponseReading, read, terminal, usageIn } from "./decode.ts";
import { ResponsesEncoder } from "./encode.ts";
import { judged } from "./judged.ts";
import { echoOf } from "./response.ts";
import { chatRequest } from "./served/request.ts";
import { write } from "./write.ts";

/** OpenAI's responses: the dialect of `POST /v1/responses`. Its streams always tell their usage. */
export const responses: Dialect<ResponseReading> = {
  id: "responses",
  operation: "createModelResponse",
  served: { by: "chatComplete", request: chatRequest },
  decode,
  read,
  usage: usageIn,
  write,
  judged,
  encode: (options) => new ResponsesEncoder(options),
  echo: echoOf,
  terminal,
  notesBehindStart: true,
  asksUsage: () => true,
  withUsage: (body) => body,
  isUsageFrame: () => false,
};
