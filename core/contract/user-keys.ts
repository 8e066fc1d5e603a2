import type { RecordsHandle } from "./capability.ts";
import { ApiKeys } from "./schema/api-key.ts";
import type { RecordOf, Where } from "./storage.ts";

const AT_ONCE = 100;

/** Removes all keys that match: those of a person who leaves, or of a workspace that is closed. They stop at once, everywhere. */
export async function removeKeys(where: Where<RecordOf<typeof ApiKeys>>, records: Pick<RecordsHandle, "in">): Promise<void> {
  const keys = records.in(ApiKeys);
  for (;;) {
    const { data } = await keys.list({ where, limit: AT_ONCE, offset: 0 });
    for (const { id } of data) await keys.remove(id);
    if (data.length < AT_ONCE) return;
  }
}
