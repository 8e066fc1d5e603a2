import { type Caller, inputTokens, OwnedIdRecords, outputTokens, type RecordOf, tenantOf, UNCOUNTED, type Usage } from "#contract";
import type { Resolved } from "../plan/targets.ts";
import { type CredentialMark, markOf } from "./credential.ts";
import { allOf, wheresOf } from "./owners.ts";
import type { OwnershipParts } from "./ownership.ts";

/** Who asks, and with whose credential. */
export interface Asker {
  readonly caller: Pick<Caller, "organisationId" | "workspaceId">;
  readonly to: Resolved;
}

/**
 * What was begun through the gateway and is not counted yet: a run, a response in the background. There is a record of each
 * from its beginning until it is counted, so that it is counted once, in whichever process its end is heard of; what was
 * begun elsewhere has none.
 */
export interface Uncounted {
  /** Throws when it cannot be written down: its client must not begin what nobody would count. */
  note(ids: readonly string[], asker: Asker): Promise<void>;
  /** Of one that was taken, and goes on: what is counted of it already. */
  noteCounted(id: string, counted: Usage, asker: Asker): Promise<void>;
  /** Those of these that nobody took before, and what was counted of each already; to take one is to count it. */
  take(ids: readonly string[], asker: Asker): Promise<Map<string, Usage>>;
}

export function uncounted({ records, vault, now }: OwnershipParts): Uncounted {
  const stored = records.in(OwnedIdRecords);
  const objectOf = (id: string): string => vault.digest(`${UNCOUNTED} ${id}`);
  function recordOf(providersId: string, { caller, to }: Asker, counted: Usage | null): UncountedId {
    const { credential, integrationId } = markOf(to, vault);
    const object = objectOf(providersId);
    return {
      id: vault.digest(`${UNCOUNTED} ${JSON.stringify([integrationId ?? credential, object, ...(counted ? [crypto.randomUUID()] : [])])}`),
      organisation_id: caller.organisationId,
      workspace_id: caller.workspaceId,
      tenant: tenantOf(caller),
      credential,
      integration_id: integrationId,
      object,
      created_at: now(),
      keeping: UNCOUNTED,
      counted_input: counted && inputTokens(counted),
      counted_output: counted && outputTokens(counted),
    };
  }
  /** By the credential; by the integration where its key is another by now. */
  async function foundOf(objects: readonly string[], mark: CredentialMark): Promise<ReadonlyMap<string, UncountedId>> {
    const found = new Map<string, UncountedId>();
    for (const where of wheresOf(mark)) {
      if (found.size === objects.length) break;
      for (const record of await allOf(stored, { ...where, object: objects }))
        if (!found.has(record.object)) found.set(record.object, record);
    }
    return found;
  }
  return {
    note: (ids, asker) => stored.insertMissing(ids.map((id) => recordOf(id, asker, null))),
    noteCounted: (id, counted, asker) => stored.insert(recordOf(id, asker, counted)),
    async take(ids, { to }) {
      const objects = new Map(ids.map((id) => [objectOf(id), id]));
      const found = await foundOf([...objects.keys()], markOf(to, vault));
      const taken = new Map<string, Usage>();
      for (const [object, id] of objects) {
        const record = found.get(object);
        if (record !== undefined && (await stored.remove(record.id))) taken.set(id, countedOf(record)); // several may have found it: one removes it
      }
      return taken;
    },
  };
}

type UncountedId = RecordOf<typeof OwnedIdRecords>;
const countedOf = ({ counted_input: input, counted_output: output }: UncountedId): Usage => ({ input: input ?? 0, output: output ?? 0 });
