import { type Job, type Logger, OwnedIdRecords, type RecordOf, type Records, type RecordsHandle, UNCOUNTED } from "#contract";

const DAY_MS = 86_400_000;
/** Days after which nobody is told the end of what was begun: providers forget runs and responses long before. */
const KEPT_DAYS = 90;
/** Records that are read at a time. */
const PAGE = 500;

export interface UncountedWorkParts {
  readonly records: RecordsHandle;
  readonly log: Logger;
  readonly now: () => number;
}

/** Deletes the notes of work whose end nobody ever asked for: what was begun is noted until it is counted. */
export function forgetUncountedWork({ records, log, now }: UncountedWorkParts): Job {
  const stored = records.in(OwnedIdRecords);
  return {
    id: "uncounted-work",
    everyMs: DAY_MS / 24,
    runs: "one",
    run: async (signal) => {
      let notes = 0;
      for await (const { id, created_at } of oldestFirst(stored, signal)) {
        if (created_at > now() - KEPT_DAYS * DAY_MS) break;
        await stored.remove(id);
        notes += 1;
      }
      if (notes > 0) log("info", "old notes of uncounted work deleted", { notes, days: KEPT_DAYS });
    },
  };
}

type Note = RecordOf<typeof OwnedIdRecords>;
/** Each page begins anew: what was deleted is no more in front. */
async function* oldestFirst(stored: Records<Note>, signal: AbortSignal): AsyncGenerator<Note> {
  for (;;) {
    const orderBy = { by: "created_at", direction: "asc" } as const;
    const { data } = await stored.list({ where: { keeping: UNCOUNTED }, orderBy, limit: PAGE, offset: 0 });
    for (const note of data) {
      signal.throwIfAborted();
      yield note;
    }
    if (data.length < PAGE) return;
  }
}
