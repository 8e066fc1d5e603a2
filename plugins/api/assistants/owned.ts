import { isJson, type Json, type OwnedIds } from "#contract";
import { idsIn, objectIn, objectsIn } from "../content/ids.ts";

export const ofAssistant = { params: ["assistant_id"] } satisfies OwnedIds;
/** A run goes on behind its answer; its stream names it in an early event. One that needs calls answered goes on, too. */
export const begins = {
  by: () => true,
  ids: ({ object, id, usage }: Json): readonly string[] => (object === "thread.run" && !isJson(usage) ? idsIn(id) : []),
} satisfies OwnedIds["begins"];
/** Messages, runs and steps of a thread belong to who owns the thread. */
export const ofThread = { params: ["thread_id"] } satisfies OwnedIds;

export const made = ({ id, ...answer }: Json): readonly string[] => [...idsIn(id), ...storesOf(answer)];

/** The thread that a run was created with, and its store: a run names the thread; among the events of a stream it comes first, itself. */
export const threadMade = ({ object, id, thread_id: thread, ...answer }: Json): readonly string[] => [
  ...idsIn(object === "thread" ? id : thread),
  ...storesOf(answer),
];

/** The stores that tools search. A body may ask for one to be made; the answer has its id. */
export const storesOf = (body: Json): readonly string[] =>
  idsIn(objectIn(objectIn(body, "tool_resources"), "file_search")["vector_store_ids"]);

/** Files and stores that an assistant, a thread or a run is given. `file_ids` is the API's first version. */
export function resourcesNamed(body: Json): readonly string[] {
  const resources = objectIn(body, "tool_resources");
  return [
    ...idsIn(body["file_ids"]),
    ...idsIn(objectIn(resources, "code_interpreter")["file_ids"]),
    ...storesOf(body),
    ...objectsIn(objectIn(resources, "file_search")["vector_stores"]).flatMap(({ file_ids: ids }) => idsIn(ids)),
  ];
}

/** Files that a message shows or carries. */
export const messageNamed = ({ content, attachments, file_ids: files }: Json): readonly string[] => [
  ...idsIn(files),
  ...objectsIn(content).flatMap((part) => idsIn(objectIn(part, "image_file")["file_id"])),
  ...objectsIn(attachments).flatMap(({ file_id: id }) => idsIn(id)),
];

export const threadNamed = (thread: unknown): readonly string[] =>
  isJson(thread) ? [...resourcesNamed(thread), ...objectsIn(thread["messages"]).flatMap(messageNamed)] : [];

/** A run names its assistant, and may bring a thread and further messages. */
export const runNamed = (body: Json): readonly string[] => [
  ...idsIn(body["assistant_id"]),
  ...resourcesNamed(body),
  ...threadNamed(body["thread"]),
  ...objectsIn(body["additional_messages"]).flatMap(messageNamed),
];

/** Files that the assistant made: pictures, and those its words lead to. What a user's message names was there before. */
export const filesMade = (message: Json): readonly string[] =>
  message["role"] === "assistant" ? objectsIn(message["content"]).flatMap(filesOfPart) : [];

const filesOfPart = (part: Json): readonly string[] => [
  ...idsIn(objectIn(part, "image_file")["file_id"]),
  ...objectsIn(objectIn(part, "text")["annotations"]).flatMap((note) => idsIn(objectIn(note, "file_path")["file_id"])),
];
