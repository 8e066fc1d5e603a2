import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";

/** Counts for one provider, whose tokens are words and the signs between them. */
export default definePlugin({
  kind: "tokenizer",
  config: Type.Object(
    { provider: Type.String({ default: "sprocket", minLength: 1, description: "Id of the provider." }) },
    { additionalProperties: false },
  ),
  needs: [],
  setup: (_, { provider }) => ({
    provides: { count: (texts, { providerId }) => (providerId === provider ? texts.map(tokensIn) : undefined) },
  }),
});

const tokensIn = (text: string): number => text.match(/\w+|[^\w\s]/g)?.length ?? 0;
