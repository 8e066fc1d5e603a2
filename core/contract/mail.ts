import type { MailContent } from "./mail-content.ts";

/** What is written to people: an invitation, a key that was rotated … `letter` makes the texts. */
export interface Mail extends MailContent {
  readonly organisationId: string;
  /** What it is about, for who looks at the mails: `invite`, `key_rotated` … */
  readonly kind: string;
  /** Addresses, in whatever spelling; each gets a mail of its own and sees no other. */
  readonly to: readonly string[];
  readonly subject: string;
  /** Milliseconds since the epoch: what came too late for this is not sent any more. */
  readonly expiresAt?: number;
}

/**
 * `queued`: it is on its way, and tried again where that fails, also after a crash. `kept`: no way out is configured; it can
 * be read under `/v2/admin/mails`. `refused`: the organisation has sent too many within the hour; nothing was kept.
 */
export type MailFate = "queued" | "kept" | "refused";

/** How plugins send mail (`needs: ["mail"]`). It is on disk when `send` resolves, and leaves afterwards: no request waits for a server. */
export interface Mailer {
  send(mail: Mail): Promise<MailFate>;
}

/** One mail for one person, as it leaves. */
export interface OutgoingMail {
  /** The same at each try, so that who gets it twice can tell. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A way out for mail: a server that takes it. The first in the order of the profile is used. */
export interface MailTransport {
  /**
   * Hands one over. `undefined` when it was taken; what it answers instead is final: the mail is not tried again. A throw
   * is tried again later. The signal says when to give up.
   */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<MailRefused | undefined>;
}
export interface MailRefused {
  /** Why, as a sentence without any secret. */
  readonly refused: string;
}
