import { type Caller, DEFAULT_WORKSPACE, GatewayError, isUuid, type Json, type RecordsHandle, type Tenancy, Workspaces } from "#contract";

/* Which tenant a control-plane request is about. Every condition that reaches the storage passes `inTenant`. */

/** What a caller may see: one organisation, and all of its workspaces (`undefined`) or the ones listed; null is the organisation's own level. */
export interface Reach {
  readonly organisationId: string;
  readonly workspaces: readonly (string | null)[] | undefined;
}

const denied = (workspace: string): GatewayError =>
  new GatewayError("ACCESS_DENIED", { what: `the workspace ${workspace}` }, { param: "workspace_id" });

const needsAnother = (what: string): GatewayError => new GatewayError("REQUEST_INVALID", { what }, { param: "workspace_id" });

/** Where a new record goes: the caller's own workspace, the one it names, the default one, or the organisation (null). */
export async function placeOf(tenancy: Tenancy, caller: Caller, named: string | undefined, records: RecordsHandle): Promise<string | null> {
  if (tenancy === "organisation" || tenancy === "self") return organisationLevel(caller, named);
  if (caller.workspaceId !== null) return ownWorkspace(caller.workspaceId, caller, named, records);
  if (named !== undefined) return workspaceNamed(named, caller.organisationId, records);
  return tenancy === "workspace" ? defaultWorkspace(caller.organisationId, records) : null;
}

/** A request may say again which organisation it is about. */
export function ownOrganisation(caller: Caller, named: unknown): void {
  if (named === undefined || named === caller.organisationId) return;
  throw new GatewayError("ACCESS_DENIED", { what: `the organisation ${String(named)}` }, { param: "organisation_id" });
}

/** What a list shows: as `placeOf`, except that an organisation key that names no workspace sees all of an `either` resource. */
export async function reachOfList(
  { tenancy, showsOrganisation = false }: { readonly tenancy: Tenancy; readonly showsOrganisation?: boolean | undefined },
  caller: Caller,
  named: string | undefined,
  records: RecordsHandle,
): Promise<Reach> {
  const { organisationId } = caller;
  if (tenancy === "self") return ownReach(caller);
  if (tenancy === "either" && caller.workspaceId === null && named === undefined) return { organisationId, workspaces: undefined };
  const place = await placeOf(tenancy, caller, named, records);
  return { organisationId, workspaces: showsOrganisation && place !== null ? [place, null] : [place] };
}

/** What one record may be addressed in. */
export async function reachOfOne(tenancy: Tenancy, caller: Caller, named: string | undefined, records: RecordsHandle): Promise<Reach> {
  if (tenancy === "self") return ownReach(caller);
  const anywhere = tenancy !== "organisation" && caller.workspaceId === null && named === undefined;
  return { organisationId: caller.organisationId, workspaces: anywhere ? undefined : [await placeOf(tenancy, caller, named, records)] };
}

/** Of workspaces themselves: an organisation key reaches all, a workspace key its own. */
const ownReach = ({ organisationId, workspaceId }: Caller): Reach => ({
  organisationId,
  workspaces: workspaceId === null ? undefined : [workspaceId],
});

function organisationLevel(caller: Caller, named: string | undefined): null {
  if (caller.workspaceId !== null) throw new GatewayError("ACCESS_DENIED", { what: "the organisation's own records with a workspace key" });
  if (named === undefined) return null;
  throw needsAnother("The member workspace_id is not taken here: this is the organisation's own.");
}

async function ownWorkspace(own: string, caller: Caller, named: string | undefined, records: RecordsHandle): Promise<string> {
  if (named === undefined || named === own) return own;
  if ((await workspaceNamed(named, caller.organisationId, records)) !== own) throw denied(named);
  return own;
}

async function workspaceNamed(named: string, organisationId: string, records: RecordsHandle): Promise<string> {
  if (!addressable(named)) throw denied(named.slice(0, 40));
  const address = { [isUuid(named) ? "id" : "slug"]: named };
  const found = await records.in(Workspaces).first({ ...address, organisation_id: organisationId, status: "active" });
  if (!found) throw denied(named);
  return found.id;
}

async function defaultWorkspace(organisationId: string, records: RecordsHandle): Promise<string> {
  const workspaces = records.in(Workspaces);
  const found =
    (await workspaces.first({ organisation_id: organisationId, slug: DEFAULT_WORKSPACE, status: "active" })) ??
    (await workspaces.first({ organisation_id: organisationId, status: "active" }));
  if (found) return found.id;
  throw needsAnother("The member workspace_id is needed: the organisation has no default workspace.");
}

/** Could this text be an id or a slug at all? Databases refuse some characters with errors of their own. */
export const addressable = (text: string): boolean => /^[\w.@-]{1,255}$/.test(text);

/** The member of a resource's records that says which workspace each is of; undefined where all are the organisation's. */
export type TenantMember = "workspace_id" | "id" | undefined;

/** A rule's condition, with the tenant forced in. `undefined` when nothing can match. */
export function inTenant(where: Json, reach: Reach, member: TenantMember): Json | undefined {
  const organisation = { organisation_id: reach.organisationId };
  if (member === undefined) return { ...where, ...organisation };
  const { [member]: wanted, ...rest } = where;
  const forced = { ...rest, ...organisation };
  const workspaces = intersection(wanted, reach.workspaces);
  if (workspaces === undefined) return forced;
  return workspaces.length === 0 ? undefined : { ...forced, [member]: workspaces };
}

function intersection(wanted: unknown, allowed: Reach["workspaces"]): readonly unknown[] | undefined {
  if (wanted === undefined) return allowed;
  const asked: readonly unknown[] = Array.isArray(wanted) ? wanted : [wanted];
  return allowed === undefined ? asked : asked.filter((id) => allowed.some((workspace) => workspace === id));
}
