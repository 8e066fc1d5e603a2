import { defineAdapter } from "#contract";
import { type MessageState, messageStream, reply } from "../wires/anthropic/reply.ts";
import { messagesRequest } from "../wires/anthropic/request.ts";

/** Chat completions over POST /messages. */
export const chat = defineAdapter<MessageState>({
  path: "/messages",
  frames: "sse",
  request: (body, { target, stream }) => messagesRequest(body, { model: target.model, stream }),
  reply: (body) => reply(body, "anthropic"),
  stream: messageStream,
});
