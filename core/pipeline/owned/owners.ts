import {
  after,
  type Caller,
  FORGOTTEN,
  type MaybePromise,
  OwnedIdRecords,
  type RecordOf,
  type Records,
  type RecordsHandle,
  tenantOf,
  type Vault,
  type Where,
} from "#contract";
import { whollyDecoded } from "./decoded.ts";
import type { CredentialMark } from "./credential.ts";

export type Whose = "own" | "another's" | "unrecorded";
type Tenant = Pick<Caller, "organisationId" | "workspaceId">;

/** Who asks, and with which credential. */
export interface OwnerQuestion {
  readonly tenant: Tenant;
  readonly mark: CredentialMark;
}

/** The records of whose ids are: those of one id are kept in memory, like every look-up of a request's. */
export interface Owners {
  whose(id: string, asking: OwnerQuestion): MaybePromise<Whose>;
  /** Of many at once, by id. */
  whoseAll(ids: readonly string[], asking: OwnerQuestion): Promise<ReadonlyMap<string, Whose>>;
  /** Throws when they cannot be written down. */
  record(ids: readonly string[], asking: OwnerQuestion, how: Recording): Promise<void>;
  /** May an id that nobody is recorded for have been another tenant's? */
  othersForgot(asking: OwnerQuestion): Promise<boolean>;
  forget(id: string, asking: OwnerQuestion): Promise<void>;
}
export interface Recording {
  readonly temporary: boolean;
  /** The ids may be those of somebody else's things: then they stay so. */
  readonly mayOnlyBeNamed: boolean;
}
export interface OwnersParts {
  readonly records: RecordsHandle;
  readonly vault: Pick<Vault, "digest">;
  readonly now: () => number;
}

export function owners({ records, vault, now }: OwnersParts): Owners {
  const stored = records.in(OwnedIdRecords);
  const there = () => true;
  const own = records.lookup(OwnedIdRecords, ["object", "credential", "tenant"], there);
  const anyones = records.lookup(OwnedIdRecords, ["object", "credential"], there);
  const ownBefore = records.lookup(OwnedIdRecords, ["object", "integration_id", "tenant"], there);
  const anyonesBefore = records.lookup(OwnedIdRecords, ["object", "integration_id"], there);
  const forgotten = records.lookupAll(OwnedIdRecords, ["object", "credential"], {}, ({ tenant }) => tenant);
  const forgottenBefore = records.lookupAll(OwnedIdRecords, ["object", "integration_id"], {}, ({ tenant }) => tenant);
  const objectOf = (id: string): string => vault.digest(`object ${canonical(id)}`);

  async function searched(object: string, { tenant, mark: { credential, integrationId } }: OwnerQuestion): Promise<Whose> {
    if (integrationId !== null && (await ownBefore(object, integrationId, tenantOf(tenant)))) return "own";
    if (await anyones(object, credential)) return "another's";
    return integrationId !== null && (await anyonesBefore(object, integrationId)) ? "another's" : "unrecorded";
  }
  const whose: Owners["whose"] = (id, asking) => {
    const object = objectOf(id);
    return after(own(object, asking.mark.credential, tenantOf(asking.tenant)), (found) => (found ? "own" : searched(object, asking)));
  };
  const idOf = (object: string, { tenant, mark }: OwnerQuestion): string =>
    vault.digest(`owned ${JSON.stringify([tenantOf(tenant), mark.credential, object])}`);

  const whoseAll: Owners["whoseAll"] = async (ids, { tenant, mark }) => {
    const objects = new Map(ids.map((id) => [id, objectOf(id)]));
    const found = new Map<string, Whose>();
    for (const where of wheresOf(mark))
      for (const { object, tenant: owner } of await allOf(stored, { ...where, object: [...objects.values()] }))
        note(found, object, owner === tenantOf(tenant));
    return new Map(ids.map((id) => [id, found.get(objects.get(id) ?? "") ?? "unrecorded"]));
  };
  /** One is kept in memory once it is known; of a page's ids the store is asked together. */
  async function notRecorded(ids: readonly string[], asking: OwnerQuestion, { mayOnlyBeNamed }: Recording): Promise<readonly string[]> {
    const isRecorded = (of: Whose | undefined): boolean => of === "own" || (mayOnlyBeNamed && of === "another's");
    const [first] = ids;
    if (ids.length === 1 && first !== undefined) return isRecorded(await whose(first, asking)) ? [] : ids;
    const owners = ids.length === 0 ? undefined : await whoseAll(ids, asking);
    return ids.filter((id) => !isRecorded(owners?.get(id)));
  }
  /** Another process that is first writes the same. */
  function recordOf(id: string, asking: OwnerQuestion, temporary: boolean): OwnedId {
    const { tenant, mark } = asking;
    const object = objectOf(id);
    return {
      id: idOf(object, asking),
      organisation_id: tenant.organisationId,
      workspace_id: tenant.workspaceId,
      tenant: tenantOf(tenant),
      credential: mark.credential,
      integration_id: mark.integrationId,
      object,
      created_at: now(),
      keeping: temporary ? "temporary" : null,
    };
  }

  return {
    whose,
    whoseAll,
    record: async (ids, asking, how) => {
      const unrecorded = await notRecorded([...new Set(ids)], asking, how);
      for (let from = 0; from < unrecorded.length; from += PAGE)
        await stored.insertMissing(unrecorded.slice(from, from + PAGE).map((id) => recordOf(id, asking, how.temporary)));
    },
    othersForgot: async ({ tenant, mark: { credential, integrationId } }) => {
      const tenants = [
        ...(await forgotten(FORGOTTEN, credential)),
        ...(integrationId === null ? [] : await forgottenBefore(FORGOTTEN, integrationId)),
      ];
      return tenants.some((other) => other !== tenantOf(tenant));
    },
    forget: async (id, asking) => void (await stored.remove(idOf(objectOf(id), asking))),
  };
}
type OwnedId = RecordOf<typeof OwnedIdRecords>;

function note(found: Map<string, Whose>, object: string, isOwn: boolean): void {
  if (found.get(object) !== "own") found.set(object, isOwn ? "own" : "another's");
}
const wheresOf = ({ credential, integrationId }: CredentialMark) =>
  integrationId === null ? [{ credential }] : [{ credential }, { integration_id: integrationId }];

const PAGE = 500;
async function allOf(stored: Records<OwnedId>, where: Where<OwnedId>): Promise<readonly OwnedId[]> {
  const found: OwnedId[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const { data } = await stored.list({ where, limit: PAGE, offset });
    found.push(...data);
    if (data.length < PAGE) return found;
  }
}

/** One id in one spelling: some are addresses, and are sent encoded once more. */
const canonical = (id: string): string => whollyDecoded(id) ?? id; // a percent sign of its own
