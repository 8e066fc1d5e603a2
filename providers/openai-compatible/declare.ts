import { type Static, Type } from "@sinclair/typebox";
import { OPERATION_IDS, type OperationId, OneOf } from "#contract";
import { LACKS, type Lack } from "../wires/chat/lacks.ts";

const closed = { additionalProperties: false } as const;
const Members = (description: string) => Type.Array(Type.String({ minLength: 1 }), { uniqueItems: true, description });
const Words = (description: string) => Type.Record(Type.String(), Type.String(), { description });
const Bound = Type.Union([Type.Number(), Type.Null()]);

const Auth = Type.Union(
  [
    Type.Literal("bearer", { description: "`Authorization: Bearer <key>`" }),
    Type.Literal("x-api-key", { description: "`x-api-key: <key>`" }),
    Type.Literal("api-key", { description: "`api-key: <key>`" }),
    Type.Literal("none", { description: "No credential is sent." }),
    Type.Object(
      {
        header: Type.String({ pattern: "^[A-Za-z0-9-]+$" }),
        prefix: Type.Optional(Type.String({ description: "Text before the key, its space included." })),
      },
      closed,
    ),
  ],
  { default: "bearer", description: "How the key is sent." },
);

/**
 * What the manifest of an OpenAI-compatible provider declares. There are no conditions in it: a provider that needs
 * one gets an `index.ts`. Request rewriting (`drop` to `roles`) applies to chat and text completions; members that are
 * not named travel on untouched.
 */
export const Declare = Type.Object(
  {
    baseUrl: Type.Optional(
      Type.String({
        pattern: "^https?://[^\\s]*[^/\\s]$",
        description: "Base URL, version path included, no slash at the end. Without it every target names a custom host.",
      }),
    ),
    auth: Type.Optional(Auth),
    headers: Type.Optional(Words("Fixed request headers.")),
    operations: Type.Optional(
      Type.Array(OneOf(OPERATION_IDS, { description: "Operation id." }), {
        uniqueItems: true,
        minItems: 1,
        description: "What it serves. Default: chatComplete.",
      }),
    ),
    paths: Type.Optional(Words("Operation id -> path below the base URL, where it is not OpenAI's.")),
    drop: Type.Optional(
      Members(
        "Body members the provider refuses; left out of requests. `providers/wires/openai/refused.ts` holds those of the providers here, and those inside messages.",
      ),
    ),
    lacks: Type.Optional(
      Type.Array(OneOf(LACKS, { description: "What a chat request may ask for." }), {
        uniqueItems: true,
        description: "What it has nowhere, and an answer without it would be another one: a request is refused by the member's name.",
      }),
    ),
    rename: Type.Optional(Words("Body member -> the provider's name for it. When a client sends both, the renamed one wins.")),
    defaults: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: "Body members set when the client left them out." })),
    clamp: Type.Optional(
      Type.Record(Type.String(), Type.Tuple([Bound, Bound]), {
        description: "Body member -> [lowest, highest]; null leaves a side open. Judged after renaming.",
      }),
    ),
    roles: Type.Optional(Words("Message role -> the role the provider knows, e.g. developer -> system.")),
    callIds: Type.Optional(
      Type.Literal("nine-letters-and-digits", {
        description: "The form it wants ids of tool calls in; others are rewritten, a call's and its result's alike.",
      }),
    ),
    lastMessage: Type.Optional(
      Type.Literal("user-tool-or-prefix", {
        description:
          "It refuses another last message than a user's, a tool's, or an assistant's with `prefix`: one of an assistant is marked so, and system messages alone become a user's.",
      }),
    ),
    jsonSchema: Type.Optional(
      Type.Union([Type.Literal(false), Type.String()], {
        description:
          "Models that take `response_format: json_schema`: a pattern of their names, or false for none. Others are asked for json_object, with the schema in a system message. Default: all.",
      }),
    ),
    reasoningAlways: Type.Optional(
      Type.String({
        description:
          "It refuses `reasoning_content` of earlier turns: only messages behind the last user's keep theirs. Models whose names match this pattern want it of every message, if empty.",
      }),
    ),
    contentInParts: Type.Optional(
      Type.Boolean({ default: false, description: "Some models answer with a list of parts; it becomes a text, in streams too." }),
    ),
    finish: Type.Optional(
      Words("Native finish reason -> stop, length, tool_calls, content_filter or function_call. Unknown ones become stop by themselves."),
    ),
    usageAt: Type.Optional(
      Type.String({ description: "Dotted path of usage in chunks and bodies, when it is not `usage`, e.g. `choices.0.usage`." }),
    ),
    errorAt: Type.Optional(
      Type.Union([Type.String(), Type.Array(Type.String())], {
        description:
          "Dotted path(s) of the message in error bodies; the first that holds text counts. The usual places are tried after them.",
      }),
    ),
  },
  closed,
);
export type Declare = Omit<Static<typeof Declare>, "operations" | "lacks"> & {
  readonly operations?: readonly OperationId[];
  readonly lacks?: readonly Lack[];
};
