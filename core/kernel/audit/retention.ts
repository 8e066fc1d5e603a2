import { AuditEntries, type AuditHead, AuditHeads, type Job, type Logger, type RecordStore, removing, updating } from "#contract";

const DAY_MS = 86_400_000;
/** Entries that one transaction removes. */
const BATCH = 200;
const PAGE = 500;

export interface RetentionParts {
  readonly store: RecordStore;
  readonly days: number;
  readonly log: Logger;
  readonly now: () => number;
}

/**
 * Removes entries that are older than so many days, the oldest of each organisation first. The head keeps the number and the
 * hash of the last one that went, in the same transaction: what is left is still a chain that begins at a known place.
 */
export const auditRetention = (parts: RetentionParts): Job => ({
  id: "audit-retention",
  everyMs: DAY_MS / 24,
  runs: "one",
  run: async (signal) => {
    let removed = 0;
    for await (const { id } of headsIn(parts.store)) removed += await pruned(id, parts, signal);
    if (removed > 0) parts.log("info", "old audit entries deleted", { entries: removed, days: parts.days });
  },
});

async function* headsIn(store: RecordStore): AsyncGenerator<AuditHead> {
  for (let offset = 0; ; offset += PAGE) {
    const { data } = await store.in(AuditHeads).list({ limit: PAGE, offset });
    yield* data;
    if (data.length < PAGE) return;
  }
}

async function pruned(organisation: string, parts: RetentionParts, signal: AbortSignal): Promise<number> {
  for (let removed = 0; ; ) {
    signal.throwIfAborted();
    const batch = await removedBatch(organisation, parts);
    if (batch === 0) return removed;
    removed += batch;
  }
}

async function removedBatch(organisation_id: string, { store, days, now }: RetentionParts): Promise<number> {
  const head = await store.in(AuditHeads).get(organisation_id);
  if (head === undefined) return 0;
  const { data } = await store.in(AuditEntries).list({
    where: { organisation_id, sequence: { from: head.anchor_sequence + 1, before: head.anchor_sequence + 1 + BATCH } },
    orderBy: { by: "sequence", direction: "asc" },
    ...{ limit: BATCH, offset: 0, omit: ["before", "after", "request_headers"] },
  });
  const fresh = data.findIndex(({ created_at }) => created_at >= now() - days * DAY_MS);
  const old = fresh < 0 ? data : data.slice(0, fresh);
  const last = old.at(-1);
  if (last === undefined) return 0;
  const anchor = { anchor_sequence: last.sequence, anchor_hash: last.hash, anchored_at: now() };
  const held = await store.together([
    updating(AuditHeads, organisation_id, anchor, { anchor_sequence: head.anchor_sequence }),
    ...old.map(({ id }) => removing(AuditEntries, id)),
  ]);
  return held ? old.length : 0; // otherwise another process did
}
