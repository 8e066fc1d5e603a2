import { type Adapter, isJson, type Json } from "#contract";
import { answering } from "../answering.ts";
import { idAt, type Kept, newId, pick } from "../kept.ts";
import { missing } from "../missing.ts";
import { page } from "../page.ts";
import { Refusal } from "../refusal.ts";

export function threadOf(kept: Kept, path: string): Json {
  const thread = kept.get(idAt(path, 1));
  if (thread?.["object"] !== "thread")
    throw new Refusal(404, { message: `No thread found with id '${idAt(path, 1)}'.`, param: "thread_id" });
  return thread;
}

/** Makes a thread with the messages it begins with. */
export function newThread(kept: Kept, body: Json, at: number): Json {
  const id = newId("thread_");
  const { tool_resources, metadata, messages } = body;
  const thread = kept.put(id, { id, object: "thread", created_at: at, tool_resources: tool_resources ?? {}, metadata: metadata ?? {} });
  for (const message of Array.isArray(messages) ? messages.filter(isJson) : []) newMessage(kept, { thread: id, message, at });
  return thread;
}

export const messagesOf = (kept: Kept, thread: unknown): Promise<readonly Json[]> =>
  kept.all("thread.message", (message) => message["thread_id"] === thread);

/** A message, of which thread and when; a run says that it is its own. */
interface NewMessage {
  readonly thread: string;
  readonly message: Json;
  readonly at: number;
  readonly more?: Json;
}
export function newMessage(kept: Kept, { thread, message, at, more }: NewMessage): Json {
  if (message["content"] === undefined) throw missing("content");
  const id = newId("msg_");
  const { role, attachments, metadata } = message;
  return kept.put(id, {
    id,
    object: "thread.message",
    created_at: at,
    thread_id: thread,
    status: "completed",
    incomplete_details: null,
    completed_at: at,
    incomplete_at: null,
    role,
    content: answeredContent(message["content"]),
    assistant_id: null,
    run_id: null,
    attachments: attachments ?? [],
    metadata: metadata ?? {},
    ...more,
  });
}
/** A text comes back with what it rests on, which is nothing. */
function answeredContent(content: unknown): readonly unknown[] {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [{ type: "text", text: content }];
  return parts.map((part) =>
    isJson(part) && part["type"] === "text" ? { type: "text", text: { value: String(part["text"]), annotations: [] } } : part,
  );
}

export function threads(kept: Kept, seconds: () => number): Record<string, Adapter> {
  return {
    createThread: { answer: answering((body) => newThread(kept, body, seconds())) },
    getThread: { answer: answering((_, { path }) => threadOf(kept, path)) },
    modifyThread: {
      answer: answering((body, { path }) =>
        kept.put(idAt(path, 1), { ...threadOf(kept, path), ...pick(body, ["tool_resources", "metadata"]) }),
      ),
    },
    deleteThread: {
      answer: answering(async (_, { path }) => {
        const { id } = threadOf(kept, path);
        for (const message of await messagesOf(kept, id)) kept.drop(String(message["id"]));
        kept.drop(String(id));
        return { id, object: "thread.deleted", deleted: true };
      }),
    },
  };
}

export function messages(kept: Kept, seconds: () => number): Record<string, Adapter> {
  const found = (path: string): Json => {
    const message = kept.get(idAt(path, 3));
    if (message?.["object"] !== "thread.message" || message["thread_id"] !== threadOf(kept, path)["id"])
      throw new Refusal(404, { message: `No message found with id '${idAt(path, 3)}'.`, param: "message_id" });
    return message;
  };
  return {
    listMessages: {
      answer: answering(async (_, { path, search }) => {
        const run = new URLSearchParams(search).get("run_id");
        const all = await messagesOf(kept, threadOf(kept, path)["id"]);
        return page(
          all.filter((message) => run === null || message["run_id"] === run),
          search,
        );
      }),
    },
    createMessage: {
      answer: answering((message, { path }) => newMessage(kept, { thread: String(threadOf(kept, path)["id"]), message, at: seconds() })),
    },
    getMessage: { answer: answering((_, { path }) => found(path)) },
    modifyMessage: {
      answer: answering((body, { path }) => kept.put(idAt(path, 3), { ...found(path), ...pick(body, ["metadata"]) })),
    },
    deleteMessage: {
      answer: answering((_, { path }) => {
        const { id } = found(path);
        kept.drop(String(id));
        return { id, object: "thread.message.deleted", deleted: true };
      }),
    },
  };
}
