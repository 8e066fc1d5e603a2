import { AuditEntries, type AuditEntry, auditHash, type AuditHead, AuditHeads, inserting, updating, type Write } from "#contract";

/** An entry that has no place in its organisation's log yet. */
export type Draft = Omit<AuditEntry, "id" | "sequence" | "previous_hash" | "hash">;

/** Behind the end of a log, one after the other. */
export function linked(head: AuditHead, drafts: readonly Draft[]): readonly AuditEntry[] {
  const entries: AuditEntry[] = [];
  for (const draft of drafts) {
    const { sequence, hash } = entries.at(-1) ?? head;
    const entry = { ...draft, id: crypto.randomUUID(), sequence: sequence + 1, previous_hash: hash };
    entries.push({ ...entry, hash: auditHash(entry) });
  }
  return entries;
}

/** The writes that put entries behind a head; they hold only while it is the head. */
export function appending(head: AuditHead, entries: readonly AuditEntry[]): { readonly first: Write; readonly rest: readonly Write[] } {
  const { sequence, hash } = entries.at(-1) ?? head;
  return {
    first: updating(AuditHeads, head.id, { sequence, hash }, { sequence: head.sequence, hash: head.hash }),
    rest: entries.map((entry) => inserting(AuditEntries, entry)),
  };
}
