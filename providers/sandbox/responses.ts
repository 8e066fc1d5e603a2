import type { Adapter, Json } from "#contract";
import { answering } from "./answering.ts";
import { page } from "./page.ts";
import { Refusal } from "./refusal.ts";

/** 2026-01-01T00:00:00Z */
const CREATED = 1_767_225_600;

/** What a provider knows of responses of its own: the same of each, and none whose id says that it is missing. */
export const responses = {
  getModelResponse: { answer: answering((_, { path }) => response(responseId(path))) },
  deleteModelResponse: { answer: answering((_, { path }) => ({ id: responseId(path), object: "response", deleted: true })) },
  cancelModelResponse: { answer: answering((_, { path }) => ({ ...response(responseId(path)), status: "cancelled", background: true })) },
  listResponseInputItems: {
    answer: answering((_, { path, search }) => {
      responseId(path);
      return page(ITEMS, search);
    }),
  },
} satisfies Record<string, Adapter>;

/** The id in `/responses/:id/…`. */
function responseId(path: string): string {
  const id = decodeURIComponent(path.split("/")[2] ?? "");
  if (!id.includes("missing")) return id;
  throw new Refusal(404, { message: `Response with id '${id}' not found.`, param: "response_id", code: "not_found" });
}

const response = (id: string): Json => ({
  id,
  object: "response",
  created_at: CREATED,
  status: "completed",
  model: "sandbox-echo",
  output: [
    {
      id: "msg_2",
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "Hello", annotations: [] }],
    },
  ],
  previous_response_id: null,
});
const ITEMS: readonly Json[] = [
  { id: "msg_1", type: "message", role: "user", status: "completed", content: [{ type: "input_text", text: "Hello" }] },
];
