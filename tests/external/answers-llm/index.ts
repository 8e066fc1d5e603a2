import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";

/** A provider that has the Responses API itself. */
export default definePlugin({
  kind: "provider",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({
    provides: {
      target: Type.Object({}, { additionalProperties: false }),
      endpoint: ({ customHost }) => ({ baseUrl: customHost ?? "https://api.answers-llm.example/v1", headers: {} }),
      dialect: ["responses"],
      operations: { createModelResponse: {} },
    },
  }),
});
