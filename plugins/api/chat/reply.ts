import { Type } from "@sinclair/typebox";
import { Nullable, OneOf } from "#contract";

const open = { additionalProperties: true } as const;
const count = (description: string) => Type.Integer({ minimum: 0, description });

const ToolCall = Type.Object(
  {
    id: Type.String({ description: "Names the call; the tool message that answers it repeats it." }),
    type: Type.Literal("function"),
    function: Type.Object({ name: Type.String(), arguments: Type.String({ description: "JSON as text." }) }, open),
  },
  open,
);

const Message = Type.Object(
  {
    role: Type.Literal("assistant"),
    content: Nullable(Type.String({ description: "The text of the answer." })),
    refusal: Type.Optional(Nullable(Type.String({ description: "Why the model refused." }))),
    tool_calls: Type.Optional(Type.Array(ToolCall)),
    images: Type.Optional(
      Type.Array(Type.Object({ type: Type.Literal("image_url"), image_url: Type.Object({ url: Type.String() }, open) }, open), {
        description: "Images that the model made, as data URLs.",
      }),
    ),
    reasoning_content: Type.Optional(Type.String({ description: "What the model thought (not in strict mode)." })),
    content_blocks: Type.Optional(
      Type.Array(Type.Object({ type: Type.Optional(Type.String()) }, open), {
        description: "Text, thinking and the provider's own blocks, in their order (not in strict mode).",
      }),
    ),
  },
  open,
);

const ChatUsage = Type.Object(
  {
    prompt_tokens: count("All input tokens."),
    completion_tokens: count("All output tokens."),
    total_tokens: count("Their sum."),
    prompt_tokens_details: Type.Optional(
      Type.Object(
        { cached_tokens: Type.Optional(count("Read from the provider's prompt cache.")), audio_tokens: Type.Optional(count("Audio.")) },
        open,
      ),
    ),
    completion_tokens_details: Type.Optional(
      Type.Object({ reasoning_tokens: Type.Optional(count("Reasoning.")), audio_tokens: Type.Optional(count("Audio.")) }, open),
    ),
  },
  open,
);

/** The documented answer of `POST /v1/chat/completions`. */
export const ChatCompletion = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("chat.completion"),
    created: Type.Integer({ description: "Unix seconds." }),
    model: Type.String(),
    choices: Type.Array(
      Type.Object(
        {
          index: Type.Integer({ minimum: 0 }),
          message: Message,
          finish_reason: OneOf(["stop", "length", "tool_calls", "content_filter", "function_call"], {
            description: "Why the answer ended; the provider's own word when not strict.",
          }),
          logprobs: Type.Optional(Nullable(Type.Object({}, open))),
        },
        open,
      ),
    ),
    usage: Type.Optional(ChatUsage),
  },
  { ...open, $id: "CreateChatCompletionResponse" },
);
