import { Type } from "@sinclair/typebox";
import { NO_CONTENT, OneOf, type OperationRoute } from "#contract";
import { ChunkingStrategy } from "../content/chunking.ts";
import { Attributes, FileList, FilesQuery } from "./files.ts";
import { filesNamed, ofStore } from "./owned.ts";
import { FileCounts } from "./stores.ts";

const open = { additionalProperties: true } as const;
const MAX_FILES = 500;

const FileWithSettings = Type.Object(
  {
    file_id: Type.String({ description: "Id of an uploaded file." }),
    attributes: Attributes,
    chunking_strategy: Type.Optional(ChunkingStrategy),
  },
  open,
);
/** The data sheet has `file_ids` alone; `files` in its place is newer. Which of them is needed, the provider says. */
const CreateBody = Type.Object(
  {
    file_ids: Type.Optional(
      Type.Array(Type.String(), { minItems: 1, maxItems: MAX_FILES, description: "Ids of uploaded files; this or `files`." }),
    ),
    files: Type.Optional(
      Type.Array(FileWithSettings, { minItems: 1, maxItems: MAX_FILES, description: "The same, each with its own settings." }),
    ),
    chunking_strategy: Type.Optional(ChunkingStrategy),
    attributes: Attributes,
  },
  { ...open, $id: "CreateVectorStoreFileBatchRequest" },
);

/** Data sheet 8. */
const FileBatch = Type.Object(
  {
    id: Type.String(),
    object: Type.String({ description: "`vector_store.files_batch`." }),
    created_at: Type.Integer({ description: "Unix seconds." }),
    vector_store_id: Type.String(),
    status: OneOf(["in_progress", "completed", "cancelled", "failed"], { description: "State of the batch." }),
    file_counts: FileCounts,
  },
  { ...open, $id: "VectorStoreFileBatchObject" },
);

export const batches: readonly OperationRoute[] = [
  {
    operation: "createVectorStoreFileBatch",
    content: NO_CONTENT,
    body: CreateBody,
    reply: FileBatch,
    owned: { ...ofStore, named: filesNamed },
    examples: { "Two uploaded files": { file_ids: ["file-1", "file-2"] } },
  },
  { operation: "getVectorStoreFileBatch", content: NO_CONTENT, reply: FileBatch, owned: ofStore },
  { operation: "cancelVectorStoreFileBatch", content: NO_CONTENT, reply: FileBatch, owned: ofStore },
  { operation: "listFilesInVectorStoreBatch", content: NO_CONTENT, query: FilesQuery, reply: FileList, owned: ofStore },
];
