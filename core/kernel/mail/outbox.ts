import type { Health, Mail, Mailer, MailFate, MailTransport } from "#contract";
import { actingForNobody } from "../audit/acting.ts";
import { type Allowance, isAllowed } from "./allowance.ts";
import { deliver, type DeliveryParts } from "./delivery.ts";
import { addressesIn, type MailRow, rowOf } from "./mail-rows.ts";

export interface OutboxParts extends Omit<DeliveryParts, "transport">, Omit<Allowance, "now" | "vault"> {
  /** Absent where none runs. */
  readonly transport: MailTransport | undefined;
  /** Is there to be a way out? Where there is none, mails are kept. */
  readonly leaves: boolean;
}

/** Mails of one process that are being sent at once. */
const LANES = 4;
/** Mails that are read at a time. */
const PAGE = 50;

/** Mails wait in the records until a transport took them: a crash loses none, and one may go out twice. */
export class Outbox implements Mailer {
  readonly #stopped = new AbortController();
  readonly #sending = new Set<Promise<void>>();
  #failure: string | null = null;

  constructor(private readonly parts: OutboxParts) {}

  async send(mail: Mail): Promise<MailFate> {
    const { mails, vault, leaves, log, now } = this.parts;
    const to = addressesIn(mail.to);
    if (!(await isAllowed(mail, to, this.parts))) {
      log("warn", "mail.refused", { kind: mail.kind, organisation: mail.organisationId, why: "too many mails within the hour" });
      return "refused";
    }
    const status = leaves ? "queued" : "kept";
    const rows = to.map((address) => rowOf(mail, address, { vault, now: now(), status }));
    await mails.insertMissing(rows);
    for (const row of rows) this.#sendSoon(row);
    return status;
  }

  /** Sends what waits and is due: what another process left, and what failed before. */
  async sendDue(signal: AbortSignal): Promise<void> {
    const orderBy = { by: "next_attempt_at", direction: "asc" } as const;
    while (this.parts.transport && !signal.aborted && !this.#stopped.signal.aborted) {
      const { data } = await this.parts.mails.list({ where: { status: "queued" }, orderBy, limit: PAGE, offset: 0 });
      const due = data.filter(({ next_attempt_at: at }) => at !== null && at <= this.parts.now());
      for (const row of due) {
        if (this.#sending.size >= LANES) await Promise.race(this.#sending);
        if (signal.aborted) break;
        this.#begin(row);
      }
      await Promise.all(this.#sending);
      if (due.length < PAGE) return;
    }
  }

  health(): Health {
    const degraded = this.#failure === null ? [] : [`Mail waits, and is tried again: ${this.#failure}`];
    return { degraded, detail: { leaves: this.parts.leaves, sending: this.#sending.size } };
  }

  /** Nothing new begins, and what is under way breaks off: it is sent by whoever comes next. */
  async close(): Promise<void> {
    this.#stopped.abort(new Error("the process or its configuration ends"));
    await Promise.all(this.#sending);
  }

  /** Not where many are under way: then it is due when they are done. */
  #sendSoon(row: MailRow): void {
    if (this.#sending.size < LANES) this.#begin(row);
  }
  #begin(row: MailRow): void {
    const { transport, log } = this.parts;
    if (!transport || this.#stopped.signal.aborted) return;
    const sending = actingForNobody(() => deliver(row, this.#stopped.signal, { ...this.parts, transport }))
      .then((failure) => this.#tell(failure))
      .catch((thrown: unknown) => log("warn", "mail.unwritten", { mail: row.id, why: thrown }))
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }
  /** Said when it begins to fail, not every time. */
  #tell(failure: string | null): void {
    if (this.#stopped.signal.aborted) return;
    if (failure !== null && this.#failure === null) this.parts.log("warn", "mail.failed", { why: failure });
    if (failure === null && this.#failure !== null) this.parts.log("info", "mail.recovered");
    this.#failure = failure;
  }
}
