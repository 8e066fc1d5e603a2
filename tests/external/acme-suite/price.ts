import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";

/** Acme counts words, and takes something for each time it is asked. */
export default definePlugin({
  kind: "price",
  config: Type.Object({ perWord: Type.Number({ minimum: 0, default: 2, description: "US cents." }) }, { additionalProperties: false }),
  needs: [],
  setup: (_, { perWord }) => ({
    provides: { price: ({ providerId }) => (providerId === "acme-suite" ? { input: 0, output: perWord, request: 1 } : undefined) },
  }),
});
