import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { RESPONSE } from "../../../plugins/api/content/index.ts";
import { KeptResponses, keptResponses, RetentionConfig } from "../../../plugins/api/responses/kept/index.ts";
import { answers } from "./dialect.ts";

const Body = Type.Object({ model: Type.String() }, { additionalProperties: true });

/** `POST /v1/responses` by translation, in a form as small as it can be, with what is kept of it. */
export default definePlugin({
  kind: "api",
  config: RetentionConfig,
  needs: ["records", "blobs", "vault"],
  collections: [KeptResponses],
  setup: (host, config) => {
    const { create, later, jobs } = keptResponses(host, config);
    const making = { operation: "createModelResponse", content: RESPONSE, body: Body, reply: Body, ...create } as const;
    return { provides: { operations: [making, ...later], dialects: [answers] }, jobs };
  },
});
