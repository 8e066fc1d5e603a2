import {
  type AuditEntry,
  AuditEntries,
  AuditHeads,
  type Caller,
  type Collection,
  type Counters,
  type Logger,
  type RecordsHandle,
  type RecordStore,
  type Vault,
} from "#contract";
import type { Acting, Actor } from "./acting.ts";
import { Journal } from "./journal.ts";
import { type Refused, Refusals, type Who } from "./refusals.ts";

/** The audit log of a generation; absent where it is switched off. */
export interface Audit {
  /** An entry for what wrote no record. */
  note(by: Acting, caller: Caller, resource: Named): Promise<void>;
  /** Somebody got 401 or 403. */
  refused(refused: Refused): Promise<void>;
  /** Hears of entries once they are committed. */
  listen(listener: (entries: readonly AuditEntry[]) => void): () => void;
  close(): Promise<void>;
}

/** What it was done to, as its path names it. */
export interface Named {
  readonly type: string;
  readonly id: string | null;
}
const MAX_ID = 256;

export interface AuditParts {
  readonly store: RecordStore;
  readonly counters: Counters;
  readonly vault: Vault;
  readonly log: Logger;
  readonly now: () => number;
}

/** On unless it says OFF. */
export const AUDIT_SWITCH = "AUDIT_LOGS_ENABLED";

/** The log itself, which nothing writes but its journal. */
export const AUDIT_COLLECTIONS: readonly Collection[] = [AuditEntries, AuditHeads];

export const journalOf = ({ store, vault, now }: Pick<AuditParts, "store" | "vault" | "now">): Journal =>
  new Journal({ store, vault, now });

export function auditOf(journal: Journal, records: RecordsHandle, { counters, vault, log, now }: AuditParts): Audit {
  const refusals = new Refusals({ journal, counters, records, vault, log, now });
  return {
    note: (by, caller, { type, id }) =>
      journal.note(
        {
          ...{ organisation_id: caller.organisationId, workspace_id: caller.workspaceId },
          ...{ action: by.action ?? "manage", resource_type: type, resource_id: id?.slice(0, MAX_ID) ?? null, status: 200, count: 1 },
        },
        by,
      ),
    refused: (refused) => refusals.note(refused),
    listen: (listener) => journal.listen(listener),
    close: () => refusals.close(),
  };
}

/** A caller as entries name it. */
export const actorOf = ({ userId, keyId, keyName, keyType }: Caller): Actor => ({
  actor_type: keyType === "workspace-user" && userId !== null ? "user" : "api_key",
  actor_id: keyType === "workspace-user" && userId !== null ? userId : keyId,
  actor_name: keyName,
  actor_role: keyType,
});
export const NOBODY: Actor = { actor_type: "unknown", actor_id: null, actor_name: null, actor_role: null };
export const whoIs = (caller: Caller): Who => ({
  organisationId: caller.organisationId,
  workspaceId: caller.workspaceId,
  actor: actorOf(caller),
});
