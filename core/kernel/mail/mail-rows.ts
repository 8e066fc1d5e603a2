import {
  inOneLine,
  type Mail,
  type MailContent,
  type Mails,
  normalEmail,
  openMail,
  type OutgoingMail,
  type RecordOf,
  sealMail,
  type Vault,
} from "#contract";

export type MailRow = RecordOf<typeof Mails>;

/** How long a mail is tried where it does not say itself when it is too late. */
const TRIED_MS = 3 * 86_400_000;
/** Longer than anybody reads. */
const MAX_CONTENT = 128 * 1024;

/** One address and nothing else: no name, no list, no quotes, nothing that ends a line. */
const ADDRESS = /^[^\s<>()[\],;:"\\@\p{Cc}]{1,64}@[\p{L}\p{N}](?:[\p{L}\p{N}.-]{0,251}[\p{L}\p{N}])?$/u;
/** The addresses of a mail, each once; what is none is left out. */
export const addressesIn = (to: readonly string[]): readonly string[] =>
  [...new Set(to.map(normalEmail))].filter((address) => ADDRESS.test(address));

interface RowParts {
  readonly vault: Vault;
  readonly now: number;
  readonly status: "queued" | "kept";
}
/** A mail for one person as it is stored. */
export function rowOf(mail: Mail, recipient: string, { vault, now, status }: RowParts): MailRow {
  refuseLong(mail);
  const id = crypto.randomUUID();
  return {
    ...{ id, created_at: now, last_updated_at: now, organisation_id: mail.organisationId },
    ...{ kind: mail.kind, recipient, subject: inOneLine(mail.subject), status, attempts: 0, last_error: null, sent_at: null },
    next_attempt_at: status === "queued" ? now : null,
    expires_at: mail.expiresAt ?? now + TRIED_MS,
    sealed: sealMail(mail, id, vault),
  };
}

function refuseLong({ kind, text, html }: Pick<Mail, "kind"> & MailContent): void {
  if (text.length + html.length > MAX_CONTENT) throw new RangeError(`The mail ${kind} is longer than ${MAX_CONTENT} characters.`);
}

/** The mail of a row that waits. */
export const outgoing = ({ id, recipient, subject, sealed }: MailRow, vault: Vault): OutgoingMail => ({
  ...{ id, to: recipient, subject },
  ...lettered(sealed === null ? { text: "", html: "" } : openMail(sealed, id, vault)),
});
const lettered = ({ text, html }: MailContent) => ({ text, html });
