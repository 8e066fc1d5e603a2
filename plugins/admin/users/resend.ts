import { Type } from "@sinclair/typebox";
import type { Invites, Mailer, MemberAction } from "#contract";
import { mailInvite } from "./invite-mail.ts";
import { changeState, freshLink, refuseSettled } from "./invite-rules.ts";

const Reply = Type.Object({
  inviteLink: Type.String({ description: "The new link; the one before no longer works." }),
  invite_link: Type.String({ description: "The same, as an invite's creation spells it." }),
});

export const resend = (mail: Mailer): MemberAction<typeof Invites.schema> => ({
  method: "POST",
  path: "/resend",
  action: "resend",
  summary: "Make a new link for an invite, and mail it",
  description: "It works for a week from now. The link before it no longer does.",
  scope: "organisation_users.create",
  reply: Reply,
  async run(record, input) {
    refuseSettled(record, input.now, "sent again");
    const { fresh, link } = freshLink(input);
    const sent = { ...fresh, status: "pending" as const, last_updated_at: input.now };
    await changeState(record, sent, input);
    await mailInvite({ ...record, ...sent }, link, { ...input, mail }).catch(async (thrown: unknown) => {
      const { status, token_digest, expires_at, last_updated_at } = record;
      await changeState({ ...record, ...sent }, { status, token_digest, expires_at, last_updated_at }, input);
      throw thrown; // the link before it goes on working
    });
    return { inviteLink: link, invite_link: link };
  },
});
