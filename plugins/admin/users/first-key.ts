import {
  ApiKeys,
  type Catalog,
  EVERY_SCOPE,
  expandedScopes,
  isPermitted,
  maskSecret,
  newGatewayKey,
  Organisations,
  type RecordOf,
  type RecordsHandle,
  permissionIn,
  type Vault,
  type WorkspaceMembers,
} from "#contract";
import type { Invite } from "./invite-rules.ts";

/** What accepting an invite needs of the gateway. */
export interface AcceptParts {
  readonly records: RecordsHandle;
  readonly vault: Vault;
  readonly catalog: Pick<Catalog, "scopes">;
}
interface KeyOf {
  readonly member: RecordOf<typeof WorkspaceMembers>;
  readonly email: string;
  /** What the invite says; what is above the person's role is left out. */
  readonly scopes: readonly string[];
}
export interface AcceptParts {
  readonly records: RecordsHandle;
  readonly vault: Vault;
  readonly catalog: Pick<Catalog, "scopes">;
}
/** A user key that an invite promised, made when it is accepted; none where the person may do nothing of what was promised. */
export async function makeKey(
  { member, email, scopes }: KeyOf,
  { records, vault, catalog }: AcceptParts,
): Promise<{ readonly id: string; readonly key: string } | undefined> {
  const { organisation_id, workspace_id, user_id, created_at } = member;
  const permission = await permissionIn(
    { organisationId: organisation_id, workspaceId: workspace_id, userId: user_id },
    records,
    catalog.scopes(),
  );
  const allowed = scopes.filter((scope) => isPermitted(scope, permission));
  if (allowed.length === 0) return undefined;
  const key = newGatewayKey(vault);
  const id = crypto.randomUUID();
  await records.in(ApiKeys).insert({
    ...{ id, created_at, last_updated_at: created_at, organisation_id, workspace_id, user_id, created_by: user_id },
    ...{ type: "workspace-user", creation_mode: "auto", name: `Key of ${email}`.slice(0, 255), description: null },
    ...{ digest: vault.digest(key), masked_key: maskSecret(key), status: "active" },
    scopes: allowed,
    ...{ rate_limits: [], usage_limits: null, defaults: {}, alert_emails: [], expires_at: null, rotation_policy: null },
  });
  return { id, key };
}

/** What new keys of the invite may do: what it says, or else everything, as far as the organisation lets it; undefined where there are to be none. */
export async function promisedScopes(
  { organisation_id, workspace_api_key_details }: Invite,
  { records, catalog }: Pick<AcceptParts, "records" | "catalog">,
) {
  const settings = (await records.in(Organisations).get(organisation_id))?.settings ?? {};
  const said = workspace_api_key_details?.scopes ?? (settings["user_api_key_auto_create"] === true ? [EVERY_SCOPE] : undefined);
  const most = settings["user_api_key_auto_create_scopes"];
  if (said === undefined || !Array.isArray(most)) return said;
  const held = expandedScopes(said, "workspace-user", catalog.scopes());
  return most.filter((scope): scope is string => typeof scope === "string" && held.has(scope));
}
