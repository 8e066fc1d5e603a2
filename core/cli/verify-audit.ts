import { AuditEntries, type AuditEntry, auditHash, type AuditHead, AuditHeads, type RecordsHandle } from "#contract";

/** What came of looking at one organisation's log. */
export interface Verified {
  readonly organisation: string;
  readonly entries: number;
  /** The first entry that is not as it was written, and why; undefined when the log is whole. */
  readonly broken?: string;
}
type Reading = Pick<RecordsHandle, "in">;
const PAGE = 500;
const PROGRESS_EVERY = 10_000;

/** Looks at every entry of every organisation, or of one, in pages and beside gateways that write more of them. */
export async function* verifyAudit(records: Reading, only: string | undefined, tell: (line: string) => void): AsyncGenerator<Verified> {
  for (let offset = 0; ; offset += PAGE) {
    const where = only === undefined ? {} : { id: only };
    const { data } = await records.in(AuditHeads).list({ where, limit: PAGE, offset });
    for (const head of data) yield verifyOne(head, records, tell);
    if (data.length < PAGE) return;
  }
}

/** Up to where the log ended when it was begun. When old entries are removed meanwhile, it begins again where the log begins now. */
async function verifyOne(head: AuditHead, records: Reading, tell: (line: string) => void): Promise<Verified> {
  const verified = await walked(head, records, tell);
  if (verified.broken === undefined) return verified;
  const now = await records.in(AuditHeads).get(head.id);
  return now && now.anchor_sequence !== head.anchor_sequence ? verifyOne(now, records, tell) : verified;
}

async function walked(head: AuditHead, records: Reading, tell: (line: string) => void): Promise<Verified> {
  const { id: organisation } = head;
  let last = { sequence: head.anchor_sequence, hash: head.anchor_hash };
  let entries = 0;
  while (last.sequence < head.sequence) {
    const page = await pageAfter(last.sequence, head, records);
    for (const entry of page) {
      const broken = flawOf(entry, last);
      if (broken !== undefined) return { organisation, entries, broken };
      last = entry;
      entries += 1;
      if (entries % PROGRESS_EVERY === 0) tell(`${organisation}  ${entries} entries`);
    }
    if (page.length === 0) return { organisation, entries, broken: missing(last.sequence + 1, head.sequence) };
  }
  const broken = last.hash === head.hash ? undefined : `entry ${last.sequence}: it is not the one that the log ended with`;
  return { organisation, entries, ...(broken !== undefined && { broken }) };
}

async function pageAfter(sequence: number, { id, sequence: end }: AuditHead, records: Reading): Promise<readonly AuditEntry[]> {
  const { data } = await records.in(AuditEntries).list({
    where: { organisation_id: id, sequence: { from: sequence + 1, before: Math.min(end, sequence + PAGE) + 1 } },
    orderBy: { by: "sequence", direction: "asc" },
    limit: PAGE,
    offset: 0,
  });
  return data;
}

function flawOf(entry: AuditEntry, before: { readonly sequence: number; readonly hash: string }): string | undefined {
  if (entry.sequence !== before.sequence + 1) return missing(before.sequence + 1, entry.sequence - 1);
  const named = `entry ${entry.sequence} (${entry.id})`;
  if (entry.previous_hash !== before.hash) return `${named}: it does not follow the entry before it`;
  return auditHash(entry) === entry.hash ? undefined : `${named}: it was changed after it was written`;
}
const missing = (from: number, to: number): string => (from === to ? `entry ${from} is missing` : `entries ${from} to ${to} are missing`);
