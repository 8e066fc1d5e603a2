import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { fileIds } from "../content/file-ids.ts";
import { MESSAGES } from "../content/index.ts";
import { Message200, MessagesBody, TokenCount200, TokenCountBody } from "./body.ts";
import { messages } from "./dialect.ts";
import { errorBody } from "./failure.ts";

const { input, lastInput } = MESSAGES;
const question = [{ role: "user", content: "Hello" }];

/** `POST /v1/messages`, the dialect it is answered in, and `POST /v1/messages/count_tokens`. */
export default definePlugin({
  kind: "api",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({
    provides: {
      operations: [
        {
          operation: "messages",
          content: MESSAGES,
          owned: { named: fileIds },
          failure: errorBody,
          body: MessagesBody,
          reply: Message200,
          examples: {
            "A question": { model: "echo", max_tokens: 100, messages: question },
            "The answer as a stream": { model: "echo", max_tokens: 100, stream: true, messages: question },
          },
          description:
            'Anthropic\'s Messages API, over any provider: natively where the provider has it, else by its chat completions. With `"stream": true` the answer is server-sent events from `message_start` to `message_stop`.',
        },
        {
          operation: "messagesCountTokens",
          content: { ...(input && { input }), ...(lastInput && { lastInput }), usage: () => NOTHING_USED },
          owned: { named: fileIds },
          failure: errorBody,
          body: TokenCountBody,
          reply: TokenCount200,
          examples: { "A question": { model: "echo", messages: question } },
          description: "How many input tokens a message request would have; it is not generated, and costs nothing.",
        },
      ],
      dialects: [messages],
    },
  }),
});

/** Said, so that nobody counts the text and takes it for usage. */
const NOTHING_USED = { input: 0, output: 0 };
