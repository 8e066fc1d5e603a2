import { definePlugin, OwnedIdRecords } from "#contract";
import { createResponse } from "./create.ts";
import { responses } from "./dialect.ts";
import { forgetting } from "./forgetting.ts";
import { KeptResponses, keptResponses, RetentionConfig } from "./kept/index.ts";

/**
 * `POST /v1/responses` and the dialect it is answered in; responses that the gateway keeps, and those of providers:
 * reading, listing of input, cancelling, deleting (specification E11).
 */
export default definePlugin({
  kind: "api",
  config: RetentionConfig,
  needs: ["records", "blobs", "vault"],
  collections: [KeptResponses, OwnedIdRecords],
  setup: (host, config) => {
    const { create, later, jobs } = keptResponses(host, config);
    const forgets = forgetting({ records: host.records.in(OwnedIdRecords), log: host.log, now: host.now, days: config.ownedDays });
    return { provides: { operations: [{ ...createResponse, ...create }, ...later], dialects: [responses] }, jobs: [...jobs, forgets] };
  },
});
