import { type Logger, type MailTransport, messageOf, type Records, type Vault } from "#contract";
import { type MailRow, outgoing } from "./mail-rows.ts";

export interface DeliveryParts {
  readonly mails: Records<MailRow>;
  readonly vault: Vault;
  readonly transport: MailTransport;
  readonly log: Logger;
  readonly redact: (text: string) => string;
  now(): number;
}

/** How long a server may take for one mail. */
const SEND_MS = 60_000;
/** Whoever has begun with a mail says so again and again; who has not for this long is dead, and another process begins anew. */
const CLAIM_MS = 15_000;
const RENEW_MS = CLAIM_MS / 3;
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 3_600_000;
const MAX_ERROR = 500;

type Change = Partial<MailRow>;
/** Tries one mail that waits, unless another process is at it. Answers why it failed; `null` when it did not. */
export async function deliver(row: MailRow, stopped: AbortSignal, parts: DeliveryParts): Promise<string | null> {
  const claimed = await claim(row, parts);
  if (!claimed) return null;
  const renewing = setInterval(() => void renew(claimed, parts), RENEW_MS);
  const change = await tried(claimed, stopped, parts).finally(() => clearInterval(renewing));
  await parts.mails.update(row.id, { ...change, last_updated_at: parts.now() }, { status: "queued", attempts: claimed.attempts });
  return change.status === "failed" ? null : (change.last_error ?? null); // what is wrong with one mailbox is not wrong with the way out
}

/** Of two who come at once, one gets it. */
async function claim(row: MailRow, { mails, now }: DeliveryParts): Promise<MailRow | undefined> {
  const change = { attempts: row.attempts + 1, next_attempt_at: now() + CLAIM_MS, last_updated_at: now() };
  return (await mails.update(row.id, change, { status: "queued", attempts: row.attempts })) ? { ...row, ...change } : undefined;
}

/** What cannot be renewed is sent twice at worst. */
const renew = ({ id, attempts }: MailRow, { mails, now }: DeliveryParts): Promise<unknown> =>
  mails.update(id, { next_attempt_at: now() + CLAIM_MS }, { status: "queued", attempts }).catch(() => undefined);

async function tried(row: MailRow, stopped: AbortSignal, parts: DeliveryParts): Promise<Change> {
  const { transport, vault, now } = parts;
  if (row.expires_at <= now()) return givenUp(row.last_error ?? "it was not sent in time");
  try {
    const answer = await inTime(AbortSignal.any([stopped, AbortSignal.timeout(SEND_MS)]), (signal) =>
      transport.send(outgoing(row, vault), signal),
    );
    if (answer) return givenUp(shortened(answer.refused, row, parts));
    return { status: "sent", sent_at: now(), next_attempt_at: null, last_error: null, sealed: null };
  } catch (thrown) {
    if (stopped.aborted) return { next_attempt_at: now() };
    return later(row, shortened(messageOf(thrown), row, parts), now());
  }
}

/** A way out that does not hear the signal is not waited for. */
async function inTime<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }); // an abort has a reason
  });
  return Promise.race([work(signal), stopped]);
}

const givenUp = (last_error: string): Change => ({ status: "failed", next_attempt_at: null, last_error });

/** Tried again after a pause that grows, as long as it is not too late. */
function later({ attempts, expires_at }: MailRow, last_error: string, now: number): Change {
  const pause = Math.min(FIRST_PAUSE_MS * 3 ** (attempts - 1), LONGEST_PAUSE_MS);
  const next_attempt_at = now + pause * (0.5 + Math.random() / 2);
  return next_attempt_at < expires_at ? { next_attempt_at: Math.ceil(next_attempt_at), last_error } : givenUp(last_error);
}

/** What a server says is shown and logged: it may quote secrets that it was told, and whom it is about. */
const shortened = (why: string, { recipient }: MailRow, { redact }: DeliveryParts): string =>
  redact(why).replaceAll(recipient, "(the recipient)").slice(0, MAX_ERROR).toWellFormed();
