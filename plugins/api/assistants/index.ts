import { Type } from "@sinclair/typebox";
import { definePlugin, Nullable, OneOf, NO_CONTENT } from "#contract";

const open = { additionalProperties: true } as const;

const ListAssistantsQuery = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: "Page size." })),
    order: Type.Optional(OneOf(["asc", "desc"], { default: "desc", description: "By time of creation." })),
    after: Type.Optional(Type.String({ description: "Id after which the page begins." })),
    before: Type.Optional(Type.String({ description: "Id before which the page ends." })),
  },
  open,
);

const ToolResources = Type.Object(
  {
    code_interpreter: Type.Optional(Type.Object({ file_ids: Type.Optional(Type.Array(Type.String())) }, open)),
    file_search: Type.Optional(Type.Object({ vector_store_ids: Type.Optional(Type.Array(Type.String())) }, open)),
  },
  open,
);

/** Specification 2.12. */
const Assistant = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("assistant"),
    created_at: Type.Integer({ description: "Unix seconds." }),
    name: Nullable(Type.String()),
    description: Nullable(Type.String()),
    model: Type.String(),
    instructions: Nullable(Type.String()),
    tools: Type.Array(Type.Object({ type: Type.String() }, open)),
    metadata: Nullable(Type.Record(Type.String(), Type.Unknown())),
    tool_resources: Type.Optional(Nullable(ToolResources)),
    temperature: Type.Optional(Nullable(Type.Number())),
    top_p: Type.Optional(Nullable(Type.Number())),
    response_format: Type.Optional(Nullable(Type.Union([Type.String(), Type.Object({}, open)]))),
  },
  { ...open, $id: "AssistantObject" },
);

/** Specification E10. */
const AssistantList = Type.Object(
  {
    object: Type.String(),
    data: Type.Array(Assistant),
    first_id: Nullable(Type.String()),
    last_id: Nullable(Type.String()),
    has_more: Type.Boolean(),
  },
  { ...open, $id: "ListAssistantsResponse" },
);

/** `GET /v1/assistants`. */
export default definePlugin({
  kind: "api",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({
    provides: { operations: [{ operation: "listAssistants", content: NO_CONTENT, query: ListAssistantsQuery, reply: AssistantList }] },
  }),
});
