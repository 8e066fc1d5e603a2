import { Type } from "@sinclair/typebox";
import { Nullable, OneOf } from "#contract";
import { after, limitOf, Metadata, seconds } from "../content/paged.ts";

const open = { additionalProperties: true } as const;
const number = (description: string) => Type.Optional(Type.Union([Type.Number(), Type.String()], { description }));

const Hyperparameters = Type.Object(
  {
    n_epochs: number("How often the whole file is gone through, 1 to 50, or `auto`."),
    learning_rate_multiplier: number("Scales the learning rate, or `auto`."),
    batch_size: number("Examples that are learned from at once, or `auto`."),
  },
  open,
);
const Way = Type.Optional(Type.Object({ hyperparameters: Type.Optional(Hyperparameters) }, open));

const Integrations = Type.Optional(
  Nullable(
    Type.Array(Type.Object({ type: Type.String({ description: "`wandb`." }), wandb: Type.Optional(Type.Object({}, open)) }, open), {
      maxItems: 5,
      description: "Services that are told how the job goes.",
    }),
  ),
);

/** Data sheet 7.9. Which members a provider wants beside the first two, it says itself. */
export const FineTuningJobBody = Type.Object(
  {
    model: Type.String({ description: "Model to train, or `@slug/model`." }),
    training_file: Type.String({ description: "Id of an uploaded JSONL file." }),
    validation_file: Type.Optional(Nullable(Type.String({ description: "Id of a second one, to measure by." }))),
    suffix: Type.Optional(Nullable(Type.String({ description: "Becomes part of the new model's name." }))),
    method: Type.Optional(
      Type.Object({ type: Type.String({ description: "`supervised`, `dpo` or the provider's own." }), supervised: Way, dpo: Way }, open),
    ),
    hyperparameters: Type.Optional(Hyperparameters),
    seed: Type.Optional(Nullable(Type.Integer({ description: "The same seed and data give much the same model." }))),
    integrations: Integrations,
    metadata: Metadata,
    job_name: Type.Optional(Type.String({ description: "Name of the job, where the provider has one." })),
    role_arn: Type.Optional(Type.String({ description: "Role the job runs under, where the provider has one." })),
    output_file: Type.Optional(Type.String({ description: "Where the model is put, where the provider asks." })),
  },
  { ...open, $id: "CreateFineTuningJobRequest" },
);

/** Data sheet 8. */
export const FineTuningJob = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("fine_tuning.job"),
    created_at: Type.Integer({ description: "Unix seconds." }),
    model: Type.String({ description: "The model that is trained." }),
    status: OneOf(["validating_files", "queued", "running", "succeeded", "failed", "cancelled", "paused"], {
      description: "State of the job.",
    }),
    training_file: Type.String(),
    validation_file: Nullable(Type.String()),
    fine_tuned_model: Nullable(Type.String({ description: "The new model, when it is done." })),
    finished_at: seconds("When it was done"),
    organization_id: Type.String(),
    result_files: Type.Array(Type.String(), { description: "Ids of files with what was measured." }),
    trained_tokens: Nullable(Type.Integer()),
    error: Nullable(Type.Object({ code: Type.String(), message: Type.String(), param: Type.Optional(Nullable(Type.String())) }, open)),
    hyperparameters: Hyperparameters,
    integrations: Integrations,
    seed: Type.Integer(),
    estimated_finish: Type.Optional(seconds("When it may be done")),
  },
  { ...open, $id: "FineTuningJob" },
);

export const JobsQuery = Type.Object({ after, limit: limitOf() }, open);
export const CheckpointsQuery = Type.Object({ after, limit: limitOf(10) }, open);

export const JobList = Type.Object(
  { object: Type.Literal("list"), data: Type.Array(FineTuningJob), has_more: Type.Boolean() },
  { ...open, $id: "ListPaginatedFineTuningJobsResponse" },
);

const JobEvent = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("fine_tuning.job.event"),
    created_at: Type.Integer({ description: "Unix seconds." }),
    level: OneOf(["info", "warn", "error"], { description: "How much it matters." }),
    message: Type.String(),
  },
  { ...open, $id: "FineTuningJobEvent" },
);
export const EventList = Type.Object(
  { object: Type.Literal("list"), data: Type.Array(JobEvent) },
  { ...open, $id: "ListFineTuningJobEventsResponse" },
);

const metric = Type.Optional(Type.Number());
const Checkpoint = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("fine_tuning.job.checkpoint"),
    created_at: Type.Integer({ description: "Unix seconds." }),
    fine_tuned_model_checkpoint: Type.String({ description: "The model as it was then." }),
    fine_tuning_job_id: Type.String(),
    step_number: Type.Integer(),
    metrics: Type.Object(
      {
        step: metric,
        train_loss: metric,
        train_mean_token_accuracy: metric,
        valid_loss: metric,
        valid_mean_token_accuracy: metric,
        full_valid_loss: metric,
        full_valid_mean_token_accuracy: metric,
      },
      open,
    ),
  },
  { ...open, $id: "FineTuningJobCheckpoint" },
);
export const CheckpointList = Type.Object(
  {
    object: Type.Literal("list"),
    data: Type.Array(Checkpoint),
    first_id: Type.Optional(Nullable(Type.String())),
    last_id: Type.Optional(Nullable(Type.String())),
    has_more: Type.Boolean(),
  },
  { ...open, $id: "ListFineTuningJobCheckpointsResponse" },
);
