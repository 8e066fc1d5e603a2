import { type Adapter, type AdapterInput, isJson, type Json } from "#contract";
import { answering } from "./answering.ts";
import { idAt, type Kept, newId } from "./kept.ts";
import { missing } from "./missing.ts";
import { Refusal } from "./refusal.ts";
import { added, countsOf, fileKey, filePage, settled } from "./vector-store-files.ts";
import { storeOf } from "./vector-store.ts";

/** Files that are put into a store together. */
export function vectorStoreBatches(kept: Kept, seconds: () => number): Record<string, Adapter> {
  const batchAt = (ask: AdapterInput): Json => {
    const batch = kept.get(idAt(ask.path, 3));
    if (batch?.["object"] !== "vector_store.files_batch" || batch["vector_store_id"] !== storeOf(kept, ask)["id"])
      throw new Refusal(404, { message: `No file batch found with id '${idAt(ask.path, 3)}'.`, param: "batch_id" });
    return batch;
  };
  const filesIn = ({ vector_store_id: store, file_ids: ids }: Json): readonly Json[] =>
    [ids]
      .flat()
      .map((id) => kept.get(fileKey(String(store), String(id))))
      .filter(isJson);
  const shown = ({ file_ids: _, ...batch }: Json, files: readonly Json[]): Json => ({ ...batch, file_counts: countsOf(files) });
  return {
    createVectorStoreFileBatch: {
      answer: answering((body, ask) => {
        const store = String(storeOf(kept, ask)["id"]);
        const files = settingsOf(body).map((settings) => added(kept, { store, id: String(settings["file_id"]), at: seconds(), settings }));
        const id = newId("vsfb_");
        const batch = { id, object: "vector_store.files_batch", created_at: seconds(), vector_store_id: store, status: "in_progress" };
        return shown(kept.put(id, { ...batch, file_ids: files.map((file) => file["id"]) }), files);
      }),
    },
    getVectorStoreFileBatch: {
      answer: answering((_, ask) => {
        const batch = batchAt(ask);
        const files = filesIn(batch).map((file) => settled(kept, file));
        return shown(batch["status"] === "in_progress" ? kept.put(String(batch["id"]), { ...batch, status: "completed" }) : batch, files);
      }),
    },
    cancelVectorStoreFileBatch: {
      answer: answering((_, ask) => {
        const batch = batchAt(ask);
        if (batch["status"] !== "in_progress") return shown(batch, filesIn(batch));
        const cancelled = filesIn(batch).map((file) =>
          kept.put(fileKey(String(file["vector_store_id"]), String(file["id"])), { ...file, status: "cancelled" }),
        );
        return shown(kept.put(String(batch["id"]), { ...batch, status: "cancelled" }), cancelled);
      }),
    },
    listFilesInVectorStoreBatch: { answer: answering((_, ask) => filePage(filesIn(batchAt(ask)), ask.search)) },
  };
}

/** Each file with its settings, in whichever of the two ways the body names them. */
function settingsOf(body: Json): readonly Json[] {
  const files = body["files"] ?? body["file_ids"];
  if (!Array.isArray(files) || files.length === 0) throw missing("file_ids");
  return files.map((file: unknown) => (typeof file === "string" ? { ...body, file_id: file } : (file as Json))); // the body's schema has judged them
}
