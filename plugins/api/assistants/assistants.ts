import { Type } from "@sinclair/typebox";
import { type BodyContent, NO_CONTENT, Nullable, type OperationRoute } from "#contract";
import { deletedOf, Metadata, pagedQuery, pageOf } from "../content/paged.ts";
import { instructions, PATCHED, reading, told } from "./content.ts";
import { made, ofAssistant, resourcesNamed } from "./owned.ts";
import { ResponseFormat, sampling, ToolResources, toolsOf } from "./tools.ts";

const open = { additionalProperties: true } as const;
const MAX_TOOLS = 128;

const about = {
  name: Type.Optional(Nullable(Type.String({ maxLength: 256, description: "Name of the assistant." }))),
  description: Type.Optional(Nullable(Type.String({ maxLength: 512, description: "What it is for." }))),
  instructions: Type.Optional(Nullable(Type.String({ maxLength: 256_000, description: "What it is told before each conversation." }))),
  tools: Type.Optional(toolsOf(MAX_TOOLS)),
  tool_resources: ToolResources,
  metadata: Metadata,
  ...sampling,
  response_format: ResponseFormat,
};
const CreateBody = Type.Object(
  { model: Type.String({ description: "Model id, or `@slug/model`." }), ...about },
  { ...open, $id: "CreateAssistantRequest" },
);
const ModifyBody = Type.Object(
  { model: Type.Optional(Type.String({ description: "Model id, or `@slug/model`." })), ...about },
  { ...open, $id: "ModifyAssistantRequest" },
);

const Assistant = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("assistant"),
    created_at: Type.Integer({ description: "Unix seconds." }),
    name: Nullable(Type.String()),
    description: Nullable(Type.String()),
    model: Type.String(),
    instructions: Nullable(Type.String()),
    tools: toolsOf(MAX_TOOLS),
    metadata: Nullable(Type.Record(Type.String(), Type.Unknown())),
    tool_resources: ToolResources,
    ...sampling,
    response_format: ResponseFormat,
  },
  { ...open, $id: "AssistantObject" },
);

const INSTRUCTIONS: BodyContent = { ...PATCHED, input: reading(instructions("instructions"), told) };

export const assistants: readonly OperationRoute[] = [
  {
    operation: "listAssistants",
    content: NO_CONTENT,
    query: pagedQuery(),
    reply: pageOf(Assistant, "ListAssistantsResponse"), // specification E10
    owned: { lists: true },
  },
  {
    operation: "createAssistant",
    content: INSTRUCTIONS,
    body: CreateBody,
    reply: Assistant,
    owned: { named: resourcesNamed, made },
    examples: { "With instructions": { model: "sandbox-echo", name: "Tutor", instructions: "Answer in one sentence." } },
  },
  { operation: "getAssistant", content: NO_CONTENT, reply: Assistant, owned: ofAssistant },
  {
    operation: "modifyAssistant",
    content: INSTRUCTIONS,
    body: ModifyBody,
    reply: Assistant,
    owned: { ...ofAssistant, named: resourcesNamed },
    examples: { "Other instructions": { instructions: "Answer with a question." } },
  },
  { operation: "deleteAssistant", content: NO_CONTENT, reply: deletedOf("assistant.deleted"), owned: ofAssistant },
];
