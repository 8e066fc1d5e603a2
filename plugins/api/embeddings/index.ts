import { Type } from "@sinclair/typebox";
import { type BodyContent, definePlugin, isJson, type Json, tokens, type Usage } from "#contract";
import { EMBEDDING } from "../content/index.ts";
import { asksBase64, holdsLists, inBase64 } from "./base64.ts";
import { EmbeddingBody, EmbeddingList } from "./schema.ts";

/** Input only; a count below zero says that the provider reports none. */
function usage({ usage: reported }: Json): Usage | undefined {
  const count = isJson(reported) ? (reported["prompt_tokens"] ?? reported["total_tokens"]) : undefined;
  return typeof count === "number" && count >= 0 ? { input: tokens(count) } : undefined;
}

const content: BodyContent = {
  ...EMBEDDING,
  usage,
  asAsked: (answer, asked) => (asksBase64(asked) && holdsLists(answer) ? inBase64(answer) : answer),
};

/** `POST /v1/embeddings`. */
export default definePlugin({
  kind: "api",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({
    provides: {
      operations: [
        {
          operation: "embed",
          content,
          body: EmbeddingBody,
          reply: EmbeddingList,
          examples: {
            "A text": { model: "sandbox-embedding", input: "The quick brown fox" },
            "Several texts, in base64": { model: "sandbox-embedding", input: ["One", "Two"], encoding_format: "base64", dimensions: 8 },
          },
        },
      ],
    },
  }),
});
