import { Type } from "@sinclair/typebox";
import {
  type AutoKeyParts,
  defineRoute,
  normalEmail,
  OneOf,
  type RecordsHandle,
  refuseHigherRole,
  removeKeys,
  type Route,
  Users,
  WORKSPACE_ROLES,
  WorkspaceMembers,
} from "#contract";
import { memberAt, workspaceAt } from "./member-place.ts";
import { keyFor, MEMBER, memberView, newMember, peopleOf, withNames } from "./member-view.ts";
import { refuseMembers } from "./member-rules.ts";

export type MemberParts = Pick<AutoKeyParts, "vault" | "catalog"> & { readonly records: RecordsHandle };
const closed = { additionalProperties: false } as const;
const Role = OneOf(WORKSPACE_ROLES, { description: "What the person is in the workspace." });
const None = Type.Object({}, closed);
const shared = { plane: "control", tag: "Workspaces > Members" } as const;
const PATH = "/admin/workspaces/:workspaceId/users";
const errors = [400, 401, 403, 404];
const ListQuery = Type.Object(
  {
    page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 50, description: "How many on a page." })),
    current_page: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0, description: "Page, from 0." })),
    role: Type.Optional(Role),
    email: Type.Optional(Type.String({ maxLength: 320, description: "Only the person with this address." })),
  },
  closed,
);

const list = (records: RecordsHandle): Route =>
  defineRoute({
    ...{ ...shared, method: "GET", path: PATH, summary: "List the members of a workspace", scope: "workspace_users.list", errors },
    query: ListQuery,
    reply: Type.Object({ object: Type.Literal("list"), total: Type.Integer(), data: Type.Array(MEMBER) }),
    async handle({ params, caller, query: { role, email, page_size: limit = 50, current_page: page = 0 } }) {
      const { id: workspace_id, organisation_id } = await workspaceAt(params["workspaceId"], caller, records);
      const person = email === undefined ? undefined : await records.in(Users).first({ organisation_id, email: normalEmail(email) });
      if (email !== undefined && !person) return { object: "list" as const, total: 0, data: [] };
      const where = { workspace_id, ...(role && { role }), ...(person && { user_id: person.id }) };
      const { data, total } = await records.in(WorkspaceMembers).list({ where, limit, offset: page * limit });
      return { object: "list" as const, total, data: await withNames(data, records) };
    },
  });

const Added = Type.Array(
  Type.Object({ id: Type.String({ format: "uuid", description: "Person." }), role: Type.Optional({ ...Role, default: "member" }) }, closed),
  { minItems: 1, maxItems: 100, description: "Who becomes a member." },
);
const add = ({ records, vault, catalog }: MemberParts): Route =>
  defineRoute({
    ...{ ...shared, method: "POST", path: PATH, summary: "Add members to a workspace", scope: "workspace_users.create" },
    errors: [...errors, 409],
    description:
      "People of the organisation, who are no members yet. Nobody adds somebody who would be more than themselves. Where user_api_key_auto_create is on each gets a user key: it is listed with the keys, and its secret is read there.",
    body: Type.Object({ users: Added }, closed),
    query: None,
    reply: None,
    async handle({ params, caller, body: { users }, now }) {
      const { id: workspace_id, organisation_id } = await workspaceAt(params["workspaceId"], caller, records);
      for (const { role = "member" } of users) refuseHigherRole(caller, role, "add");
      const ids = users.map(({ id }) => id);
      const people = await peopleOf(organisation_id, [...new Set(ids)], "users", records);
      await refuseMembers(workspace_id, ids, records);
      for (const { id: user_id, role = "member" } of users)
        await records.in(WorkspaceMembers).insert(newMember({ organisation_id, workspace_id, user_id, role }, now));
      for (const person of people) await keyFor(person, workspace_id, { records, vault, catalog, now });
      return {};
    },
  });

const ONE = `${PATH}/:userId`;
const read = (records: RecordsHandle): Route =>
  defineRoute({
    ...{ ...shared, method: "GET", path: ONE, summary: "Get a member of a workspace", scope: "workspace_users.read", errors, query: None },
    reply: MEMBER,
    async handle({ params, caller }) {
      const { member, person } = await memberAt(params, caller, records);
      return memberView(member, person);
    },
  });

const change = (records: RecordsHandle): Route =>
  defineRoute({
    ...{ ...shared, method: "PUT", path: ONE, summary: "Change a member of a workspace", scope: "workspace_users.update", errors },
    description: "Nobody changes somebody who is more than themselves, or makes somebody that. It holds everywhere within a second.",
    body: Type.Object({ role: Type.Optional(Role) }, closed),
    query: None,
    reply: None,
    async handle({ params, caller, body: { role }, now }) {
      const { member } = await memberAt(params, caller, records);
      refuseHigherRole(caller, member.role, "change");
      if (role) refuseHigherRole(caller, role, "make");
      if (role) await records.in(WorkspaceMembers).update(member.id, { role, last_updated_at: now });
      return {};
    },
  });

const remove = (records: RecordsHandle): Route =>
  defineRoute({
    ...{ ...shared, method: "DELETE", path: ONE, summary: "Remove a member from a workspace", scope: "workspace_users.delete", errors },
    description: "The person's keys of the workspace are deleted.",
    query: None,
    reply: None,
    async handle({ params, caller }) {
      const { member } = await memberAt(params, caller, records);
      refuseHigherRole(caller, member.role, "remove");
      const keys = { workspace_id: member.workspace_id, user_id: member.user_id };
      await removeKeys(keys, records);
      await records.in(WorkspaceMembers).remove(member.id);
      await removeKeys(keys, records); // made while the person still was a member
      return {};
    },
  });

/** Who belongs to a workspace. */
export const memberRoutes = (parts: MemberParts): Route[] => [
  add(parts),
  ...[list, read, change, remove].map((route) => route(parts.records)),
];
