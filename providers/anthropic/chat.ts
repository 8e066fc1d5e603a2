import { type AdapterInput, defineAdapter, type Json } from "#contract";
import { betasFor } from "../wires/anthropic/betas.ts";
import { CLAUDE_LACKS } from "../wires/anthropic/lacks.ts";
import { type MessageState, messageStream, reply } from "../wires/anthropic/reply.ts";
import { messagesRequest } from "../wires/anthropic/request.ts";
import { chatRequest } from "../wires/chat/request.ts";

const request = (body: Json, { target, stream }: AdapterInput): Json =>
  messagesRequest(chatRequest(body, "anthropic", CLAUDE_LACKS), { model: target.model, stream });

/** Chat completions over POST /messages. */
export const chat = defineAdapter<MessageState>({
  path: "/messages",
  frames: "sse",
  request,
  headers: (body, { target }) => betasFor(body, target.fields.anthropic_beta),
  reply: (body) => reply(body, "anthropic"),
  stream: messageStream,
});
