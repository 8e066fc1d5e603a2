import {
  ApiKeys,
  AuditEntries,
  type AuditEntry,
  AuditHeads,
  type Json,
  maskSecret,
  Organisations,
  type RecordOf,
  type RecordsHandle,
  type Storage,
  Workspaces,
  BLANK_WORKSPACE,
  NO_ROTATION,
} from "#contract";
import { auditOf, journalOf } from "../../core/kernel/audit/audit.ts";
import { shareRecords } from "../../core/kernel/records/records.ts";
import { connectMemory } from "../../storage/memory/index.ts";
import { emptyData } from "../../storage/memory/data.ts";

export const COLLECTIONS = [Organisations, Workspaces, ApiKeys, AuditEntries, AuditHeads];
export const vault = {
  seal: (plain: string) => `sealed:${plain}`,
  open: (sealed: string) => sealed.slice(7),
  sealContent: (content: Uint8Array) => content,
  openContent: (sealed: Uint8Array) => sealed,
  digest: (text: string) => `digest:${text}`,
};

/** Records in memory with their journal, and a clock that a test turns. */
export async function auditing(data = emptyData()) {
  const clock = { now: Date.parse("2026-03-01T10:00:00Z") };
  const now = (): number => clock.now;
  const { records: store, feed, counters } = connectMemory(data, { log: () => undefined, now }).provides as Required<Storage>;
  const log = () => undefined;
  const parts = { store, counters, vault, log, now };
  const journal = journalOf(parts);
  const shared = await shareRecords({ store, feed, collections: COLLECTIONS, log, journal });
  const records: RecordsHandle = shared.handle("admin/test", COLLECTIONS);
  const audit = auditOf(journal, records, parts);
  const entries = async (organisation_id: string): Promise<readonly AuditEntry[]> => {
    const orderBy = { by: "sequence", direction: "asc" } as const;
    return (await store.in(AuditEntries).list({ where: { organisation_id }, orderBy, limit: 1_000, offset: 0 })).data;
  };
  return { clock, store, records, audit, journal, entries, close: () => shared.close() };
}

export const workspace = (organisation_id: string, more: Json = {}) => ({
  ...{ id: crypto.randomUUID(), created_at: 1, last_updated_at: 1, organisation_id, name: "One", slug: crypto.randomUUID() },
  ...BLANK_WORKSPACE,
  ...more,
});

/** An organisation's key that has expired. */
export const apiKey = (organisation_id: string, secret: string): RecordOf<typeof ApiKeys> => ({
  ...{ id: crypto.randomUUID(), created_at: 1, last_updated_at: 1, organisation_id, workspace_id: null, user_id: null },
  ...{ created_by: "x", type: "organisation-service", creation_mode: "api", name: "late", description: null, status: "expired" },
  ...{ digest: vault.digest(secret), masked_key: maskSecret(secret), scopes: ["*"], rate_limits: [], usage_limits: null },
  ...{ defaults: {}, alert_emails: [], expires_at: 1, ...NO_ROTATION },
});
