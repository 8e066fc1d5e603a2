import { Type } from "@sinclair/typebox";
import { Nullable, OneOf } from "#contract";

const open = { additionalProperties: true } as const;

export const FileForm = Type.Object(
  {
    file: Type.Unsafe<Blob>({ type: "string", format: "binary", description: "The file; of a batch, JSONL." }),
    purpose: Type.String({ description: "What it is for: `assistants`, `batch`, `fine-tune`, `vision`, `user_data` …" }),
  },
  { ...open, $id: "CreateFileRequest" },
);

export const OpenAiFile = Type.Object(
  {
    id: Type.String({ description: "Its id, for the workspace that uploaded it." }),
    object: Type.Literal("file"),
    bytes: Type.Integer({ description: "Its size." }),
    created_at: Type.Integer({ description: "Unix seconds." }),
    filename: Type.String(),
    purpose: Type.String(),
    status: Type.Optional(Type.String({ description: "`uploaded`, `processed` or `error`." })),
    status_details: Type.Optional(Nullable(Type.String())),
    expires_at: Type.Optional(Nullable(Type.Integer({ description: "Unix seconds." }))),
  },
  { ...open, $id: "OpenAIFile" },
);

export const ListFilesQuery = Type.Object(
  {
    purpose: Type.Optional(Type.String({ description: "Only files of this purpose." })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, description: "Page size." })),
    order: Type.Optional(OneOf(["asc", "desc"], { default: "desc", description: "By time of creation." })),
    after: Type.Optional(Type.String({ description: "Id after which the page begins." })),
  },
  open,
);

export const FileList = Type.Object(
  {
    object: Type.String({ description: "`list`." }),
    data: Type.Array(OpenAiFile),
    first_id: Type.Optional(Nullable(Type.String())),
    last_id: Type.Optional(Nullable(Type.String())),
    has_more: Type.Optional(Type.Boolean()),
  },
  { ...open, $id: "ListFilesResponse" },
);

export const FileDeleted = Type.Object(
  { id: Type.String(), object: Type.Literal("file"), deleted: Type.Boolean() },
  { ...open, $id: "DeleteFileResponse" },
);
