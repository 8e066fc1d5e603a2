import type { Catalog, RecordsHandle } from "./capability.ts";
import { GatewayError } from "./errors.ts";
import type { Json } from "./json.ts";
import { daysOf } from "./rotation-schedule.ts";
import { isScope, mayHold, normaliseScope, type ScopeTable } from "./schema/scope.ts";
import type { OrganisationKeySettings } from "./schema/user-key-settings.ts";
import { Organisations, Workspaces } from "./schema/workspace.ts";

/** What holds of user keys in a workspace. */
export interface UserKeyRules {
  readonly autoCreate: boolean;
  /** `null`: whatever the person's role allows. */
  readonly autoScopes: readonly string[] | null;
  readonly rotationDays: number | null;
  readonly ttlSec: number | null;
  readonly limit: number | null;
}

/** By what the organisation and the workspace say. */
export function userKeyRules(settings: Json, own: Json | null): UserKeyRules {
  const heard = mayOverride(settings) ? Object.entries(own ?? {}).filter(([, value]) => value !== null) : [];
  const all: Json = { ...settings, ...Object.fromEntries(heard) };
  const scopes = all["user_api_key_auto_create_scopes"];
  return {
    autoCreate: all["user_api_key_auto_create"] === true,
    autoScopes: Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === "string") : null,
    rotationDays: numberIn(all, "user_api_key_rotation_period"),
    ttlSec: numberIn(all, "user_api_key_ttl"),
    limit: numberIn(all, "user_api_key_limit"),
  };
}
export const mayOverride = (settings: Json): boolean => settings["user_api_key_workspace_overrides"] === true;
const numberIn = (from: Json, member: string): number | null => (typeof from[member] === "number" ? from[member] : null);

/** The same, as the records say now. */
export async function userKeyRulesIn(
  { organisationId, workspaceId }: { readonly organisationId: string; readonly workspaceId: string },
  records: Pick<RecordsHandle, "in">,
): Promise<UserKeyRules> {
  const organisation = await records.in(Organisations).get(organisationId);
  const workspace = await records.in(Workspaces).get(workspaceId);
  return userKeyRules(organisation?.settings ?? {}, workspace?.settings ?? null);
}

/** What a record keeps of what was said: scopes as the table spells them, a week and a month as days. */
export function storedKeySettings(said: OrganisationKeySettings, catalog: Pick<Catalog, "scopes">): Json {
  const { user_api_key_auto_create_scopes: scopes, user_api_key_rotation_period: period, ...rest } = said;
  return {
    ...rest,
    ...(scopes !== undefined && { user_api_key_auto_create_scopes: scopes && heldByUsers(scopes, catalog.scopes()) }),
    ...(period !== undefined && { user_api_key_rotation_period: typeof period === "string" ? daysOf(period) : period }),
  };
}

function heldByUsers(given: readonly string[], table: ScopeTable): string[] {
  return given.map((text, at) => {
    const scope = normaliseScope(text);
    if (isScope(scope, table) && mayHold("workspace-user", scope, table)) return scope;
    const what = `The scope ${text} is none that a user key may hold.`;
    throw new GatewayError("REQUEST_INVALID", { what }, { param: `settings.user_api_key_auto_create_scopes[${at}]` });
  });
}
