import { Type } from "@sinclair/typebox";
import { ChatBody, definePlugin } from "#contract";
import { fileIds } from "../content/file-ids.ts";
import { CHAT } from "../content/index.ts";
import { chat } from "./dialect.ts";
import { ChatCompletion } from "./reply.ts";

/** `POST /v1/chat/completions` and the dialect it is answered in. */
export default definePlugin({
  kind: "api",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({
    provides: {
      operations: [
        {
          operation: "chatComplete",
          content: CHAT,
          owned: { named: fileIds },
          body: ChatBody,
          reply: ChatCompletion,
          examples: {
            "A question": { model: "echo", messages: [{ role: "user", content: "Hello" }] },
            "The answer as a stream": { model: "echo", stream: true, messages: [{ role: "user", content: "Hello" }] },
          },
          description: 'With `"stream": true` the answer is server-sent events of chat.completion.chunk objects, ended by `data: [DONE]`.',
        },
      ],
      dialects: [chat],
    },
  }),
});
