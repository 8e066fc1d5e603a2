import { Type } from "@sinclair/typebox";
import { NO_CONTENT, Nullable, OneOf, type OperationRoute } from "#contract";
import { ChunkingStrategy } from "../content/chunking.ts";
import { deletedOf, pagedQuery, pageOf } from "../content/paged.ts";
import { FILE_TEXT } from "./content.ts";
import { filesNamed, ofStore } from "./owned.ts";

const open = { additionalProperties: true } as const;
const STATUS = ["in_progress", "completed", "failed", "cancelled"] as const;

/** Lists of files may be of those in one state. */
export const FilesQuery = pagedQuery({ filter: Type.Optional(OneOf(STATUS, { description: "Only files in this state." })) });

const Pairs = Nullable(
  Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
    description: "Up to 16 pairs that searches can filter by.",
  }),
);
export const Attributes = Type.Optional(Pairs);

const VectorStoreFile = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("vector_store.file"),
    usage_bytes: Type.Integer(),
    created_at: Type.Integer({ description: "Unix seconds." }),
    vector_store_id: Type.String(),
    status: OneOf(STATUS, { description: "State of the file." }),
    last_error: Nullable(
      Type.Object(
        {
          code: Type.String({ description: "`internal_error`, `file_not_found`, `parsing_error`, `unhandled_mime_type` …" }),
          message: Type.String(),
        },
        open,
      ),
    ),
    chunking_strategy: Type.Optional(ChunkingStrategy),
    attributes: Attributes,
  },
  { ...open, $id: "VectorStoreFileObject" },
);

/** Specification E9. */
export const FileList = pageOf(VectorStoreFile, "ListVectorStoreFilesResponse");

const AddBody = Type.Object(
  {
    file_id: Type.String({ description: "Id of an uploaded file." }),
    chunking_strategy: Type.Optional(ChunkingStrategy),
    attributes: Attributes,
  },
  { ...open, $id: "CreateVectorStoreFileRequest" },
);
const AttributesBody = Type.Object({ attributes: Pairs }, { ...open, $id: "UpdateVectorStoreFileAttributesRequest" });

const Content = Type.Object(
  {
    object: Type.String(),
    data: Type.Array(Type.Object({ type: Type.String(), text: Type.Optional(Type.String()) }, open)),
    has_more: Type.Boolean(),
    next_page: Nullable(Type.String()),
  },
  { ...open, $id: "VectorStoreFileContentResponse" },
);

export const files: readonly OperationRoute[] = [
  { operation: "listVectorStoreFiles", content: NO_CONTENT, query: FilesQuery, reply: FileList, owned: ofStore },
  {
    operation: "createVectorStoreFile",
    content: NO_CONTENT,
    body: AddBody,
    reply: VectorStoreFile,
    owned: { ...ofStore, named: filesNamed },
    examples: { "An uploaded file": { file_id: "file-1" } },
  },
  { operation: "getVectorStoreFile", content: NO_CONTENT, reply: VectorStoreFile, owned: ofStore },
  {
    operation: "updateVectorStoreFileAttributes",
    content: NO_CONTENT,
    body: AttributesBody,
    reply: VectorStoreFile,
    owned: ofStore,
    examples: { "To filter by": { attributes: { year: 2026 } } },
  },
  { operation: "deleteVectorStoreFile", content: NO_CONTENT, reply: deletedOf("vector_store.file.deleted"), owned: ofStore },
  { operation: "retrieveVectorStoreFileContent", content: FILE_TEXT, reply: Content, owned: ofStore },
];
