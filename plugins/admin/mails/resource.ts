import { Type } from "@sinclair/typebox";
import { Mails, normalEmail, openMail, type RecordOf, resourceOf, shown, type ViewInput } from "#contract";

type Mail = RecordOf<typeof Mails>;

/** Mails of the organisation, for two weeks. What one says is shown where it has not gone: its links open something. */
export const mails = resourceOf(Mails, {
  noun: "mail",
  plane: "control",
  path: "/admin/mails",
  tag: "Mails",
  param: "mailId",
  scopes: { families: ["mails"] },
  object: "mail",
  hides: ["organisation_id"],
  shows: {
    text: shown(
      Type.Union([Type.String(), Type.Null()], {
        description:
          "What it says; null once it is sent, and to who may not give what a link in it gives: for an invite that takes `organisation_users.create`.",
      }),
      said("text"),
      true,
    ),
    html: shown(Type.Union([Type.String(), Type.Null()], { description: "The same in HTML." }), said("html"), true),
  },
  list: {
    filters: ["status", "kind"],
    query: { email: Type.Optional(Type.String({ maxLength: 320, description: "Only those for this address." })) },
    where: ({ query: { email } }) => (email === undefined ? {} : { recipient: normalEmail(email) }),
    omit: ["sealed"],
  },
  create: false,
  read: { action: "reveal" },
  remove: { description: "One that waits is not sent." },
});

/** A link gives something to whoever has it: who may not give that does not see it. */
function said(part: "text" | "html") {
  return ({ sealed, id }: Mail, { vault, caller }: ViewInput): string | null => {
    if (sealed === null) return null;
    const { [part]: content, linkScope } = openMail(sealed, id, vault);
    return linkScope === undefined || caller.scopes.has(linkScope) ? content : null;
  };
}
