import { Type } from "@sinclair/typebox";
import { definePlugin, isJson, type Json, NO_CONTENT, type OwnedIds } from "#contract";
import { BATCH_ANSWERS } from "../content/batch-lines.ts";
import { Batch, BatchBody, BatchList, ListBatchesQuery, RetrieveBatchQuery } from "./schema.ts";

const textsAt = (body: Json, names: readonly string[]): readonly string[] =>
  names.flatMap((name) => (typeof body[name] === "string" ? [body[name]] : []));
/** A batch, and the files that its lines' answers are in. */
const madeBy = (batch: Json): readonly string[] => textsAt(batch, ["id", "output_file_id", "error_file_id"]);

const creates: OwnedIds = { named: (body) => textsAt(body, ["input_file_id"]), made: madeBy };
const ofPath: OwnedIds = { params: ["batch_id"] };
const shows: OwnedIds = { ...ofPath, made: madeBy };
const lists: OwnedIds = { lists: true, made: ({ data }) => (Array.isArray(data) ? data.filter(isJson).flatMap(madeBy) : []) };

/** `/v1/batches`: created, listed, read and cancelled. */
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
          owned: creates,
          examples: {
            "Of an uploaded file": { input_file_id: "file-1" },
            "Of embeddings": {
              input_file_id: "file-1",
              endpoint: "/v1/embeddings",
              completion_window: "24h",
              metadata: { team: "search" },
            },
          },
        },
        { operation: "retrieveBatch", content: NO_CONTENT, query: RetrieveBatchQuery, reply: Batch, owned: shows },
        { operation: "listBatches", content: NO_CONTENT, query: ListBatchesQuery, reply: BatchList, owned: lists },
        { operation: "cancelBatch", content: NO_CONTENT, reply: Batch, owned: shows },
        {
          operation: "getBatchOutput",
          content: { file: "answered", answers: BATCH_ANSWERS },
          owned: ofPath,
          reply: Type.String({ format: "binary", description: "JSONL, one answer a line." }),
          description: "The file of a completed batch's answers, in one call, also where its provider gives it in two.",
        },
      ],
    },
  }),
});
