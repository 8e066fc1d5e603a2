import { Type } from "@sinclair/typebox";
import { Nullable, OneOf, type OperationRoute } from "#contract";
import { Metadata, pagedQuery, pageOf, seconds } from "../content/paged.ts";
import { reading, stepCalls, callsOfSteps } from "./content.ts";
import { ofThread } from "./owned.ts";
import { LastError, RunUsage } from "./run-object.ts";

const open = { additionalProperties: true } as const;

/** Data sheet 8. */
const RunStep = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("thread.run.step"),
    created_at: Type.Integer({ description: "Unix seconds." }),
    assistant_id: Type.String(),
    thread_id: Type.String(),
    run_id: Type.String(),
    type: OneOf(["message_creation", "tool_calls"], { description: "What is done in it." }),
    status: OneOf(["in_progress", "cancelled", "failed", "completed", "expired"], { description: "State of the step." }),
    step_details: Type.Object(
      {
        type: Type.String(),
        message_creation: Type.Optional(Type.Object({ message_id: Type.String() }, open)),
        tool_calls: Type.Optional(Type.Array(Type.Object({ id: Type.String(), type: Type.String() }, open))),
      },
      open,
    ),
    last_error: LastError,
    expired_at: Type.Optional(seconds("When it expired")),
    cancelled_at: seconds("When it was cancelled"),
    failed_at: seconds("When it failed"),
    completed_at: seconds("When it was done"),
    metadata: Metadata,
    usage: Nullable(RunUsage),
  },
  { ...open, $id: "RunStepObject" },
);

const include = Type.Optional(Type.String({ description: "What else steps show, such as the texts that a file search found." }));

export const steps: readonly OperationRoute[] = [
  {
    operation: "listRunSteps",
    content: { output: reading(callsOfSteps) },
    query: pagedQuery({ "include[]": include }),
    reply: pageOf(RunStep, "ListRunStepsResponse"),
    owned: ofThread,
  },
  {
    operation: "getRunStep",
    content: { output: reading(stepCalls) },
    query: Type.Object({ "include[]": include }, open),
    reply: RunStep,
    owned: ofThread,
  },
];
