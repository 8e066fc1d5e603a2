import type { Adapter, Json } from "#contract";
import { answering } from "./answering.ts";
import { Refusal } from "./refusal.ts";
import { models } from "./scenario.ts";

/** 2026-01-01T00:00:00Z */
const CREATED = 1_767_225_600;
/** The list of models, and the deletion of a response. */
export const lists = {
  deleteModelResponse: { answer: answering((_, { path }) => deleted(idIn(path))) },
  listModels: {
    answer: answering(() => ({
      object: "list",
      data: models.map((id) => ({ id, object: "model", created: CREATED, owned_by: "sandbox" })),
    })),
  },
} satisfies Record<string, Adapter>;

/** The id in `/things/:id/…`. */
const idIn = (path: string): string => decodeURIComponent(path.split("/")[2] ?? "");

function deleted(id: string): Json {
  if (id.includes("missing"))
    throw new Refusal(404, { message: `Response with id '${id}' not found.`, param: "response_id", code: "not_found" });
  return { id, object: "response", deleted: true };
}
