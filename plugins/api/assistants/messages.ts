import { Type } from "@sinclair/typebox";
import { type BodyContent, NO_CONTENT, Nullable, OneOf, type OperationRoute } from "#contract";
import { deletedOf, Metadata, pagedQuery, pageOf, seconds } from "../content/paged.ts";
import { objectsIn } from "../content/ids.ts";
import { answeredMessages, message, PATCHED, reading } from "./content.ts";
import { filesMade, messageNamed, ofThread } from "./owned.ts";

const open = { additionalProperties: true } as const;
const detail = Type.Optional(Type.String({ default: "auto", description: "`auto`, `low` or `high`." }));

const Part = Type.Object(
  {
    type: Type.String({ description: "`text`, `image_url` or `image_file`." }),
    text: Type.Optional(Type.String({ description: "What is said." })),
    image_url: Type.Optional(Type.Object({ url: Type.String({ description: "Where the image is." }), detail }, open)),
    image_file: Type.Optional(Type.Object({ file_id: Type.String({ description: "Id of an uploaded image." }), detail }, open)),
  },
  open,
);
const Attachment = Type.Object(
  {
    file_id: Type.Optional(Type.String({ description: "Id of an uploaded file." })),
    tools: Type.Optional(
      Type.Array(Type.Object({ type: Type.String({ description: "`code_interpreter` or `file_search`." }) }, open), {
        description: "Which tools it is for.",
      }),
    ),
  },
  open,
);
const ROLES = ["user", "assistant"] as const;
/** A message of a thread, as it is created alone, with a thread, or with a run. */
export const NewMessage = Type.Object(
  {
    role: OneOf(ROLES, { description: "Who says it." }),
    content: Type.Union([Type.String(), Type.Array(Part, { minItems: 1 })], { description: "What is said and shown." }),
    attachments: Type.Optional(Nullable(Type.Array(Attachment, { description: "Files beside it." }))),
    metadata: Metadata,
  },
  open,
);
const CreateBody = Type.Object(NewMessage.properties, { ...open, $id: "CreateThreadMessageRequest" });
const ModifyBody = Type.Object({ metadata: Metadata }, { ...open, $id: "ModifyMessageRequest" });

/** Of an answer: a text has a value and what it rests on. */
const AnsweredPart = Type.Object(
  {
    type: Type.String(),
    text: Type.Optional(Type.Object({ value: Type.String(), annotations: Type.Array(Type.Object({ type: Type.String() }, open)) }, open)),
  },
  open,
);
/** Data sheet 8. */
const Message = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("thread.message"),
    created_at: Type.Integer({ description: "Unix seconds." }),
    thread_id: Type.String(),
    status: Type.Optional(OneOf(["in_progress", "incomplete", "completed"], { description: "State of the message." })),
    incomplete_details: Type.Optional(Nullable(Type.Object({ reason: Type.String({ description: "Why it has no end." }) }, open))),
    completed_at: Type.Optional(seconds("When it was said")),
    incomplete_at: Type.Optional(seconds("When it was broken off")),
    role: OneOf(ROLES, { description: "Who says it." }),
    content: Type.Array(AnsweredPart),
    assistant_id: Nullable(Type.String()),
    run_id: Nullable(Type.String()),
    attachments: Type.Optional(Nullable(Type.Array(Attachment))),
    metadata: Metadata,
  },
  { ...open, $id: "MessageObject" },
);

const MESSAGE: BodyContent = { ...PATCHED, input: reading(message) };
/** What the assistant said is in the messages that are read. */
const ANSWERED: BodyContent = { ...PATCHED, output: reading(message) };
const ALL_ANSWERED: BodyContent = { ...PATCHED, output: reading(answeredMessages) };

export const messages: readonly OperationRoute[] = [
  {
    operation: "listMessages",
    content: ALL_ANSWERED,
    query: pagedQuery({ run_id: Type.Optional(Type.String({ description: "Only messages of this run." })) }),
    reply: pageOf(Message, "ListMessagesResponse"),
    owned: { ...ofThread, made: ({ data }) => objectsIn(data).flatMap(filesMade) },
  },
  {
    operation: "createMessage",
    content: MESSAGE,
    body: CreateBody,
    reply: Message,
    owned: { ...ofThread, named: messageNamed },
    examples: { "A question": { role: "user", content: "How are you?" } },
  },
  { operation: "getMessage", content: ANSWERED, reply: Message, owned: { ...ofThread, made: filesMade } },
  {
    operation: "modifyMessage",
    content: ANSWERED,
    body: ModifyBody,
    reply: Message,
    owned: ofThread,
    examples: { "A note": { metadata: { mood: "good" } } },
  },
  { operation: "deleteMessage", content: NO_CONTENT, reply: deletedOf("thread.message.deleted"), owned: ofThread },
];
