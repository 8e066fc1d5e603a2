import type { Job, Records } from "#contract";
import type { MailRow } from "./mail-rows.ts";
import type { Outbox } from "./outbox.ts";

const DAY_MS = 86_400_000;
/** Days after which nobody looks for a mail. */
const KEPT_DAYS = 14;
const LOOK_EVERY_MS = 5_000;
/** Mails that are read at a time. */
const PAGE = 200;

/** In each process, for each mail is claimed before it is sent: what a dead one left is found at once. */
export const sendMail = (outbox: Outbox): Job => ({
  id: "mail",
  everyMs: LOOK_EVERY_MS,
  runs: "each",
  run: (signal) => outbox.sendDue(signal),
});

/** Deletes old mails, whatever became of them. */
export const forgetMail = (mails: Records<MailRow>, now: () => number): Job => ({
  id: "old-mail",
  everyMs: DAY_MS / 24,
  runs: "one",
  async run(signal) {
    for (;;) {
      const orderBy = { by: "created_at", direction: "asc" } as const;
      const { data } = await mails.list({ orderBy, limit: PAGE, offset: 0, omit: ["sealed"] });
      const old = data.filter(({ created_at }) => created_at <= now() - KEPT_DAYS * DAY_MS);
      for (const { id } of old) {
        signal.throwIfAborted();
        await mails.remove(id);
      }
      if (old.length < PAGE) return;
    }
  },
});
