import type { Catalog, RecordsHandle, Vault } from "./capability.ts";
import { maskGatewayKey, newGatewayKey } from "./gateway-key.ts";
import { permissionIn } from "./permission.ts";
import { DAY_MS, scheduled } from "./rotation-schedule.ts";
import { ApiKeys, NO_ROTATION } from "./schema/api-key.ts";
import { isPermitted } from "./schema/role.ts";
import { EVERY_SCOPE, expandedScopes, type ScopeTable } from "./schema/scope.ts";
import type { WorkspaceMembers } from "./schema/user.ts";
import { type UserKeyRules, userKeyRulesIn } from "./user-key-rules.ts";
import type { RecordOf, Where } from "./storage.ts";

type Records = Pick<RecordsHandle, "in">;
/** How long a secret that no answer showed can be asked for, by those who may rotate the key. */
export const SECRET_KEPT_MS = 30 * DAY_MS;
const AT_ONCE = 100;

/** Removes all keys that match: those of a person who leaves, or of a workspace that is closed. They stop at once, everywhere. */
export async function removeKeys(where: Where<RecordOf<typeof ApiKeys>>, records: Records): Promise<void> {
  const keys = records.in(ApiKeys);
  for (;;) {
    const { data } = await keys.list({ where, limit: AT_ONCE, offset: 0 });
    for (const { id } of data) await keys.remove(id);
    if (data.length < AT_ONCE) return;
  }
}

/**
 * Has a workspace as many user keys as it may, or more? Asked before a key is written, with `more: 1`, and once it is there:
 * of several that are made at once, whoever looks last sees them all, so that too many never stay.
 */
export async function hasTooManyKeys(
  workspaceId: string,
  { limit }: Pick<UserKeyRules, "limit">,
  { records, more }: { readonly records: Records; readonly more: 0 | 1 },
): Promise<boolean> {
  if (limit === null) return false;
  const where = { workspace_id: workspaceId, type: "workspace-user", status: ["active", "exhausted"] } as const;
  const { total } = await records.in(ApiKeys).list({ where, limit: 1, offset: 0, omit: ["scopes", "defaults"] });
  return total + more > limit;
}

/** For whom a key is made without their asking. */
export interface AutoKeyOf {
  readonly member: Pick<RecordOf<typeof WorkspaceMembers>, "organisation_id" | "workspace_id" | "user_id">;
  readonly email: string;
  /** What was promised; without it, the settings decide whether there is to be a key. */
  readonly promised?: readonly string[] | undefined;
  /** No answer shows the secret: it is kept for those who may rotate the key to ask for it. */
  readonly isKept: boolean;
}
export interface AutoKeyParts {
  readonly records: Records;
  readonly vault: Vault;
  readonly catalog: Pick<Catalog, "scopes">;
  readonly now: number;
}
/** A user key for somebody who joins; none where there is to be none, and where the person may do nothing of what it would hold. */
export async function makeAutoKey(of: AutoKeyOf, parts: AutoKeyParts): Promise<{ readonly id: string; readonly key: string } | undefined> {
  const { records, vault, catalog, now } = parts;
  const { organisation_id, workspace_id, user_id } = of.member;
  const place = { organisationId: organisation_id, workspaceId: workspace_id };
  const rules = await userKeyRulesIn(place, records);
  const wanted = of.promised ?? (rules.autoCreate ? [EVERY_SCOPE] : []);
  const permission = await permissionIn({ ...place, userId: user_id }, records, catalog.scopes());
  const scopes = atMost(wanted, rules, catalog.scopes()).filter((scope) => isPermitted(scope, permission));
  if (scopes.length === 0) return undefined;
  if (await hasTooManyKeys(workspace_id, rules, { records, more: 1 })) return undefined; // who joins, joins
  const key = newGatewayKey(vault);
  const id = crypto.randomUUID();
  await records.in(ApiKeys).insert({
    ...{ id, created_at: now, last_updated_at: now, organisation_id, workspace_id, user_id, created_by: user_id },
    ...{ type: "workspace-user", creation_mode: "auto", name: `Key of ${of.email}`.slice(0, 255), description: null },
    ...{ digest: vault.digest(key), masked_key: maskGatewayKey(key, vault), status: "active", scopes },
    ...{ rate_limits: [], usage_limits: null, defaults: {}, alert_emails: [], expires_at: lastMoment(rules, now) },
    ...{
      ...NO_ROTATION,
      ...scheduled(null, { now, enforcedDays: rules.rotationDays }),
      ...(of.isKept && { secret_sealed: vault.seal(key), secret_kept_until: now + SECRET_KEPT_MS }),
    },
  });
  if (!(await hasTooManyKeys(workspace_id, rules, { records, more: 0 }))) return { id, key };
  await records.in(ApiKeys).remove(id);
  return undefined;
}

/** Until when a user key that is made now may live; `null` without end. */
export const lastMoment = ({ ttlSec }: Pick<UserKeyRules, "ttlSec">, now: number): number | null =>
  ttlSec === null ? null : now + ttlSec * 1_000;

/** What was wanted, as far as the settings let keys be made with it. */
function atMost(wanted: readonly string[], { autoScopes }: UserKeyRules, table: ScopeTable): readonly string[] {
  if (autoScopes === null) return wanted;
  const held = expandedScopes(wanted, "workspace-user", table);
  return autoScopes.filter((scope) => held.has(scope));
}
