import { Type } from "@sinclair/typebox";
import { definePlugin, NO_CONTENT } from "#contract";
import { Batch, BatchBody, BatchList, ListBatchesQuery, RetrieveBatchQuery } from "./schema.ts";

/** `/v1/batches`: specification E4, E5 and their neighbours. */
export default definePlugin({
  kind: "api",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({
    provides: {
      operations: [
        {
          operation: "createBatch",
          content: NO_CONTENT,
          body: BatchBody,
          reply: Batch,
          examples: { "Of an uploaded file": { input_file_id: "file-1" } },
        },
        { operation: "retrieveBatch", content: NO_CONTENT, query: RetrieveBatchQuery, reply: Batch },
        { operation: "listBatches", content: NO_CONTENT, query: ListBatchesQuery, reply: BatchList },
        { operation: "cancelBatch", content: NO_CONTENT, reply: Batch },
        {
          operation: "getBatchOutput",
          content: NO_CONTENT,
          reply: Type.String({ format: "binary", description: "JSONL, one answer a line." }),
        },
      ],
    },
  }),
});
