import { definePlugin } from "#contract";
import { createResponse } from "./create.ts";
import { responses } from "./dialect.ts";
import { KeptResponses, keptResponses, RetentionConfig } from "./kept/index.ts";

/**
 * `POST /v1/responses` and the dialect it is answered in; responses that the gateway keeps, and those of providers:
 * reading, listing of input, cancelling, deleting (specification E11).
 */
export default definePlugin({
  kind: "api",
  config: RetentionConfig,
  needs: ["records", "blobs", "vault"],
  collections: [KeptResponses],
  setup: (host, config) => {
    const { create, later, jobs } = keptResponses(host, config);
    return { provides: { operations: [{ ...createResponse, ...create }, ...later], dialects: [responses] }, jobs };
  },
});
