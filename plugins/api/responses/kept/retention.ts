import { type Job, type Logger, nextTurn, type Records } from "#contract";
import { DAY_MS, type KeptResponse } from "./record.ts";
import type { KeptStore } from "./store.ts";

export interface RetentionParts {
  readonly store: KeptStore;
  readonly records: Records<KeptResponse>;
  readonly log: Logger;
  readonly now: () => number;
  readonly days: number;
  /** Bytes that all kept responses may take. */
  readonly maxBytes: number;
}

const HOUR_MS = 3_600_000;
/** Records that are read at a time. */
const PAGE = 500;

/** Deletes responses whose time is over, and the oldest of those that take too much room. */
export const retention = (parts: RetentionParts): Job => ({
  id: "retention",
  everyMs: HOUR_MS,
  runs: "one",
  run: async (signal) => {
    const { days, maxBytes, log } = parts;
    let over = (await bytesOf(parts, signal)) - maxBytes;
    let gone = 0;
    for await (const record of oldestFirst(parts.records, signal)) {
      if (record.created_at > parts.store.oldest && over <= 0) break;
      await parts.store.remove(record);
      over -= record.bytes;
      gone += 1;
    }
    if (gone > 0) log("info", "old responses deleted", { responses: gone, days, maxBytes });
  },
});

/** Each page begins anew: what was deleted is no more in front. */
async function* oldestFirst(records: Records<KeptResponse>, signal: AbortSignal): AsyncGenerator<KeptResponse> {
  for (;;) {
    signal.throwIfAborted();
    const { data } = await records.list({ orderBy: { by: "created_at", direction: "asc" }, limit: PAGE, offset: 0 });
    for (const record of data) {
      signal.throwIfAborted();
      yield record;
    }
    if (data.length < PAGE) return;
  }
}

/** Day by day, so that no page lies far behind the beginning of its list. */
async function bytesOf({ records, now }: RetentionParts, signal: AbortSignal): Promise<number> {
  const first = (await records.list({ orderBy: { by: "created_at", direction: "asc" }, limit: 1, offset: 0 })).data[0];
  if (first === undefined) return 0;
  let bytes = 0;
  for (let day = first.created_day; day <= Math.floor(now() / DAY_MS); day += 1) bytes += await bytesOfDay(day, records, signal);
  return bytes;
}
async function bytesOfDay(day: number, records: Records<KeptResponse>, signal: AbortSignal): Promise<number> {
  let bytes = 0;
  for (let offset = 0; ; offset += PAGE) {
    signal.throwIfAborted();
    const { data } = await records.list({ where: { created_day: day }, limit: PAGE, offset });
    for (const record of data) bytes += record.bytes;
    if (data.length < PAGE) return bytes;
    await nextTurn();
  }
}
