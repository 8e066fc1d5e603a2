import {
  type Caller,
  GatewayError,
  isUuid,
  type Json,
  type Records,
  type Resource,
  type ResourceAction,
  type ResourceHandles,
  type RouteInput,
  scopeRefusal,
} from "#contract";
import { addressable, placeOf, type Reach, reachOfOne, inTenant, type TenantMember } from "./tenancy.ts";

/* Finding the one record that a control-plane path names. */

/** A resource at work. */
export interface On {
  readonly resource: Resource;
  readonly handles: ResourceHandles;
}
/** What every record has. */
export type Row = Json & {
  readonly id: string;
  readonly organisation_id: string;
  readonly last_updated_at: number;
  readonly workspace_id?: string | null;
  readonly status?: string;
};
export type Input = RouteInput<unknown, unknown>;

/** The record a path names, as far as the caller reaches; another tenant's is as absent as one that never was. */
export async function oneOf(on: On, input: Input, action: ResourceAction | undefined): Promise<Row> {
  const { resource, handles } = on;
  const address = input.params[resource.param] ?? "";
  const query = input.query as Json;
  const reach = await reachOfOne(resource.tenancy, input.caller, workspaceIn(query), handles.records);
  const found = addressable(address) ? await search(on, address, reach, input.caller) : undefined;
  if (!found || isHidden(resource, found, query)) throw absent(resource, address);
  if (action) need(on, input.caller, action, found);
  return found;
}

async function search(on: On, address: string, reach: Reach, caller: Caller): Promise<Row | undefined> {
  for (const member of on.resource.by) {
    if (member === "id" && !isUuid(address)) continue;
    const found = await matches(on, { [member]: address }, reach);
    if (found.length > 1) return inDefaultWorkspace(on, { [member]: address }, caller);
    if (found[0]) return found[0];
  }
  return undefined;
}

/** A slug that several workspaces have, asked by an organisation key that names none. */
async function inDefaultWorkspace(on: On, where: Json, caller: Caller): Promise<Row> {
  const reach = { organisationId: caller.organisationId, workspaces: [await placeOf("workspace", caller, undefined, on.handles.records)] };
  const [found] = await matches(on, where, reach);
  if (found) return found;
  throw new GatewayError(
    "REQUEST_INVALID",
    { what: `Several workspaces have this ${on.resource.noun}: say which in workspace_id.` },
    { param: "workspace_id" },
  );
}

async function matches(on: On, where: Json, reach: Reach): Promise<readonly Row[]> {
  const condition = inTenant(where, reach, tenantMember(on.resource));
  return condition ? (await rowsOf(on).list({ where: condition, limit: 2, offset: 0 })).data : [];
}

/** An archived record is gone, except for a reader who asks for archived ones. */
const isHidden = (resource: Resource, record: Row, query: Json): boolean =>
  hidesArchived(resource) && (record.status ?? "active") !== (query["status"] ?? "active");

export function absent(resource: Resource, address: string): GatewayError {
  const what = `${resource.noun} ${addressable(address) ? address : "of that name"}`;
  return resource.absent === 403 ? new GatewayError("ACCESS_DENIED", { what: `the ${what}` }) : new GatewayError("NOT_FOUND", { what });
}

/** Where the scope depends on the record, the route's own check was not enough. */
export function need({ resource }: On, caller: Caller, action: ResourceAction, record: Row): void {
  const family = resource.scopes.of?.(record);
  if (family === undefined || caller.scopes.has(`${family}.${action}`)) return;
  throw scopeRefusal(caller, [`${family}.${action}`], `${action} of this ${resource.noun}`);
}

// The host forgets the collection's own type; every record has the members of Row.
export const rowsOf = ({ resource, handles }: On): Records<Row> => handles.records.in(resource.collection) as unknown as Records<Row>;
export const hasWorkspaces = (resource: Resource): boolean => "workspace_id" in resource.collection.schema.properties;
/** Is what was archived shown to who asks for it only? */
export const hidesArchived = ({ remove }: Resource): boolean => remove?.archive !== undefined && !remove.staysVisible;
export const tenantMember = (resource: Resource): TenantMember =>
  resource.tenancy === "self" ? "id" : hasWorkspaces(resource) ? "workspace_id" : undefined;
export const workspaceIn = (given: Json | undefined): string | undefined =>
  typeof given?.["workspace_id"] === "string" ? given["workspace_id"] : undefined;
