import type { Adapter, Json } from "#contract";
import { answering } from "./answering.ts";
import { Refusal } from "./refusal.ts";
import { models } from "./scenario.ts";

/** 2026-01-01T00:00:00Z */
const CREATED = 1_767_225_600;
/** The models, and one of them. */
export const lists = {
  listModels: { answer: answering(() => ({ object: "list", data: models.map(model) })) },
  retrieveModel: { answer: answering((_, { target }) => model(existing(target.model))) },
  deleteModel: { answer: answering((_, { target }) => ({ ...model(existing(target.model)), deleted: true })) },
} satisfies Record<string, Adapter>;

const model = (id: string): Json => ({ id, object: "model", created: CREATED, owned_by: "sandbox" });
function existing(id: string): string {
  if (!id.includes("missing")) return id;
  throw new Refusal(404, { message: `The model '${id}' does not exist.`, param: "model", code: "model_not_found" });
}
