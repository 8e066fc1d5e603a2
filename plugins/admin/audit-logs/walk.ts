import { AuditEntries, type AuditEntry, AuditHeads, nextTurn, type RecordsHandle, type Where } from "#contract";

/** Numbers of the log that one query looks at: a filter reads each entry, and on SQLite everybody waits meanwhile. */
export const SLICE = 2_000;
const NEWEST_FIRST = { by: "sequence", direction: "desc" } as const;

export interface Asked {
  readonly organisation: string;
  readonly where: Where<AuditEntry>;
  readonly limit: number;
  readonly offset: number;
  /** Fires when nobody waits for it any more. */
  readonly signal: AbortSignal;
}

/** A page of the entries that are meant, the newest first, and how many there are: found slice by slice, with a turn for others in between. */
export async function walked({ organisation, where, limit, offset, signal }: Asked, records: Pick<RecordsHandle, "in">) {
  const head = await records.in(AuditHeads).get(organisation);
  const first = (head?.anchor_sequence ?? 0) + 1;
  const data: AuditEntry[] = [];
  let total = 0;
  for (let before = (head?.sequence ?? 0) + 1; before > first; before -= SLICE) {
    signal.throwIfAborted();
    const found = await records.in(AuditEntries).list({
      where: { ...where, organisation_id: organisation, sequence: { from: Math.max(first, before - SLICE), before } },
      orderBy: NEWEST_FIRST,
      limit: limit - data.length,
      offset: Math.max(0, offset - total),
    });
    data.push(...found.data);
    total += found.total;
    await nextTurn();
  }
  return { data, total };
}
