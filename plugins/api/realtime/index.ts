import { Type } from "@sinclair/typebox";
import { definePlugin, MAX_MESSAGE_BYTES, NO_CONTENT, type SocketMessages } from "#contract";
import { open } from "../content/schema.ts";
import { content } from "./content.ts";
import { answer, isKnown, isMedia, mayBoundAnswer } from "./events.ts";
import { denied, refusal } from "./refusal.ts";
import { rewritten } from "./rewritten.ts";
import { speech } from "./speech.ts";
import { itemIds as items } from "./tellings.ts";
import { usage } from "./usage.ts";
import { whole } from "./whole.ts";

const KB = 1024;
const MINUTE_MS = 60_000;

const Query = Type.Object(
  {
    model: Type.Optional(
      Type.String({ description: "The model, or `@slug/model` of a saved provider. Every other parameter travels on." }),
    ),
  },
  open,
);

/** `GET /v1/realtime`: a session of OpenAI's Realtime API, over a WebSocket. */
export default definePlugin({
  kind: "api",
  config: Type.Object(
    {
      maxMessageKb: Type.Integer({
        minimum: 16,
        maximum: MAX_MESSAGE_BYTES / KB,
        default: MAX_MESSAGE_BYTES / KB,
        description: "Largest message of either side, in KB; a larger one ends the session with code 1009.",
      }),
      idleMinutes: Type.Integer({
        minimum: 1,
        maximum: 1440,
        default: 15,
        description: "A session in which neither side says anything for so many minutes is closed with code 1001.",
      }),
    },
    { additionalProperties: false },
  ),
  needs: [],
  setup: (_host, { maxMessageKb, idleMinutes }) => {
    const messages: SocketMessages = {
      limits: { messageBytes: maxMessageKb * KB, idleMs: idleMinutes * MINUTE_MS },
      key: { protocolPrefix: "openai-insecure-api-key.", query: ["api-key", "x-gateway-api-key"] },
      content,
      isKnown,
      mayBoundAnswer,
      usage,
      answer,
      speech,
      items,
      cancel: (id) => ({ type: "response.cancel", response_id: id }),
      isMedia,
      refusal,
      denied,
      whole,
      rewritten,
    };
    return {
      provides: {
        operations: [
          {
            operation: "realtime",
            content: NO_CONTENT,
            messages,
            query: Query,
            reply: Type.Unknown(),
            description:
              "A WebSocket. Events of client and provider travel on as they are; what each response used is counted, and guardrails read the texts of events.",
          },
        ],
      },
    };
  },
});
