import { Type } from "@sinclair/typebox";
import {
  defineRoute,
  GatewayError,
  Invites,
  normalEmail,
  type RecordOf,
  type RecordsHandle,
  removeKeys,
  type Route,
  Users,
  Uuid,
  WorkspaceMembers,
  Workspaces,
} from "#contract";
import { type Invite, stateOf, tokenDigest } from "./invite-rules.ts";
import { type AcceptParts, keysOf } from "./first-keys.ts";

const PersonName = (which: string) => Type.String({ minLength: 1, maxLength: 255, description: `${which}.` });
const Body = Type.Object({ first_name: PersonName("First name"), last_name: PersonName("Last name") }, { additionalProperties: false });
export const TokenQuery = Type.Object(
  { token: Type.String({ pattern: "^[A-Za-z0-9]{48}$", description: "What the link holds." }) },
  { additionalProperties: false },
);
const Key = Type.Object({
  workspace_id: Uuid("Workspace."),
  id: Uuid("The key's id."),
  key: Type.String({ description: "The secret. It is shown here and never again." }),
});
const Reply = Type.Object({
  id: Uuid("The new user."),
  organisation_id: Uuid("Organisation."),
  api_keys: Type.Array(Key, { description: "User keys, where the invite says that there are to be some." }),
});

/** Whoever has the link is the person: who asks need not be known. */
export const accept = (parts: AcceptParts): Route =>
  defineRoute({
    plane: "control",
    method: "POST",
    path: "/admin/users/invites/accept",
    tag: "User Invites",
    summary: "Accept an invite",
    description: "A POST to the link of an invite. It works once: the person becomes a user, and a member of the workspaces that it names.",
    scope: { public: true },
    action: "sign_in",
    body: Body,
    query: TokenQuery,
    reply: Reply,
    errors: [400, 404, 409],
    maxBodyBytes: 4_096,
    async handle({ body, query, now, actAs }) {
      const { records, vault } = parts;
      const invite = await openInvite(tokenDigest(query.token, vault), records, now);
      const workspaces = await activeWorkspaces(invite, records);
      const user = {
        ...stamps(now),
        organisation_id: invite.organisation_id,
        ...body,
        role: invite.role,
        email: normalEmail(invite.email),
      };
      actAs?.({ id: user.id, name: user.email });
      await take(invite, records, now);
      const api_keys = await welcomed(user, { ...invite, workspaces }, parts).catch(givingBack(invite, user.id, records));
      return { id: user.id, organisation_id: invite.organisation_id, api_keys };
    },
  });

const stamps = (now: number) => ({ id: crypto.randomUUID(), created_at: now, last_updated_at: now });

/** The person is made, with what the invite promised. */
async function welcomed(user: RecordOf<typeof Users>, invite: Invite, parts: AcceptParts) {
  const { records } = parts;
  await records.in(Users).insert(user);
  const members = [];
  for (const { id: workspace_id, role } of invite.workspaces) {
    const member = { ...stamps(user.created_at), organisation_id: invite.organisation_id, workspace_id, user_id: user.id, role };
    await records.in(WorkspaceMembers).insert(member);
    members.push(member);
  }
  return keysOf(user, { invite, members }, parts);
}

async function openInvite(token_digest: string, records: RecordsHandle, now: number): Promise<Invite> {
  const invite = await records.in(Invites).first({ token_digest });
  if (invite !== undefined && stateOf(invite, now) === "pending") return invite;
  throw notOpen();
}
const notOpen = (): GatewayError =>
  new GatewayError("NOT_FOUND", {
    what: "open invite with this link: it was used, cancelled or replaced, or its week is over. Ask whoever invited you for a new one",
  });

/** Workspaces that were archived since are left out; an invite to none but those is refused, and stays open. */
async function activeWorkspaces({ workspaces, organisation_id }: Invite, records: RecordsHandle): Promise<Invite["workspaces"]> {
  const active = [];
  for (const workspace of workspaces)
    if (await records.in(Workspaces).first({ id: workspace.id, organisation_id, status: "active" })) active.push(workspace);
  if (workspaces.length > 0 && active.length === 0)
    throw new GatewayError("REQUEST_INVALID", { what: "The workspaces of the invite were deleted; ask for a new one." });
  return active;
}

/** Of two who come at once, one gets the invite. */
async function take({ id, token_digest }: Invite, records: RecordsHandle, now: number): Promise<void> {
  const accepted = { status: "accepted" as const, accepted_at: now, last_updated_at: now };
  if (!(await records.in(Invites).update(id, accepted, { status: "pending", token_digest }))) throw notOpen();
}

/** Nothing of a person who was half made stays, and the link works again. */
const givingBack =
  ({ id, organisation_id }: Invite, user_id: string, records: RecordsHandle) =>
  async (thrown: unknown): Promise<never> => {
    await removeKeys({ organisation_id, user_id }, records);
    const { data } = await records.in(WorkspaceMembers).list({ where: { organisation_id, user_id }, limit: MOST_MEMBERSHIPS, offset: 0 });
    for (const member of data) await records.in(WorkspaceMembers).remove(member.id);
    await records.in(Users).remove(user_id);
    await records.in(Invites).update(id, { status: "pending", accepted_at: null }, { status: "accepted" });
    throw thrown;
  };
/** More workspaces than an invite names. */
const MOST_MEMBERSHIPS = 10_000;
