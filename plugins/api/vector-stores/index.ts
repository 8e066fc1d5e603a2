import { Type } from "@sinclair/typebox";
import { definePlugin, Nullable, OneOf, NO_CONTENT } from "#contract";

const open = { additionalProperties: true } as const;
const STATUS = ["in_progress", "completed", "failed", "cancelled"] as const;

const ListFilesQuery = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: "Page size." })),
    order: Type.Optional(OneOf(["asc", "desc"], { default: "desc", description: "By time of creation." })),
    after: Type.Optional(Type.String({ description: "Id after which the page begins." })),
    before: Type.Optional(Type.String({ description: "Id before which the page ends." })),
    filter: Type.Optional(OneOf(STATUS, { description: "Only files in this state." })),
  },
  open,
);

const ChunkingStrategy = Type.Object(
  {
    type: Type.String({ description: "`static` or `other`." }),
    static: Type.Optional(Type.Object({ max_chunk_size_tokens: Type.Integer(), chunk_overlap_tokens: Type.Integer() }, open)),
  },
  open,
);

/** Specification 2.13. */
const VectorStoreFile = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("vector_store.file"),
    usage_bytes: Type.Integer(),
    created_at: Type.Integer({ description: "Unix seconds." }),
    vector_store_id: Type.String(),
    status: OneOf(STATUS, { description: "State of the file." }),
    last_error: Nullable(Type.Object({ code: Type.String(), message: Type.String() }, open)),
    chunking_strategy: Type.Optional(ChunkingStrategy),
  },
  { ...open, $id: "VectorStoreFileObject" },
);

/** Specification E9. */
const FileList = Type.Object(
  {
    object: Type.String(),
    data: Type.Array(VectorStoreFile),
    first_id: Nullable(Type.String()),
    last_id: Nullable(Type.String()),
    has_more: Type.Boolean(),
  },
  { ...open, $id: "ListVectorStoreFilesResponse" },
);

/** `GET /v1/vector_stores/{vector_store_id}/files`. */
export default definePlugin({
  kind: "api",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({
    provides: { operations: [{ operation: "listVectorStoreFiles", content: NO_CONTENT, query: ListFilesQuery, reply: FileList }] },
  }),
});
