import { Type } from "@sinclair/typebox";
import { NO_CONTENT, Nullable, OneOf, type OperationRoute } from "#contract";
import { ChunkingStrategy } from "../content/chunking.ts";
import { idsIn } from "../content/ids.ts";
import { deletedOf, Metadata, pagedQuery, pageOf, seconds } from "../content/paged.ts";
import { filesNamed, ofStore } from "./owned.ts";

const open = { additionalProperties: true } as const;
const MAX_FILES = 500;
const number = Type.Integer();

const ExpiresAfter = Type.Object(
  {
    anchor: Type.String({ description: "What the days are counted from: `last_active_at`." }),
    days: Type.Integer({ minimum: 1, maximum: 365, description: "Days until the store expires." }),
  },
  open,
);
export const FileCounts = Type.Object(
  { in_progress: number, completed: number, failed: number, cancelled: number, total: number },
  { ...open, description: "How many of its files are in which state." },
);

const CreateBody = Type.Object(
  {
    name: Type.Optional(Nullable(Type.String({ description: "Name of the store." }))),
    description: Type.Optional(Nullable(Type.String({ description: "What it is for." }))),
    file_ids: Type.Optional(Type.Array(Type.String(), { maxItems: MAX_FILES, description: "Ids of uploaded files to put in." })),
    expires_after: Type.Optional(ExpiresAfter),
    chunking_strategy: Type.Optional(ChunkingStrategy),
    metadata: Metadata,
  },
  { ...open, $id: "CreateVectorStoreRequest" },
);
const ModifyBody = Type.Object(
  {
    name: Type.Optional(Nullable(Type.String({ description: "Name of the store." }))),
    expires_after: Type.Optional(Nullable(ExpiresAfter)),
    metadata: Metadata,
  },
  { ...open, $id: "UpdateVectorStoreRequest" },
);

/** Data sheet 8. */
const VectorStore = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("vector_store"),
    created_at: Type.Integer({ description: "Unix seconds." }),
    name: Nullable(Type.String()),
    usage_bytes: Type.Integer({ description: "Bytes that its files take." }),
    file_counts: FileCounts,
    status: OneOf(["expired", "in_progress", "completed"], { description: "State of the store." }),
    expires_after: Type.Optional(Nullable(ExpiresAfter)),
    expires_at: Type.Optional(seconds("When it expires")),
    last_active_at: seconds("When it was last used"),
    metadata: Metadata,
  },
  { ...open, $id: "VectorStoreObject" },
);

export const stores: readonly OperationRoute[] = [
  {
    operation: "listVectorStores",
    content: NO_CONTENT,
    query: pagedQuery(),
    reply: pageOf(VectorStore, "ListVectorStoresResponse"),
    owned: { lists: true },
  },
  {
    operation: "createVectorStore",
    content: NO_CONTENT,
    body: CreateBody,
    reply: VectorStore,
    owned: { named: filesNamed, made: ({ id }) => idsIn(id) },
    examples: { "With a file": { name: "Handbook", file_ids: ["file-1"] } },
  },
  { operation: "getVectorStore", content: NO_CONTENT, reply: VectorStore, owned: ofStore },
  {
    operation: "modifyVectorStore",
    content: NO_CONTENT,
    body: ModifyBody,
    reply: VectorStore,
    owned: ofStore,
    examples: { "A new name": { name: "Handbook of 2026" } },
  },
  { operation: "deleteVectorStore", content: NO_CONTENT, reply: deletedOf("vector_store.deleted"), owned: ofStore },
];
