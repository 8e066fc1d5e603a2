import { Type } from "@sinclair/typebox";
import { type BodyContent, Nullable, type OperationRoute } from "#contract";
import { Metadata, pagedQuery } from "../content/paged.ts";
import {
  answeredMessages,
  calls,
  callsOfRuns,
  callsOfSteps,
  instructions,
  messagesOf,
  PATCHED,
  reading,
  threadOf,
  told,
  toolOutputs,
} from "./content.ts";
import { NewMessage } from "./messages.ts";
import { begins, ofThread, runNamed, threadMade } from "./owned.ts";
import { runEvents } from "./run-events.ts";
import { MAX_TOOLS_OF_A_RUN, Run, RunList } from "./run-object.ts";
import { endedRun, runModelAtEnd, runsEnded, runUsage, runUsageAtEnd } from "./run-usage.ts";
import { newThread } from "./threads.ts";
import { ResponseFormat, sampling, ToolChoice, ToolResources, toolsOf, Truncation } from "./tools.ts";

const open = { additionalProperties: true } as const;
const MIN_TOKENS = 256;
const text = (description: string) => Type.Optional(Nullable(Type.String({ description })));
const tokens = (description: string) => Type.Optional(Nullable(Type.Integer({ minimum: MIN_TOKENS, description })));
const stream = Type.Optional(Nullable(Type.Boolean({ default: false, description: "Answer as server-sent events." })));

/** What both ways to begin a run may say of it. */
const running = {
  assistant_id: Type.String({ description: "The assistant that answers." }),
  model: text("Another model than the assistant's."),
  instructions: text("In place of the assistant's."),
  tools: Type.Optional(Nullable(toolsOf(MAX_TOOLS_OF_A_RUN))),
  metadata: Metadata,
  ...sampling,
  stream,
  max_prompt_tokens: tokens("Tokens that it may read."),
  max_completion_tokens: tokens("Tokens that it may write."),
  truncation_strategy: Truncation,
  tool_choice: ToolChoice,
  parallel_tool_calls: Type.Optional(Type.Boolean({ default: true, description: "May it call several tools at once?" })),
  response_format: ResponseFormat,
};
const CreateBody = Type.Object(
  {
    ...running,
    additional_instructions: text("After the assistant's."),
    additional_messages: Type.Optional(Nullable(Type.Array(NewMessage, { description: "Put into the thread before it begins." }))),
  },
  { ...open, $id: "CreateRunRequest" },
);
const CreateThreadBody = Type.Object(
  { ...running, thread: Type.Optional(Type.Object(newThread, open)), tool_resources: ToolResources },
  { ...open, $id: "CreateThreadAndRunRequest" },
);
const ModifyBody = Type.Object({ metadata: Metadata }, { ...open, $id: "ModifyRunRequest" });
const Output = Type.Object(
  {
    tool_call_id: Type.Optional(Type.String({ description: "The call that it answers." })),
    output: Type.Optional(Type.String({ description: "What the tool returned." })),
  },
  open,
);
const SubmitBody = Type.Object(
  { tool_outputs: Type.Array(Output, { description: "One for each call." }), stream },
  { ...open, $id: "SubmitToolOutputsRunRequest" },
);

/** What a run says: calls that it waits for, whole; its messages too, as events. */
const SAYS: BodyContent = {
  ...PATCHED,
  output: reading(answeredMessages, calls, callsOfRuns, callsOfSteps),
  usage: runUsage,
  usageAtEnd: runUsageAtEnd,
  modelAtEnd: runModelAtEnd,
  noJson: runEvents,
};
const CREATED: BodyContent = {
  ...SAYS,
  input: reading(instructions("instructions", "additional_instructions"), told, messagesOf("additional_messages"), threadOf),
};
const ONE_ENDED: BodyContent["ended"] = { in: endedRun, param: "run_id" };
const SUBMITTED: BodyContent = { ...SAYS, input: reading(toolOutputs), ended: ONE_ENDED };
/** Asking for it is free, and may be done often: what it used counts with the first answer that tells it. */
const LOOKED_AT: BodyContent = { ...PATCHED, output: reading(calls), usage: runUsage, ended: ONE_ENDED };
const ALL_LOOKED_AT: BodyContent = { ...PATCHED, output: reading(callsOfRuns), ended: { in: runsEnded } };

const EVENTS = 'With `"stream": true` the answer is server-sent events, from `thread.run.created` on to `done`.';

export const runs: readonly OperationRoute[] = [
  {
    operation: "createThreadAndRun",
    content: CREATED,
    body: CreateThreadBody,
    reply: Run,
    description: EVENTS,
    owned: { named: runNamed, made: threadMade, begins },
    examples: { "A question": { assistant_id: "asst_1", thread: { messages: [{ role: "user", content: "Good morning." }] } } },
  },
  { operation: "listRuns", content: ALL_LOOKED_AT, query: pagedQuery(), reply: RunList, owned: ofThread },
  {
    operation: "createRun",
    content: CREATED,
    body: CreateBody,
    reply: Run,
    description: EVENTS,
    owned: { ...ofThread, named: runNamed, begins },
    examples: {
      "An answer": { assistant_id: "asst_1" },
      "The answer as events": { assistant_id: "asst_1", stream: true },
    },
  },
  { operation: "getRun", content: LOOKED_AT, reply: Run, owned: ofThread },
  {
    operation: "modifyRun",
    content: LOOKED_AT,
    body: ModifyBody,
    reply: Run,
    owned: ofThread,
    examples: { "A note": { metadata: { tried: "once" } } },
  },
  {
    operation: "submitToolOutputsToRun",
    content: SUBMITTED,
    body: SubmitBody,
    reply: Run,
    description: EVENTS,
    owned: ofThread,
    examples: { "Of one call": { tool_outputs: [{ tool_call_id: "call_1", output: "12 degrees" }] } },
  },
  { operation: "cancelRun", content: LOOKED_AT, reply: Run, owned: ofThread },
];
