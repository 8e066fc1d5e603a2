import { Type } from "@sinclair/typebox";
import { grantedScopes, INVITE_STATES, Invites, type Mailer, normalEmail, OneOf, type Resource, resourceOf, shown } from "#contract";
import { mailInvite } from "./invite-mail.ts";
import {
  changeState,
  judgedEmail,
  markOverdue,
  newToken,
  refuseAboveRoles,
  refuseSettled,
  stateOf,
  storedWorkspaces,
} from "./invite-rules.ts";
import { resend } from "./resend.ts";

/** Invitations to the organisation. The link goes to the person, and is shown to who makes one. */
export const invites = (mail: Mailer): Resource =>
  resourceOf(Invites, {
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
      description:
        "The link is mailed to the person, who opens it and accepts, or accepts with a POST to it. It works for a week, and once. Without a mail server the mail is kept, and can be read under /v2/admin/mails.",
      async make(input, given) {
        await refuseAboveRoles(given, input);
        return newToken(input);
      },
      after: (record, input, link) => mailInvite(record, link, { ...input, mail }),
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
    actions: [resend(mail)],
  });
