import type { Json, OwnedIds } from "#contract";
import { idsIn, objectsIn } from "../content/ids.ts";

/** Files, batches and searches of a store belong to who owns the store. */
export const ofStore = { params: ["vector_store_id"] } satisfies OwnedIds;

/** The files that a body puts into a store: by their ids, or each with settings of its own. */
export const filesNamed = ({ file_id: id, file_ids: ids, files }: Json): readonly string[] => [
  ...idsIn(id),
  ...idsIn(ids),
  ...objectsIn(files).flatMap((file) => idsIn(file["file_id"])),
];
