import { Type } from "@sinclair/typebox";
import { type BodyContent, NO_CONTENT, type OperationRoute } from "#contract";
import { deletedOf, Metadata } from "../content/paged.ts";
import { messagesOf, PATCHED, reading } from "./content.ts";
import { NewMessage } from "./messages.ts";
import { made, ofThread, resourcesNamed, threadNamed } from "./owned.ts";
import { ToolResources } from "./tools.ts";

const open = { additionalProperties: true } as const;

/** A thread, as it is created alone or with a run. */
export const newThread = {
  messages: Type.Optional(Type.Array(NewMessage, { description: "What has been said." })),
  tool_resources: ToolResources,
  metadata: Metadata,
};
const CreateBody = Type.Object(newThread, { ...open, $id: "CreateThreadRequest" });
const ModifyBody = Type.Object({ tool_resources: ToolResources, metadata: Metadata }, { ...open, $id: "ModifyThreadRequest" });

/** Data sheet 8. */
const Thread = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("thread"),
    created_at: Type.Integer({ description: "Unix seconds." }),
    tool_resources: ToolResources,
    metadata: Metadata,
  },
  { ...open, $id: "ThreadObject" },
);

const MESSAGES: BodyContent = { ...PATCHED, input: reading(messagesOf("messages")) };

export const threads: readonly OperationRoute[] = [
  {
    operation: "createThread",
    content: MESSAGES,
    body: CreateBody,
    reply: Thread,
    owned: { named: threadNamed, made },
    examples: { "With a first message": { messages: [{ role: "user", content: "Good morning." }] } },
  },
  { operation: "getThread", content: NO_CONTENT, reply: Thread, owned: ofThread },
  {
    operation: "modifyThread",
    content: NO_CONTENT,
    body: ModifyBody,
    reply: Thread,
    owned: { ...ofThread, named: resourcesNamed },
    examples: { "A note": { metadata: { topic: "greetings" } } },
  },
  { operation: "deleteThread", content: NO_CONTENT, reply: deletedOf("thread.deleted"), owned: ofThread },
];
