import type { RecordsHandle } from "./capability.ts";
import { GatewayError } from "./errors.ts";
import { isPermitted, type Permission, permissionOf, roleIn } from "./schema/role.ts";
import type { ScopeTable } from "./schema/scope.ts";
import { effectiveSecurity } from "./schema/security-settings.ts";
import { type OrganisationRole, Users, WorkspaceMembers, type WorkspaceRole } from "./schema/user.ts";
import { Organisations, Workspaces } from "./schema/workspace.ts";

/** A person in a workspace. */
export interface PersonIn {
  readonly organisationId: string;
  readonly workspaceId: string;
  readonly userId: string;
}

/** What a person may do in a workspace, as the records say now; a policy that binds requests looks it up instead. */
export async function permissionIn(
  { organisationId, workspaceId, userId }: PersonIn,
  records: Pick<RecordsHandle, "in">,
  table?: ScopeTable,
): Promise<Permission> {
  const person = await records.in(Users).first({ id: userId, organisation_id: organisationId });
  const member = person && (await records.in(WorkspaceMembers).first({ workspace_id: workspaceId, user_id: userId }));
  const role = person && roleIn(person.role, member?.role);
  if (!person || !role) throw nobody(userId);
  return permissionAs({ organisation: person.role, workspace: role }, { organisationId, workspaceId }, records, table);
}
const nobody = (userId: string): GatewayError =>
  new GatewayError("REQUEST_INVALID", { what: `The workspace has no member with the id ${userId}.` }, { param: "user_id" });

/** What somebody with these roles may do in a workspace, as the records say now. */
export async function permissionAs(
  roles: { readonly organisation: OrganisationRole; readonly workspace: WorkspaceRole },
  { organisationId, workspaceId }: Omit<PersonIn, "userId">,
  records: Pick<RecordsHandle, "in">,
  table?: ScopeTable,
): Promise<Permission> {
  const organisation = await records.in(Organisations).get(organisationId);
  const workspace = await records.in(Workspaces).get(workspaceId);
  const values = effectiveSecurity(organisation?.settings ?? {}, workspace?.security_settings ?? null);
  return permissionOf(roles.organisation, roleIn(roles.organisation, roles.workspace) ?? roles.workspace, values, table);
}

/** No user key holds what its person may not do. */
export function refuseAboveRole(scopes: readonly string[], permission: Permission, param = "scopes"): void {
  const above = scopes.find((scope) => !isPermitted(scope, permission));
  if (above === undefined) return;
  throw new GatewayError("SCOPE_ABOVE_ROLE", { role: permission.role, scope: above }, { param });
}
