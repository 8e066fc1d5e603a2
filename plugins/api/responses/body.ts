import { Type } from "@sinclair/typebox";
import { Nullable, OneOf } from "#contract";

const open = { additionalProperties: true } as const;

const Item = Type.Object(
  {
    type: Type.Optional(
      Type.String({ description: "`message` (the default), `function_call`, `function_call_output`, `reasoning`, `item_reference` …" }),
    ),
    role: Type.Optional(Type.String({ description: "Of a message: `user`, `assistant`, `system` or `developer`." })),
    content: Type.Optional(
      Nullable(
        Type.Union([
          Type.String(),
          Type.Array(Type.Object({ type: Type.String({ description: "`input_text`, `input_image`, `input_file` …" }) }, open)),
        ]),
      ),
    ),
  },
  open,
);
const Tool = Type.Object({ type: Type.String({ description: "`function`, `custom`, or a tool that the provider runs." }) }, open);
const ToolChoice = Type.Union([
  OneOf(["auto", "none", "required"], { description: "Whether tools are used." }),
  Type.Object({ type: Type.String({ description: "`function`, `custom`, `allowed_tools` …" }) }, open),
]);
const Text = Type.Object(
  {
    format: Type.Optional(Nullable(Type.Object({ type: Type.String({ description: "`text`, `json_schema` or `json_object`." }) }, open))),
    verbosity: Type.Optional(Nullable(Type.String({ description: "`low`, `medium` or `high`." }))),
  },
  open,
);
const Reasoning = Type.Object(
  {
    effort: Type.Optional(Nullable(Type.String({ description: "`low`, `medium`, `high` … as the model knows them." }))),
    summary: Type.Optional(Nullable(Type.String({ description: "`auto`, `concise` or `detailed`." }))),
  },
  open,
);
const flag = (description: string) => Type.Optional(Nullable(Type.Boolean({ description })));
const text = (description: string) => Type.Optional(Nullable(Type.String({ description })));

export const ResponsesBody = Type.Object(
  {
    model: Type.Optional(
      Type.String({ maxLength: 512, description: "Model id, or `@slug/model`. May be left out when a config's override_params sets it." }),
    ),
    input: Type.Optional(
      Nullable(Type.Union([Type.String(), Type.Array(Item)], { description: "A text, or the items of a conversation." })),
    ),
    instructions: text("What the model is told before the conversation."),
    stream: Type.Optional(Nullable(Type.Boolean({ default: false, description: "Answer as server-sent events." }))),
    tools: Type.Optional(Nullable(Type.Array(Tool))),
    tool_choice: Type.Optional(Nullable(ToolChoice)),
    parallel_tool_calls: flag("Several tool calls at once."),
    max_output_tokens: Type.Optional(Nullable(Type.Integer({ minimum: 0, description: "Most tokens of the answer, reasoning included." }))),
    temperature: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 2 }))),
    top_p: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 1 }))),
    top_logprobs: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 20 }))),
    include: Type.Optional(Nullable(Type.Array(Type.String(), { description: "What else the answer is to hold." }))),
    text: Type.Optional(Nullable(Text)),
    reasoning: Type.Optional(Nullable(Reasoning)),
    previous_response_id: text("The answer that this request goes on from."),
    store: flag("Keep the answer, so that a later request can name it."),
    background: flag("Answer at once, and work on."),
    truncation: text("`auto` or `disabled`."),
    metadata: Type.Optional(Nullable(Type.Object({}, open))),
    user: text("Who asks, for the provider's own records."),
  },
  { ...open, $id: "CreateResponseRequest" },
);

const OutputItem = Type.Object(
  { type: Type.String({ description: "`message`, `reasoning`, `function_call`, `custom_tool_call` …" }) },
  open,
);
const count = (description: string) => Type.Integer({ minimum: 0, description });

/** The documented answer of `POST /v1/responses`. */
export const Response200 = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("response"),
    created_at: Type.Number({ description: "Unix seconds." }),
    status: Type.String({ description: "`completed`, `incomplete`, `failed`, `in_progress`, `queued` or `cancelled`." }),
    error: Nullable(Type.Object({ code: Type.String(), message: Type.String() }, open)),
    incomplete_details: Nullable(Type.Object({ reason: Type.Optional(Type.String()) }, open)),
    model: Type.String(),
    output: Type.Array(OutputItem, { description: "What the model thought, said and called, in order." }),
    parallel_tool_calls: Type.Optional(Type.Boolean()),
    tool_choice: Type.Optional(ToolChoice),
    tools: Type.Optional(Type.Array(Tool)),
    usage: Type.Optional(
      Nullable(
        Type.Object(
          { input_tokens: count("All input tokens."), output_tokens: count("All output tokens."), total_tokens: count("Their sum.") },
          open,
        ),
      ),
    ),
  },
  { ...open, $id: "Response" },
);
