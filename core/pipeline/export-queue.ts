import { type Exporter, GatewayError, type Logger, type Outcome } from "#contract";
import { entering, markOf, whileOpen } from "../kernel/watchdog/marks.ts";

/** Bounds of what waits to be exported. */
export interface QueueLimits {
  readonly maxRecords: number;
  /** Above this many waiting, new records lose their bodies. */
  readonly bodiesUpTo: number;
  readonly batch: number;
  readonly flushMs: number;
  /** Pause before a store that was away is asked again. */
  readonly retryMs: number;
}
export const QUEUE_LIMITS: QueueLimits = { maxRecords: 20_000, bodiesUpTo: 5_000, batch: 500, flushMs: 25, retryMs: 500 };

/** Outcomes on their way to one exporter: bounded, batched, off the request path. A full queue drops bodies first, then records, and counts both. */
export class OutcomeQueue {
  private waiting: Outcome[] = [];
  private readonly delayed: Outcome[] = [];
  private closing = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private busy: Promise<void> | undefined;
  droppedBodies = 0;
  droppedRecords = 0;
  failedRecords = 0;
  private readonly mark: number;

  constructor(
    readonly name: string,
    private readonly exporter: Exporter,
    private readonly log: Logger,
    private readonly limits = QUEUE_LIMITS,
  ) {
    this.mark = markOf(name);
  }

  add(outcome: Outcome): void {
    if (this.waiting.length >= this.limits.maxRecords) return void (this.droppedRecords += 1);
    this.waiting.push(this.waiting.length >= this.limits.bodiesUpTo ? this.withoutBodies(outcome) : outcome);
    this.timer ??= setTimeout(() => void this.flush(), this.limits.flushMs);
  }
  /** Everything that was added before the call has been exported, or was counted as failed, when it resolves. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.busy ??= this.run().finally(() => {
      this.busy = undefined;
    });
    return this.busy;
  }

  /** The last flush: what cannot be exported now is counted as failed. */
  async close(): Promise<void> {
    this.closing = true;
    await this.flush();
    await this.flush();
  }

  private async run(): Promise<void> {
    while (this.waiting.length > 0) await this.export(this.waiting.splice(0, this.limits.batch));
    if (this.delayed.length === 0) return;
    this.waiting = this.delayed.splice(0);
    this.timer ??= setTimeout(() => void this.flush(), this.limits.retryMs);
  }
  private async export(batch: readonly Outcome[]): Promise<void> {
    try {
      entering(this.mark);
      await whileOpen(this.mark, this.exporter.export(batch));
    } catch (thrown) {
      if (this.again(batch, thrown)) return;
      if (batch.length > 1) return this.inHalves(batch); // one record that cannot be exported must not take the others along
      this.failedRecords += batch.length;
      this.log("error", "export failed", { exporter: this.name, records: batch.length, why: thrown });
    }
  }
  private async inHalves(batch: readonly Outcome[]): Promise<void> {
    const middle = batch.length >> 1;
    await this.export(batch.slice(0, middle));
    await this.export(batch.slice(middle));
  }
  /** A store that is away gets its batch again, as long as there is room for it. */
  private again(batch: readonly Outcome[], thrown: unknown): boolean {
    if (!GatewayError.is(thrown) || thrown.code !== "STORAGE_UNAVAILABLE" || this.closing) return false;
    if (this.waiting.length + batch.length > this.limits.maxRecords) return false;
    this.delayed.push(...batch);
    return true;
  }
  private withoutBodies(outcome: Outcome): Outcome {
    this.droppedBodies += outcome.bodies ? 1 : 0;
    return { ...outcome, bodies: null };
  }
}
