import { type TSchema, Type } from "@sinclair/typebox";
import { Nullable, OneOf } from "#contract";

const open = { additionalProperties: true } as const;

const Block = Type.Object(
  { type: Type.String({ description: "`text`, `image`, `document`, `thinking`, `tool_use`, `tool_result` …" }) },
  open,
);
const Content = Type.Union([Type.String(), Type.Array(Block)]);
const Message = Type.Object({ role: Type.String({ description: "`user` or `assistant`." }), content: Content }, open);

const Tool = Type.Object(
  {
    type: Type.Optional(Nullable(Type.String({ description: "Absent or `custom` for a tool of yours; else a tool of the provider's." }))),
    name: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    input_schema: Type.Optional(Type.Object({}, open)),
  },
  open,
);
const ToolChoice = Type.Object(
  {
    type: Type.String({ description: "`auto`, `any`, `tool` or `none`." }),
    name: Type.Optional(Type.String({ description: "The tool, where the type is `tool`." })),
    disable_parallel_tool_use: Type.Optional(Type.Boolean({ description: "One call at a time." })),
  },
  open,
);
const Thinking = Type.Object(
  {
    type: Type.String({ description: "`enabled`, `adaptive` or `disabled`." }),
    budget_tokens: Type.Optional(Type.Integer({ minimum: 0, description: "Most tokens to think." })),
  },
  open,
);
const OutputConfig = Type.Object(
  {
    effort: Type.Optional(Nullable(Type.String({ description: "`low`, `medium`, `high`, `xhigh` or `max`." }))),
    format: Type.Optional(Nullable(Type.Object({ type: Type.String({ description: "`json_schema`." }) }, open))),
  },
  open,
);

/** Members that count as input tokens. */
const COUNTED = {
  model: Type.Optional(
    Type.String({ maxLength: 512, description: "Model id, or `@slug/model`. May be left out when a config's override_params sets it." }),
  ),
  messages: Type.Array(Message, { minItems: 1, description: "The conversation so far." }),
  system: Type.Optional(Nullable(Content)),
  tools: Type.Optional(Nullable(Type.Array(Tool))),
  tool_choice: Type.Optional(Nullable(ToolChoice)),
  thinking: Type.Optional(Nullable(Thinking)),
  output_config: Type.Optional(Nullable(OutputConfig)),
} satisfies Record<string, TSchema>;

export const TokenCountBody = Type.Object(COUNTED, { ...open, $id: "CountMessageTokensRequest" });

export const MessagesBody = Type.Object(
  {
    ...COUNTED,
    max_tokens: Type.Optional(
      Nullable(Type.Integer({ minimum: 0, description: "Most tokens of the answer. Anthropic wants it always; a config may set it." })),
    ),
    stream: Type.Optional(Nullable(Type.Boolean({ default: false, description: "Answer as server-sent events." }))),
    temperature: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 1 }))),
    top_p: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 1 }))),
    top_k: Type.Optional(Nullable(Type.Integer({ minimum: 0 }))),
    stop_sequences: Type.Optional(Nullable(Type.Array(Type.String()))),
    metadata: Type.Optional(Nullable(Type.Object({ user_id: Type.Optional(Nullable(Type.String())) }, open))),
  },
  { ...open, $id: "CreateMessageRequest" },
);

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const Message200 = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("message"),
    role: Type.Literal("assistant"),
    model: Type.String(),
    content: Type.Array(Block, { description: "Blocks in order: `thinking`, `text`, `tool_use` and those of the provider's own tools." }),
    stop_reason: Nullable(
      OneOf(
        ["end_turn", "max_tokens", "stop_sequence", "tool_use", "pause_turn", "refusal", "model_context_window_exceeded", "compaction"],
        {
          description: "Why the answer ended.",
        },
      ),
    ),
    stop_sequence: Nullable(Type.String({ description: "The text that stopped it." })),
    usage: Type.Object(
      {
        input_tokens: count("Neither read from nor written to the provider's prompt cache."),
        output_tokens: count("All output tokens."),
        cache_creation_input_tokens: Type.Optional(Nullable(count("Written to the prompt cache."))),
        cache_read_input_tokens: Type.Optional(Nullable(count("Read from the prompt cache."))),
      },
      open,
    ),
  },
  { ...open, $id: "CreateMessageResponse" },
);

export const TokenCount200 = Type.Object(
  { input_tokens: count("What the request would count as input.") },
  { ...open, $id: "CountMessageTokensResponse" },
);
