import {
  type Catalog,
  DEFAULT_WORKSPACE,
  makeAutoKey,
  Organisations,
  type RecordOf,
  type RecordsHandle,
  roleIn,
  type Users,
  type Vault,
  type WorkspaceMembers,
  Workspaces,
} from "#contract";
import type { Invite } from "./invite-rules.ts";

/** What accepting an invite needs of the gateway. */
export interface AcceptParts {
  readonly records: RecordsHandle;
  readonly vault: Vault;
  readonly catalog: Pick<Catalog, "scopes">;
}
type User = RecordOf<typeof Users>;
interface Joined {
  readonly invite: Invite;
  readonly members: readonly RecordOf<typeof WorkspaceMembers>[];
}
export interface FirstKey {
  readonly workspace_id: string;
  readonly id: string;
  readonly key: string;
}

/** User keys of somebody who accepted an invite: those it promises, those the settings say, and one in the default workspace. */
export async function keysOf(user: User, { invite, members }: Joined, parts: AcceptParts): Promise<FirstKey[]> {
  const promised = invite.workspace_api_key_details?.scopes;
  const keys: FirstKey[] = [];
  const make = async (workspace_id: string, scopes: readonly string[] | undefined): Promise<void> => {
    const member = { organisation_id: user.organisation_id, workspace_id, user_id: user.id };
    const made = await makeAutoKey({ member, email: user.email, promised: scopes, isKept: false }, { ...parts, now: user.created_at });
    if (made) keys.push({ workspace_id, ...made });
  };
  for (const { workspace_id } of members) await make(workspace_id, promised);
  const home = await defaultWorkspaceOf(user, members, parts.records);
  if (home !== undefined && !keys.some(({ workspace_id }) => workspace_id === home)) await make(home, ["*"]);
  return keys;
}

/** The organisation's default workspace, where everybody who may be there gets a key. */
async function defaultWorkspaceOf(
  { organisation_id, role }: User,
  members: Joined["members"],
  records: RecordsHandle,
): Promise<string | undefined> {
  const settings = (await records.in(Organisations).get(organisation_id))?.settings ?? {};
  if (settings["default_workspace_user_api_key_auto_create"] !== true) return undefined;
  const home = await records.in(Workspaces).first({ organisation_id, slug: DEFAULT_WORKSPACE, status: "active" });
  const membership = members.find(({ workspace_id }) => workspace_id === home?.id);
  return home && roleIn(role, membership?.role) && home.id;
}
