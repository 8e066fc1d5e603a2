import { Type } from "@sinclair/typebox";
import { definePlugin } from "#contract";
import { Batch, BatchBody, BatchList, ListBatchesQuery, RetrieveBatchQuery } from "./schema.ts";

/** `/v1/batches`: specification E4, E5 and their neighbours. */
export default definePlugin({
  kind: "api",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({
    provides: {
      operations: [
        { operation: "createBatch", body: BatchBody, reply: Batch },
        { operation: "retrieveBatch", query: RetrieveBatchQuery, reply: Batch },
        { operation: "listBatches", query: ListBatchesQuery, reply: BatchList },
        { operation: "cancelBatch", reply: Batch },
        { operation: "getBatchOutput", reply: Type.String({ format: "binary", description: "JSONL, one answer a line." }) },
      ],
    },
  }),
});
