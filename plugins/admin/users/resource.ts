import { Type } from "@sinclair/typebox";
import { GatewayError, normalEmail, type RecordOf, removeKeys, resourceOf, type RuleInput, Users, WorkspaceMembers } from "#contract";

type User = RecordOf<typeof Users>;

/** People of the organisation. They come by invitation (`invites.ts`). */
export const users = resourceOf(Users, {
  noun: "user",
  plane: "control",
  path: "/admin/users",
  tag: "Users",
  param: "userId",
  scopes: { families: ["organisation_users"] },
  object: "user",
  hides: ["organisation_id"],
  joins: {
    schema: { workspace_ids: Type.Array(Type.String(), { description: "Workspaces that the person is a member of." }) },
    inLists: true,
    of: workspacesOf,
  },
  list: {
    pageNames: { size: "pageSize", page: "currentPage" },
    filters: ["role"],
    query: { email: Type.Optional(Type.String({ maxLength: 320, description: "Only the person with this address." })) },
    where: ({ query: { email } }) => (email === undefined ? {} : { email: normalEmail(email) }),
  },
  create: false,
  update: {
    description: "What a person may do in the organisation, in force everywhere within a second. An owner stays one.",
    allow: refuseOwner,
    answer: [],
  },
  remove: {
    description: "The person's user keys and memberships are deleted. An owner cannot be.",
    before: async (record, input) => {
      refuseOwner(record);
      await forget(record, input);
    },
    after: forget,
  },
});

function refuseOwner({ role }: User): void {
  if (role !== "owner") return;
  throw new GatewayError("REQUEST_INVALID", { what: "An owner of the organisation is neither changed nor removed through the API." });
}

/** Keys and memberships. Done before the person is removed, and for what was made meanwhile after that. */
async function forget({ id: user_id, organisation_id }: User, { records }: Pick<RuleInput, "records">): Promise<void> {
  await removeKeys({ organisation_id, user_id }, records);
  const memberships = await records.in(WorkspaceMembers).list({ where: { organisation_id, user_id }, limit: MOST, offset: 0 });
  for (const { id } of memberships.data) await records.in(WorkspaceMembers).remove(id);
}

/** More workspaces than a person is a member of. */
const MOST = 10_000;
async function workspacesOf(people: readonly { readonly id: string }[], { records }: Pick<RuleInput, "records">) {
  if (people.length === 0) return [];
  const where = { user_id: people.map(({ id }) => id) };
  const { data } = await records.in(WorkspaceMembers).list({ where, limit: MOST, offset: 0 });
  return people.map(({ id }) => ({ workspace_ids: data.filter(({ user_id }) => user_id === id).map(({ workspace_id }) => workspace_id) }));
}
