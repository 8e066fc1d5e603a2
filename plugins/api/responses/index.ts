import { definePlugin } from "#contract";
import { KeptResponses, keptResponses, RetentionConfig } from "./kept/index.ts";

/** Responses that the gateway keeps, and those of providers: reading, listing of input, cancelling, deleting (specification E11). */
export default definePlugin({
  kind: "api",
  config: RetentionConfig,
  needs: ["records", "blobs", "vault"],
  collections: [KeptResponses],
  setup: (host, config) => {
    const { later, jobs } = keptResponses(host, config);
    return { provides: { operations: later }, jobs };
  },
});
