import { Type } from "@sinclair/typebox";
import { Nullable, OneOf } from "#contract";
import { Metadata, pageOf, seconds } from "../content/paged.ts";
import { ResponseFormat, ToolChoice, Truncation, toolsOf } from "./tools.ts";

const open = { additionalProperties: true } as const;
export const MAX_TOOLS_OF_A_RUN = 20;

export const LastError = Nullable(
  Type.Object({ code: Type.String({ description: "`server_error`, `rate_limit_exceeded` …" }), message: Type.String() }, open),
);
export const RunUsage = Type.Object(
  { prompt_tokens: Type.Integer(), completion_tokens: Type.Integer(), total_tokens: Type.Integer() },
  { ...open, description: "What it used; null until it has ended." },
);
const ToolCall = Type.Object(
  { id: Type.String(), type: Type.String(), function: Type.Object({ name: Type.String(), arguments: Type.String() }, open) },
  open,
);
const RequiredAction = Nullable(
  Type.Object({ type: Type.String(), submit_tool_outputs: Type.Object({ tool_calls: Type.Array(ToolCall) }, open) }, open),
);
const STATUS = [
  "queued",
  "in_progress",
  "requires_action",
  "cancelling",
  "cancelled",
  "failed",
  "completed",
  "incomplete",
  "expired",
] as const;
const tokens = Type.Optional(Nullable(Type.Integer()));

/** Data sheet 8. */
export const Run = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("thread.run"),
    created_at: Type.Integer({ description: "Unix seconds." }),
    thread_id: Type.String(),
    assistant_id: Type.String(),
    status: OneOf(STATUS, { description: "State of the run." }),
    required_action: RequiredAction,
    last_error: LastError,
    expires_at: seconds("When it expires"),
    started_at: seconds("When it began"),
    cancelled_at: seconds("When it was cancelled"),
    failed_at: seconds("When it failed"),
    completed_at: seconds("When it was done"),
    incomplete_details: Type.Optional(Nullable(Type.Object({ reason: Type.Optional(Type.String()) }, open))),
    model: Type.String(),
    instructions: Nullable(Type.String()),
    tools: toolsOf(MAX_TOOLS_OF_A_RUN),
    metadata: Metadata,
    usage: Nullable(RunUsage),
    temperature: Type.Optional(Nullable(Type.Number())),
    top_p: Type.Optional(Nullable(Type.Number())),
    max_prompt_tokens: tokens,
    max_completion_tokens: tokens,
    truncation_strategy: Truncation,
    tool_choice: ToolChoice,
    parallel_tool_calls: Type.Optional(Type.Boolean()),
    response_format: ResponseFormat,
  },
  { ...open, $id: "RunObject" },
);
export const RunList = pageOf(Run, "ListRunsResponse");
