import { section } from "./row.ts";

export const mail = section("Mail", [
  ["M.invite", "An invitation is mailed as text and as HTML, with a link that opens a page which accepts it; so is a new link."],
  ["M.outbox", "No request waits for the mail server: a mail waits on disk, and is tried again where the server is away or says not yet."],
  ["M.crash", "A mail that waited when the process was killed is sent by the next one."],
  ["M.refused", "A mail that the server refuses for good is not tried again, and the API says why."],
  ["M.kept", "Without a mail server mails are kept, and shown in the API to who may see them and to no other organisation."],
  ["M.link", "What an invitation says that waits is shown to who may invite: the right to read mails is none to join."],
  ["M.audit", "The audit log says what a mail was written for, and who did that; tries to deliver it are nobody's deeds."],
  ["M.bounded", "An organisation sends so many mails within an hour, and a person gets so many, and no more: invites are then refused."],
  ["M.escaped", "What users call themselves and their workspaces is neither markup nor a header in a mail."],
  ["M.smtp", "A mail server is spoken to by STARTTLS or TLS with a certificate that is checked, and signed in to."],
  ["M.settings", "Settings of the mail server that cannot be are refused at start, without the password."],
  ["M.secret", "Neither the password nor a link is in the log, and a link is sealed where it is stored."],
  ["M.public-url", "Links begin with GATEWAY_PUBLIC_URL where it is set."],
]);
