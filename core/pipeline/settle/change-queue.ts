import { type AuditEntry, type Exporter, type Logger, messageOf } from "#contract";

/** Entries that wait for an exporter at most; the audit log has them all, whatever becomes of these. */
const MAX_WAITING = 10_000;
const BATCH = 100;
const RETRY_MS = 1_000;

export interface ChangeQueueParts {
  readonly name: string;
  readonly take: NonNullable<Exporter["changes"]>;
  readonly log: Logger;
}

/** Entries of the audit log on their way to one exporter: in order, in batches, again after a failure. */
export class ChangeQueue {
  private waiting: AuditEntry[] = [];
  private dropped = 0;
  private busy: Promise<void> | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  constructor(private readonly parts: ChangeQueueParts) {}

  add(entries: readonly AuditEntry[]): void {
    this.waiting.push(...entries);
    const over = this.waiting.length - MAX_WAITING;
    if (over > 0) {
      this.waiting.splice(0, over);
      this.dropped += over;
    }
    if (this.timer === undefined) void this.flush();
  }
  /** Tries now; resolves when all are taken, or one batch was not. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.busy ??= this.run().finally(() => {
      this.busy = undefined;
    });
    return this.busy;
  }
  async close(): Promise<void> {
    await this.flush();
    clearTimeout(this.timer);
    const left = this.waiting.length + this.dropped;
    if (left > 0) this.parts.log("error", "export.changes", { exporter: this.parts.name, lost: left });
  }

  private async run(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.slice(0, BATCH);
      try {
        await this.parts.take(batch);
      } catch (thrown) {
        return this.later(thrown);
      }
      const taken = new Set(batch);
      this.waiting = this.waiting.filter((entry) => !taken.has(entry)); // some may have been given up meanwhile
    }
  }
  private later(thrown: unknown): void {
    const { name: exporter, log } = this.parts;
    log("error", "export.changes", { exporter, waiting: this.waiting.length, dropped: this.dropped, why: messageOf(thrown) });
    this.timer = setTimeout(() => void this.flush(), RETRY_MS);
    this.timer.unref?.();
  }
}
