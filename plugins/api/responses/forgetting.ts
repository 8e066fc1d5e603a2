import { FORGOTTEN, GatewayError, type Job, type Logger, type OwnedIdRecords, type RecordOf, type Records } from "#contract";
import { DAY_MS } from "./kept/record.ts";

type OwnedId = RecordOf<typeof OwnedIdRecords>;
export interface ForgettingParts {
  readonly records: Records<OwnedId>;
  readonly log: Logger;
  readonly now: () => number;
  /** Days after which the provider has forgotten what the id was of. */
  readonly days: number;
}

const HOUR_MS = 3_600_000;
/** Records that are read at a time. */
const PAGE = 500;

/** Deletes owners of ids that their providers have forgotten: of responses, and of their items. */
export const forgetting = (parts: ForgettingParts): Job => ({
  id: "owned-ids",
  everyMs: HOUR_MS,
  runs: "one",
  run: async (signal) => {
    const { records, log, now, days } = parts;
    const markedIds = new Set<string>();
    let gone = 0;
    for await (const record of oldestFirst(records, signal)) {
      if (record.created_at > now() - days * DAY_MS) break;
      await note(record, markedIds, parts);
      await records.remove(record.id);
      gone += 1;
    }
    if (gone > 0) log("info", "old owners of ids deleted", { ids: gone, days });
  },
});

/** Each page begins anew: what was deleted is no more in front. */
async function* oldestFirst(records: Records<OwnedId>, signal: AbortSignal): AsyncGenerator<OwnedId> {
  for (;;) {
    const where = { keeping: "temporary" };
    const { data } = await records.list({ where, orderBy: { by: "created_at", direction: "asc" }, limit: PAGE, offset: 0 });
    for (const record of data) {
      signal.throwIfAborted();
      yield record;
    }
    if (data.length < PAGE) return;
  }
}

/** Before its owner is gone: else, for a moment, the id would be one that nobody ever had. */
async function note(record: OwnedId, markedIds: Set<string>, { records, now }: ForgettingParts): Promise<void> {
  const id = `${FORGOTTEN} ${JSON.stringify([record.tenant, record.credential, record.integration_id])}`;
  if (markedIds.has(id)) return;
  await records.insert({ ...record, id, object: FORGOTTEN, created_at: now(), keeping: null }).catch((thrown: unknown) => {
    if (!GatewayError.is(thrown) || thrown.code !== "CONFLICT") throw thrown; // noted before
  });
  markedIds.add(id);
}
