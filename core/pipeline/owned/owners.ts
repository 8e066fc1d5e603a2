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

export const owners = (parts: OwnersParts): Owners => new RecordedOwners(parts);

class RecordedOwners implements Owners {
  readonly #parts: OwnersParts;
  readonly #stored: Records<OwnedId>;
  readonly #lookups: ReturnType<typeof lookupsOf>;

  constructor(parts: OwnersParts) {
    this.#parts = parts;
    this.#stored = parts.records.in(OwnedIdRecords);
    this.#lookups = lookupsOf(parts.records);
  }

  whose(id: string, asking: OwnerQuestion): MaybePromise<Whose> {
    const object = this.#objectOf(id);
    const found = this.#lookups.own(object, asking.mark.credential, tenantOf(asking.tenant));
    return after(found, (isOwn) => (isOwn ? "own" : this.#searched(object, asking)));
  }

  async #searched(object: string, { tenant, mark: { credential, integrationId } }: OwnerQuestion): Promise<Whose> {
    const { ownBefore, anyones, anyonesBefore } = this.#lookups;
    if (integrationId !== null && (await ownBefore(object, integrationId, tenantOf(tenant)))) return "own";
    if (await anyones(object, credential)) return "another's";
    return integrationId !== null && (await anyonesBefore(object, integrationId)) ? "another's" : "unrecorded";
  }

  async whoseAll(ids: readonly string[], { tenant, mark }: OwnerQuestion): Promise<ReadonlyMap<string, Whose>> {
    const objects = new Map(ids.map((id) => [id, this.#objectOf(id)]));
    const found = new Map<string, Whose>();
    for (const where of wheresOf(mark))
      for (const { object, tenant: owner } of await allOf(this.#stored, { ...where, object: [...objects.values()] }))
        note(found, object, owner === tenantOf(tenant));
    return new Map(ids.map((id) => [id, found.get(objects.get(id) ?? "") ?? "unrecorded"]));
  }

  async record(ids: readonly string[], asking: OwnerQuestion, how: Recording): Promise<void> {
    const unrecorded = await this.#notRecorded([...new Set(ids)], asking, how);
    for (let from = 0; from < unrecorded.length; from += PAGE)
      await this.#stored.insertMissing(unrecorded.slice(from, from + PAGE).map((id) => this.#recordOf(id, asking, how.temporary)));
  }

  /** One is kept in memory once it is known; of a page's ids the store is asked together. */
  async #notRecorded(ids: readonly string[], asking: OwnerQuestion, { mayOnlyBeNamed }: Recording): Promise<readonly string[]> {
    const isRecorded = (of: Whose | undefined): boolean => of === "own" || (mayOnlyBeNamed && of === "another's");
    const [first] = ids;
    if (ids.length === 1 && first !== undefined) return isRecorded(await this.whose(first, asking)) ? [] : ids;
    const recorded = ids.length === 0 ? undefined : await this.whoseAll(ids, asking);
    return ids.filter((id) => !isRecorded(recorded?.get(id)));
  }

  /** Another process that is first writes the same. */
  #recordOf(id: string, asking: OwnerQuestion, temporary: boolean): OwnedId {
    const { tenant, mark } = asking;
    const object = this.#objectOf(id);
    return {
      id: this.#idOf(object, asking),
      organisation_id: tenant.organisationId,
      workspace_id: tenant.workspaceId,
      tenant: tenantOf(tenant),
      credential: mark.credential,
      integration_id: mark.integrationId,
      object,
      created_at: this.#parts.now(),
      keeping: temporary ? "temporary" : null,
      counted_input: null,
      counted_output: null,
    };
  }

  async othersForgot({ tenant, mark: { credential, integrationId } }: OwnerQuestion): Promise<boolean> {
    const { forgotten, forgottenBefore } = this.#lookups;
    const before = integrationId === null ? [] : await forgottenBefore(FORGOTTEN, integrationId);
    return [...(await forgotten(FORGOTTEN, credential)), ...before].some((other) => other !== tenantOf(tenant));
  }

  async forget(id: string, asking: OwnerQuestion): Promise<void> {
    await this.#stored.remove(this.#idOf(this.#objectOf(id), asking));
  }

  #objectOf(id: string): string {
    return this.#parts.vault.digest(`object ${canonical(id)}`);
  }

  #idOf(object: string, { tenant, mark }: OwnerQuestion): string {
    return this.#parts.vault.digest(`owned ${JSON.stringify([tenantOf(tenant), mark.credential, object])}`);
  }
}

/** By the credential, and by the integration that it belongs to: the credential may have been replaced since. */
function lookupsOf(records: RecordsHandle) {
  const there = () => true;
  const tenants = ({ tenant }: OwnedId) => tenant;
  return {
    own: records.lookup(OwnedIdRecords, ["object", "credential", "tenant"], there),
    anyones: records.lookup(OwnedIdRecords, ["object", "credential"], there),
    ownBefore: records.lookup(OwnedIdRecords, ["object", "integration_id", "tenant"], there),
    anyonesBefore: records.lookup(OwnedIdRecords, ["object", "integration_id"], there),
    forgotten: records.lookupAll(OwnedIdRecords, ["object", "credential"], {}, tenants),
    forgottenBefore: records.lookupAll(OwnedIdRecords, ["object", "integration_id"], {}, tenants),
  };
}
type OwnedId = RecordOf<typeof OwnedIdRecords>;

function note(found: Map<string, Whose>, object: string, isOwn: boolean): void {
  if (found.get(object) !== "own") found.set(object, isOwn ? "own" : "another's");
}
export const wheresOf = ({ credential, integrationId }: CredentialMark) =>
  integrationId === null ? [{ credential }] : [{ credential }, { integration_id: integrationId }];

const PAGE = 500;
export async function allOf(stored: Records<OwnedId>, where: Where<OwnedId>): Promise<readonly OwnedId[]> {
  const found: OwnedId[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const { data } = await stored.list({ where, limit: PAGE, offset });
    found.push(...data);
    if (data.length < PAGE) return found;
  }
}

/** One id in one spelling: some are addresses, and are sent encoded once more. */
const canonical = (id: string): string => whollyDecoded(id) ?? id; // a percent sign of its own
