import { Type } from "@sinclair/typebox";
import { Nullable, OneOf } from "#contract";

const open = { additionalProperties: true } as const;
const seconds = (description: string) => Type.Optional(Nullable(Type.Integer({ description: `${description} (Unix seconds)` })));
const fileId = (description: string) => Type.Optional(Nullable(Type.String({ description })));

export const BATCH_STATUS = [
  "validating",
  "failed",
  "in_progress",
  "finalizing",
  "completed",
  "expired",
  "cancelling",
  "cancelled",
] as const;

/** Specification E4. `endpoint` and `completion_window` are OpenAI's; a provider that needs them gets defaults. */
export const BatchBody = Type.Object(
  {
    input_file_id: Type.String({ description: "Id of an uploaded JSONL file." }),
    metadata: Type.Optional(Nullable(Type.Record(Type.String(), Type.Unknown(), { description: "Free-form." }))),
    endpoint: Type.Optional(Type.String({ description: "Operation that every line asks, e.g. `/v1/chat/completions`." })),
    completion_window: Type.Optional(Type.String({ description: "Time within which it must be done: `24h`." })),
  },
  { ...open, $id: "CreateBatchRequest" },
);

const BatchError = Type.Object(
  {
    code: Type.Optional(Type.String()),
    message: Type.Optional(Type.String()),
    param: Type.Optional(Nullable(Type.String())),
    line: Type.Optional(Nullable(Type.Integer())),
  },
  open,
);

export const Batch = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("batch"),
    endpoint: Type.String(),
    input_file_id: Type.String(),
    completion_window: Type.String(),
    status: OneOf(BATCH_STATUS, { description: "State of the batch." }),
    created_at: Type.Integer({ description: "Unix seconds." }),
    errors: Type.Optional(
      Nullable(Type.Object({ object: Type.Optional(Type.String()), data: Type.Optional(Type.Array(BatchError)) }, open)),
    ),
    output_file_id: fileId("File of the answers."),
    error_file_id: fileId("File of the failed lines."),
    in_progress_at: seconds("When work began"),
    expires_at: seconds("When it expires"),
    finalizing_at: seconds("When finalizing began"),
    completed_at: seconds("When it was done"),
    failed_at: seconds("When it failed"),
    expired_at: seconds("When it expired"),
    cancelling_at: seconds("When cancelling began"),
    cancelled_at: seconds("When it was cancelled"),
    request_counts: Type.Optional(Type.Object({ total: Type.Integer(), completed: Type.Integer(), failed: Type.Integer() }, open)),
    metadata: Type.Optional(Nullable(Type.Record(Type.String(), Type.Unknown()))),
  },
  { ...open, $id: "Batch" },
);

export const ListBatchesQuery = Type.Object(
  {
    after: Type.Optional(Type.String({ description: "Id after which the page begins." })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: "Page size." })),
  },
  open,
);

export const BatchList = Type.Object(
  {
    object: Type.Literal("list"),
    data: Type.Array(Batch),
    first_id: Type.Optional(Nullable(Type.String())),
    last_id: Type.Optional(Nullable(Type.String())),
    has_more: Type.Boolean(),
  },
  { ...open, $id: "ListBatchesResponse" },
);

export const RetrieveBatchQuery = Type.Object(
  { include_provider_details: Type.Optional(Type.Boolean({ description: "Adds the upstream job (managed batches)." })) },
  open,
);
