import { letter, type Logger, type Mailer } from "#contract";
import type { Tell } from "./notice.ts";

/** People are told by mail, and the process log says that they were, without what. */
export const mailed =
  (mail: Mailer, log: Logger): Tell =>
  async ({ organisationId, kind, keyIds, to, subject, lines }) => {
    const fate = await mail.send({ organisationId, kind, to: [to], ...letter(subject, lines) });
    log(kind === "key_rotated" ? "info" : "warn", `api-key.${kind}`, { keys: keyIds, subject, mail: fate });
    return fate !== "refused";
  };
