import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { COMPLETION } from "../content/index.ts";
import { completions } from "./dialect.ts";
import { Completion, CompletionBody } from "./schema.ts";

/** `POST /v1/completions` and the dialect it is answered in. */
export default definePlugin({
  kind: "api",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({
    provides: {
      operations: [
        {
          operation: "complete",
          content: COMPLETION,
          body: CompletionBody,
          reply: Completion,
          examples: {
            "A prompt": { model: "sandbox-text", prompt: "Once upon a time" },
            "Two prompts, as a stream": { model: "sandbox-echo", stream: true, echo: true, prompt: ["Once upon", "a time"] },
          },
          description: 'With `"stream": true` the answer is server-sent events of text_completion objects, ended by `data: [DONE]`.',
        },
      ],
      dialects: [completions],
    },
  }),
});
