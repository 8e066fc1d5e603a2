import { callerTerm } from "../caller-term.ts";
import { GatewayError } from "../errors.ts";
import type { Caller } from "../request.ts";
import { SECURITY_SETTINGS, type SecurityValues, type SettingRole, type Sight } from "./security-settings.ts";
import { DATA_PLANE_SCOPE, EVERY_SCOPE, SCOPE_TABLE, scopesOf, type ScopeTable } from "./scope.ts";
import { type OrganisationRole, WORKSPACE_ROLES, type WorkspaceRole } from "./user.ts";

/** What a role leaves of the scopes that a user key may hold: all of them, or those with these actions. */
export interface RoleRow {
  readonly role: WorkspaceRole;
  readonly actions: readonly string[] | "all";
}
/** A member looks at things and uses models; whoever is more may change them. Security settings take away from this, and give. */
export const ROLE_TABLE: readonly RoleRow[] = [
  { role: "admin", actions: "all" },
  { role: "manager", actions: "all" },
  { role: "member", actions: ["read", "list", "view", "render", "invoke", "write"] },
];

/** The scopes of a role, before security settings. */
export function scopesOfRole(role: WorkspaceRole, table: ScopeTable = SCOPE_TABLE): readonly string[] {
  const actions = ROLE_TABLE.find((row) => row.role === role)?.actions ?? [];
  const all = scopesOf("workspace-user", table);
  return actions === "all" ? all : all.filter((scope) => actions.includes(scope.slice(scope.lastIndexOf(".") + 1)));
}

/** What a person is in a workspace: who runs the organisation is an admin in all of its workspaces. */
export const roleIn = (organisation: OrganisationRole, membership: WorkspaceRole | undefined): WorkspaceRole | undefined =>
  organisation === "member" ? membership : "admin";

/** What security settings are about this person: none are about who is an admin of the workspace by membership. */
const settingRole = (organisation: OrganisationRole, role: WorkspaceRole): SettingRole | undefined =>
  organisation !== "member" ? "organisation-admin" : role === "admin" ? undefined : role;

/** What a person may do and see in a workspace: the role, and what security settings add to it and take from it. */
export interface Permission {
  readonly role: WorkspaceRole;
  readonly scopes: ReadonlySet<string>;
  readonly sight: ReadonlySet<Sight>;
}
export function permissionOf(organisation: OrganisationRole, role: WorkspaceRole, values: SecurityValues, table?: ScopeTable): Permission {
  const scopes = new Set(scopesOfRole(role, table));
  const sight = new Set<Sight>(["bodies", "metadata", "others"]);
  const about = settingRole(organisation, role);
  for (const row of SECURITY_SETTINGS) {
    if (row.role !== about) continue;
    const change = (values[row.category]?.[row.name] ?? row.default) ? "add" : "delete";
    for (const scope of row.scopes ?? []) scopes[change](scope);
    if (row.sight) sight[change](row.sight);
  }
  return { role, scopes, sight };
}

/** What stands for several scopes is bounded by what those are, where it is used. */
export const isPermitted = (scope: string, { scopes }: Pick<Permission, "scopes">): boolean =>
  scope === EVERY_SCOPE || scope === DATA_PLANE_SCOPE || scopes.has(scope);

/** What the person behind a user key sees of logs; all of it where nothing is said. */
export const CallerSight = callerTerm<ReadonlySet<Sight>>("sight", new Set<Sight>(["bodies", "metadata", "others"]));

/** The role of the person behind a user key; undefined for service keys, which no role binds. */
export const CallerRole = callerTerm<WorkspaceRole | undefined>("role", undefined);

/** The scopes that a user key holds itself, before the role of its person takes from them. */
export const CallerKeyScopes = callerTerm<ReadonlySet<string>>("key scopes", new Set());

/** Why none of these scopes is the caller's: the key lacks them, or it holds one that its person's role forbids. */
export function scopeRefusal(caller: Pick<Caller, "terms">, scopes: readonly string[], action: string): GatewayError {
  const forbidden = scopes.find((scope) => CallerKeyScopes.of(caller).has(scope));
  const role = CallerRole.of(caller);
  if (forbidden === undefined || role === undefined) return new GatewayError("SCOPE_MISSING", { scope: scopes.join(" or "), action });
  return new GatewayError("ROLE_LACKS_SCOPE", { role, scope: forbidden, action });
}

/** Nobody makes, changes or removes somebody who is more than themselves. */
export function refuseHigherRole(caller: Pick<Caller, "keyType" | "terms">, role: WorkspaceRole, deed: string): void {
  if (caller.keyType !== "workspace-user") return;
  const own = CallerRole.of(caller) ?? "member";
  if (WORKSPACE_ROLES.indexOf(own) <= WORKSPACE_ROLES.indexOf(role)) return;
  throw new GatewayError("ROLE_TOO_HIGH", { own, deed, role }, { param: "role" });
}
