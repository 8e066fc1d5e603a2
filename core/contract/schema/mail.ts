import { Type } from "@sinclair/typebox";
import { collectionOf } from "../field/collection.ts";
import { field } from "../field/field.ts";
import { Nullable, OneOf, Timestamp } from "./column.ts";
import { Email } from "./user.ts";

export const MAIL_STATES = ["queued", "sent", "failed", "kept"] as const;

/** A mail for one person: waiting, gone, given up, or kept because there is no way out for it. */
export const Mails = collectionOf({
  name: "mails",
  tenancy: "organisation",
  audited: false,
  fields: {
    kind: field(Type.String({ maxLength: 64, description: "What it is about." }), { view: true }),
    recipient: field(Email, { view: true }),
    subject: field(Type.String({ maxLength: 200, description: "Subject." }), { view: true }),
    status: field(OneOf(MAIL_STATES, { description: "`queued` is tried again, `failed` no more; `kept` has no mail server to go to." }), {
      view: true,
    }),
    attempts: field(Type.Integer({ minimum: 0, description: "How often it was tried." }), { view: true }),
    last_error: field(Nullable(Type.String({ maxLength: 500, description: "Why the last try failed." })), { view: true }),
    next_attempt_at: field(Nullable(Timestamp("When it is tried next.")), { view: true }),
    expires_at: field(Timestamp("When nobody need read it any more."), { view: true }),
    sent_at: field(Nullable(Timestamp("When a mail server took it.")), { view: true }),
    /** Sealed: a link in it opens something. Gone once the mail is. */
    sealed: field(Nullable(Type.String({ description: "Its text and HTML, sealed." })), {}),
  },
  index: [["organisation_id", "created_at"], ["status", "next_attempt_at"], ["created_at"]],
});
