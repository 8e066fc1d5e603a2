import { Type } from "@sinclair/typebox";
import { grantedScopes, INVITE_STATES, Invites, normalEmail, OneOf, resourceOf, shown } from "#contract";
import {
  changeState,
  judgedEmail,
  markOverdue,
  newToken,
  refuseAboveRoles,
  refuseSettled,
  resend,
  stateOf,
  storedWorkspaces,
} from "./invite-rules.ts";

/** Invitations to the organisation. The link is shown to who makes one, and never again. */
export const invites = resourceOf(Invites, {
  noun: "invite",
  plane: "control",
  path: "/admin/users/invites",
  tag: "User Invites",
  param: "inviteId",
  scopes: { families: ["organisation_users"] },
  object: "invite",
  hides: ["organisation_id"],
  shows: { status: shown(OneOf(INVITE_STATES, { description: "What became of it." }), (record, { now }) => stateOf(record, now)) },
  store: {
    email: judgedEmail,
    workspaces: storedWorkspaces,
    workspace_api_key_details: (given, input) =>
      given && { scopes: grantedScopes(given.scopes, "workspace-user", input, "workspace_api_key_details.scopes") },
  },
  list: {
    pageNames: { size: "pageSize", page: "currentPage" },
    filters: ["role", "status"],
    query: { email: Type.Optional(Type.String({ maxLength: 320, description: "Only those for this address." })) },
    where: async (input) => {
      await markOverdue(input);
      return input.query.email === undefined ? {} : { email: normalEmail(input.query.email) };
    },
  },
  create: {
    description: "The person accepts with a POST to the link. It works for a week, and once.",
    async make(input, given) {
      await refuseAboveRoles(given, input);
      return newToken(input);
    },
    answer: {
      schema: Type.Object({ id: Invites.schema.properties.id, invite_link: Type.String({ description: "Shown here and never again." }) }),
      of: ({ id }, once) => ({ id, invite_link: once }),
    },
  },
  remove: {
    description: "Cancels it; it stays listed. One that was accepted stays what it is.",
    archive: () => ({ status: "cancelled" as const }),
    staysVisible: true,
    before: async (record, input) => {
      refuseSettled(record, input.now);
      await changeState(record, { status: "cancelled", last_updated_at: input.now }, input);
    },
  },
  actions: [resend],
});
