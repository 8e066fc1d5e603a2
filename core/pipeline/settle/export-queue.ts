import { type Exporter, GatewayError, type Health, isoTime, type Logger, messageOf, nextTurn, type Outcome } from "#contract";
import { entering, markOf, whileOpen } from "../../kernel/process/watchdog/marks.ts";
import { QUEUE_LIMITS, type QueueLimits, Room, type Waiting } from "./export-room.ts";
import { sinkOf, type Sink, weightOf } from "./export-sink.ts";
import { Trouble } from "./export-trouble.ts";
import type { Spool } from "./spool/spool.ts";

export interface QueueParts {
  readonly name: string;
  readonly exporter: Exporter;
  readonly log: Logger;
  readonly now: () => number;
  readonly spool?: Spool | undefined;
  readonly limits?: QueueLimits;
}
/**
 * Records on their way to one exporter: batched, off the request path, in bounded memory. While their store is away or
 * slower than traffic they wait on disk, and go on in order when it is back. Where room is short, bodies are given up
 * first, then records; both are counted.
 */
export class ExportQueue {
  readonly name: string;
  private readonly sink: Sink;
  private readonly spool: Spool | undefined;
  private readonly limits: QueueLimits;
  private readonly room: Room;
  private closing = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private busy: Promise<void> | undefined;
  private spilling: Promise<void> | undefined;
  /** What the store said when it could not be reached. */
  private away: { readonly since: number; readonly why: string } | null = null;
  private retryMs: number;
  private retryAt = 0;
  private readonly trouble: Trouble;
  droppedBodies = 0;
  droppedRecords = 0;
  failedRecords = 0;
  private readonly mark: number;

  constructor(private readonly parts: QueueParts) {
    this.name = parts.name;
    this.mark = markOf(parts.name);
    this.sink = sinkOf(parts.exporter);
    this.spool = this.sink.isStorable ? parts.spool : undefined;
    this.limits = parts.limits ?? QUEUE_LIMITS;
    this.room = new Room(this.limits);
    this.retryMs = this.limits.retryMs;
    this.trouble = new Trouble(this, parts.log, parts.now);
  }

  get waitingRecords(): number {
    return this.room.records;
  }
  get waitingBytes(): number {
    return this.room.bytes;
  }
  get diskBytes(): number {
    return this.ownBytes + (this.spool?.leftBytes ?? 0);
  }
  /** What this process may read. */
  private get ownBytes(): number {
    return this.spool?.bytes ?? 0;
  }

  add(outcome: Outcome): void {
    const item = this.made(outcome);
    if (item === undefined) return;
    const isBare = this.isShort;
    const kept = isBare ? this.withoutBodies(item) : item;
    const bytes = weightOf(kept);
    if (this.room.isFullFor(bytes)) return this.dropped();
    this.room.push({ item: kept, bytes, isBare });
    if (this.room.isCrowded && this.isSpooling) void this.spill();
    this.later(this.limits.flushMs);
  }
  /** Everything that was added before the call has been exported, waits on disk, or was counted, when it resolves. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.busy ??= this.run()
      .catch((thrown: unknown) => this.parts.log("error", "export.interrupted", { exporter: this.name, why: messageOf(thrown) }))
      .finally(() => {
        this.busy = undefined;
      });
    return this.busy;
  }
  /** Something may wait on disk that nobody here has put there. */
  wake(): void {
    if (this.ownBytes > 0) this.later(0);
  }
  /** The last flush: what cannot be exported now is left on disk, or else counted as failed. */
  async close(): Promise<void> {
    this.closing = true;
    await this.flush();
    await this.flush();
    await this.spill();
    clearTimeout(this.timer);
    this.failedRecords += this.room.clear();
  }

  health(): Health {
    const { why, since } = this.away ?? { why: "", since: 0 };
    const waits = `${this.waitingRecords} records wait in memory, ${this.diskBytes} bytes on disk`;
    const degraded = [
      ...(this.away ? [`Its store could not be reached since ${isoTime(since)}: ${why} ${waits}.`] : []),
      ...this.trouble.sentences(),
    ];
    return {
      degraded,
      detail: {
        waiting_records: this.waitingRecords,
        waiting_bytes: this.waitingBytes,
        disk_bytes: this.diskBytes,
        given_up_records: this.droppedRecords,
        given_up_bodies: this.droppedBodies,
        failed_records: this.failedRecords,
      },
    };
  }

  /* ── one round: from memory to the store; when it is away, from memory to disk and from disk to the store ──────── */

  private async run(): Promise<void> {
    while (this.mayReadDisk || this.room.hasWaiting) {
      if (this.away || this.room.isCrowded) await this.spill();
      if (this.closing && (this.away || this.mayReadDisk)) return; // what is left goes to disk
      if (this.pauseMs > 0) return this.later(this.pauseMs);
      const isThere = this.mayReadDisk ? await this.fromDisk() : await this.fromMemory(); // what is on disk is older
      if (isThere && this.ownBytes === 0 && this.room.isCalm) this.trouble.over();
    }
  }
  /** Something waits there that the queue of another generation is not just writing. */
  private get mayReadDisk(): boolean {
    return this.ownBytes > 0 && (this.spool?.isFreeFor(this) ?? false);
  }
  /** Until the store is asked again. */
  private get pauseMs(): number {
    return this.away === null || this.closing ? 0 : this.retryAt - this.parts.now();
  }
  /** `false`: the store is away. */
  private async fromMemory(): Promise<boolean> {
    const batches: Waiting[][] = [];
    while (batches.length < this.limits.batchesAtOnce && this.room.hasWaiting) batches.push(this.room.take(this.limits.batchRecords));
    const written = await this.writtenAtOnce(batches.map((batch) => () => batch.map(({ item }) => item)));
    this.room.gone(batches.flatMap((batch, at) => (written[at] ? batch : [])));
    this.room.putBack(batches.flatMap((batch, at) => (written[at] ? [] : batch)));
    return written.every(Boolean);
  }
  private async fromDisk(): Promise<boolean> {
    const { spool } = this;
    if (spool === undefined) return true;
    spool.lend(this);
    try {
      return await this.oldestFrom(spool);
    } finally {
      spool.giveBack(this);
    }
  }
  private async oldestFrom(spool: Spool): Promise<boolean> {
    const batches = await spool.oldest(this.limits.batchBytes, this.limits.batchesAtOnce);
    for (const { lost, bytes } of batches)
      if (lost !== null) this.parts.log("error", "export.lost", { exporter: this.name, bytes, why: lost });
    const written = await this.writtenAtOnce(batches.map(({ records }) => records));
    const first = written.indexOf(false);
    for (const batch of first < 0 ? batches : batches.slice(0, first)) await spool.forget(batch);
    return first < 0;
  }
  /** Each batch in a turn of its own, so that requests get theirs; their answers are waited for together. */
  private async writtenAtOnce(batches: readonly (() => readonly object[])[]): Promise<readonly boolean[]> {
    const writing: Promise<boolean>[] = [];
    for (const batch of batches) {
      if (writing.length > 0) await nextTurn();
      writing.push(this.written(batch()));
    }
    return Promise.all(writing);
  }

  /** One record that cannot be written must not take the others along. */
  private async written(items: readonly object[]): Promise<boolean> {
    try {
      if (items.length > 0) await this.writing(items);
      this.reached();
      return true;
    } catch (thrown) {
      if (GatewayError.is(thrown) && thrown.code === "STORAGE_UNAVAILABLE") return this.unreached(thrown);
      const middle = items.length >> 1;
      if (items.length > 1) return (await this.written(items.slice(0, middle))) && (await this.written(items.slice(middle)));
      this.failedRecords += items.length;
      this.parts.log("error", "export failed", { exporter: this.name, records: items.length, why: thrown });
      return true;
    }
  }
  private writing(items: readonly object[]): Promise<void> {
    entering(this.mark);
    return whileOpen(this.mark, this.sink.write(items));
  }
  private reached(): void {
    this.away = null;
    this.retryMs = this.limits.retryMs;
  }
  private unreached(error: GatewayError): false {
    const why = error.cause === undefined ? error.message : messageOf(error.cause);
    this.away ??= { since: this.parts.now(), why };
    if (this.retryAt <= this.parts.now()) {
      this.retryAt = this.parts.now() + this.retryMs;
      this.retryMs = Math.min(this.limits.maxRetryMs, 2 * this.retryMs);
    }
    this.trouble.begins("waiting", why);
    return false;
  }

  /* ── from memory to disk ─────────────────────────────────────────────────────────────────────────────────────── */

  private spill(): Promise<void> {
    this.spilling ??= this.spillAll().finally(() => {
      this.spilling = undefined;
    });
    return this.spilling;
  }
  private async spillAll(): Promise<void> {
    while (this.isSpooling && this.room.hasWaiting) {
      const batch = this.room.take(this.limits.batchRecords);
      const lines = this.linesOf(batch);
      if (lines.length > 0 && !(await this.spool?.add(lines))) {
        this.room.putBack(batch);
        return this.trouble.begins("disk", this.spool?.failure ?? "");
      }
      this.room.gone(batch);
    }
  }
  private linesOf(batch: readonly Waiting[]): Uint8Array {
    let text = "";
    let bytes = 0;
    for (const waiting of batch) {
      const line = this.lineOf(waiting, bytes);
      bytes += Buffer.byteLength(line);
      text += line;
    }
    return Buffer.from(text);
  }
  /** Whole where there is room, else without bodies, else not at all. */
  private lineOf({ item, isBare }: Waiting, before: number): string {
    const fits = (line: string): boolean => this.spool?.hasRoom(before + Buffer.byteLength(line)) ?? false;
    const whole = isBare || !this.spool?.isShort ? lineOf(item) : undefined;
    if (whole !== undefined && fits(whole)) return whole;
    const bare = isBare ? undefined : lineOf(this.withoutBodies(item));
    if (bare !== undefined && fits(bare)) return bare;
    this.dropped();
    return "";
  }

  /* ── memory ──────────────────────────────────────────────────────────────────────────────────────────────────── */

  private made(outcome: Outcome): object | undefined {
    entering(this.mark);
    try {
      return this.sink.make(outcome);
    } catch (thrown) {
      this.failedRecords += 1;
      this.parts.log("error", "export failed", { exporter: this.name, records: 1, why: thrown });
      return undefined;
    }
  }
  private get isSpooling(): boolean {
    return this.spool?.isUsable ?? false;
  }
  private get isShort(): boolean {
    return this.spool === undefined || this.spool.failure !== null ? this.room.isCrowded : this.spool.isShort;
  }
  private withoutBodies(item: object): object {
    this.droppedBodies += 1;
    this.trouble.begins("bodies", "there is little room left for what waits");
    return this.sink.withoutBodies(item);
  }
  private dropped(): void {
    this.droppedRecords += 1;
    this.trouble.begins("records", "there is no room left for what waits");
  }
  private later(ms: number): void {
    if (!this.closing) this.timer ??= setTimeout(() => void this.flush(), ms);
  }
}

const lineOf = (item: object): string => `${JSON.stringify(item)}\n`;
