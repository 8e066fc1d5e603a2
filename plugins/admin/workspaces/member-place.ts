import { type Caller, GatewayError, isUuid, type RecordOf, type RecordsHandle, Users, WorkspaceMembers, Workspaces } from "#contract";
import type { Member, Person } from "./member-view.ts";

type Records = Pick<RecordsHandle, "in">;
type Params = Readonly<Record<string, string>>;

/** Could this be an id or a slug at all? */
const ADDRESS = /^[\w.-]{1,255}$/;

/** The workspace that a path names, as far as the caller reaches. */
export async function workspaceAt(address = "", caller: Caller, records: Records): Promise<RecordOf<typeof Workspaces>> {
  const member = isUuid(address) ? "id" : "slug";
  const where = { organisation_id: caller.organisationId, status: "active" } as const;
  const found = ADDRESS.test(address) ? await records.in(Workspaces).first({ ...where, [member]: address }) : undefined;
  if (found && (caller.workspaceId === null || caller.workspaceId === found.id)) return found;
  throw absent("workspace", address);
}

/** The member that a path names. */
export async function memberAt(
  params: Params,
  caller: Caller,
  records: Records,
): Promise<{ readonly member: Member; readonly person: Person }> {
  const { workspaceId, userId = "" } = params;
  const workspace = await workspaceAt(workspaceId, caller, records);
  const member = isUuid(userId) ? await records.in(WorkspaceMembers).first({ workspace_id: workspace.id, user_id: userId }) : undefined;
  const person = member && (await records.in(Users).get(member.user_id));
  if (member && person) return { member, person };
  throw absent("member", userId);
}

const absent = (noun: string, address: string): GatewayError =>
  new GatewayError("NOT_FOUND", { what: `${noun} ${ADDRESS.test(address) ? address : "of that name"}` });
