import type { AdapterInput, Json } from "#contract";
import { idAt, type Kept } from "./kept.ts";
import { Refusal } from "./refusal.ts";

/** 2026-01-01T00:00:00Z */
export const CREATED = 1_767_225_600;
export const SEEDED_STORE: Json = {
  id: "vs_1",
  object: "vector_store",
  created_at: CREATED,
  name: "Sandbox",
  usage_bytes: 4096,
  file_counts: { in_progress: 1, completed: 2, failed: 1, cancelled: 1, total: 5 },
  status: "completed",
  expires_after: null,
  expires_at: null,
  last_active_at: CREATED,
  metadata: {},
};
/** A store, whoever made it; 404 in the words of OpenAI where there is none. */
export function storeOf(kept: Kept, { path }: Pick<AdapterInput, "path">): Json {
  const id = idAt(path, 1);
  const store = kept.get(id) ?? (id === SEEDED_STORE["id"] ? SEEDED_STORE : undefined);
  if (store?.["object"] !== "vector_store")
    throw new Refusal(404, { message: `Vector store with id '${id}' not found.`, param: "vector_store_id" });
  return store;
}
