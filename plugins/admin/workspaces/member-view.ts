import { type Static, Type } from "@sinclair/typebox";
import {
  type AutoKeyParts,
  DateTime,
  GatewayError,
  isoTime,
  type Json,
  makeAutoKey,
  Nullable,
  OneOf,
  ORGANISATION_ROLES,
  type RecordOf,
  type RecordsHandle,
  roleIn,
  type RuleInput,
  scopesOfRole,
  Users,
  Uuid,
  WORKSPACE_ROLES,
  WorkspaceMembers,
  type Workspaces,
} from "#contract";

export type Member = RecordOf<typeof WorkspaceMembers>;
export type Person = RecordOf<typeof Users>;
type Workspace = RecordOf<typeof Workspaces>;
const text = (description: string) => Type.String({ description });

/** A member of a workspace, as it is shown. */
export const MEMBER = Type.Object({
  object: Type.Literal("workspace-user"),
  id: Uuid("The person's id."),
  first_name: text("First name."),
  last_name: text("Last name."),
  org_role: OneOf(ORGANISATION_ROLES, { description: "What the person is in the organisation." }),
  role: OneOf(WORKSPACE_ROLES, { description: "What the person is in the workspace." }),
  created_at: DateTime("When the person became a member."),
  last_updated_at: DateTime("When that was last changed."),
  status: Type.Literal("active"),
  workspace_id: Uuid("Workspace."),
  email: text("E-mail address."),
  scopes: Type.Array(Type.String(), { description: "What user keys of the person may do there, before security settings." }),
  settings: Nullable(Type.Object({}, { description: "None so far." })),
});

export const memberView = (member: Member, { id, first_name, last_name, email, role }: Person): Static<typeof MEMBER> => ({
  ...{ object: "workspace-user", id, first_name, last_name, email, org_role: role, role: member.role },
  ...{ created_at: isoTime(member.created_at), last_updated_at: isoTime(member.last_updated_at), status: "active" },
  ...{ workspace_id: member.workspace_id, scopes: [...scopesOfRole(roleIn(role, member.role) ?? "member")], settings: null },
});

/** These members with their names; one whose person is gone is left out. */
export async function withNames(members: readonly Member[], records: Pick<RecordsHandle, "in">): Promise<Static<typeof MEMBER>[]> {
  if (members.length === 0) return [];
  const ids = members.map(({ user_id }) => user_id);
  const { data } = await records.in(Users).list({ where: { id: ids }, limit: ids.length, offset: 0 });
  const people = new Map(data.map((person) => [person.id, person]));
  return members.flatMap((member) => {
    const person = people.get(member.user_id);
    return person ? [memberView(member, person)] : [];
  });
}

const SHOWN = 100;
export const membersOf = (workspaces: readonly { readonly id: string }[], { records }: Pick<RuleInput, "records">): Promise<Json[]> =>
  Promise.all(
    workspaces.map(async ({ id }) => {
      const { data } = await records.in(WorkspaceMembers).list({ where: { workspace_id: id }, limit: SHOWN, offset: 0 });
      return { users: await withNames(data, records) };
    }),
  );

/** People of the organisation, each of them there. */
export async function peopleOf(
  organisationId: string,
  ids: readonly string[],
  param: string,
  records: Pick<RecordsHandle, "in">,
): Promise<readonly Person[]> {
  if (ids.length === 0) return [];
  const where = { id: [...ids], organisation_id: organisationId };
  const { data } = await records.in(Users).list({ where, limit: ids.length, offset: 0 });
  const absent = ids.find((id) => !data.some((person) => person.id === id));
  if (absent === undefined) return data;
  throw new GatewayError("REQUEST_INVALID", { what: `The organisation has nobody with the id ${absent}.` }, { param });
}

/** A user key for who becomes a member, where the settings say so. */
export const keyFor = ({ id: user_id, email, organisation_id }: Person, workspace_id: string, parts: AutoKeyParts) =>
  makeAutoKey({ member: { organisation_id, workspace_id, user_id }, email, isKept: true }, parts);

/** Makes the people that a new workspace names its members. */
export async function withMembers(
  { id: workspace_id, organisation_id }: Workspace,
  input: RuleInput<{ readonly users?: readonly string[] }>,
): Promise<void> {
  const { body, records, now } = input;
  for (const person of await peopleOf(organisation_id, body.users ?? [], "users", records)) {
    await records.in(WorkspaceMembers).insert(newMember({ organisation_id, workspace_id, user_id: person.id, role: "member" }, now));
    await keyFor(person, workspace_id, input);
  }
}

export const newMember = (member: Pick<Member, "organisation_id" | "workspace_id" | "user_id" | "role">, now: number): Member => ({
  ...{ id: crypto.randomUUID(), created_at: now, last_updated_at: now },
  ...member,
});
