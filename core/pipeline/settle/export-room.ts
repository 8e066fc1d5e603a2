/** Bounds of what waits in memory to be exported. */
export interface QueueLimits {
  readonly maxRecords: number;
  readonly maxBytes: number;
  /** The part of both above which records go to disk, or lose their bodies where they cannot. */
  readonly spillFrom: number;
  readonly batchRecords: number;
  readonly batchBytes: number;
  /** So many batches are on their way when much waits. */
  readonly batchesAtOnce: number;
  readonly flushMs: number;
  /** Pause before a store that was away is asked again; it doubles up to the second. */
  readonly retryMs: number;
  readonly maxRetryMs: number;
}
const MB = 1024 * 1024;
export const QUEUE_LIMITS: QueueLimits = {
  maxRecords: 20_000,
  maxBytes: 64 * MB,
  spillFrom: 0.25,
  batchRecords: 64, // written in slices, so that a batch does not hold up the requests behind it
  batchBytes: MB / 4,
  batchesAtOnce: 8,
  flushMs: 25,
  retryMs: 250,
  maxRetryMs: 4_000,
};
/** One record in memory. */
export interface Waiting {
  readonly item: object;
  readonly bytes: number;
  /** Its bodies were given up. */
  readonly isBare: boolean;
}

/** What waits in memory, and what is on its way from there: it takes room until it has arrived. */
export class Room {
  private waiting: Waiting[] = [];
  records = 0;
  bytes = 0;
  constructor(private readonly limits: QueueLimits) {}

  get hasWaiting(): boolean {
    return this.waiting.length > 0;
  }
  isFullFor(bytes: number): boolean {
    return this.records >= this.limits.maxRecords || this.bytes + bytes > this.limits.maxBytes;
  }
  get isCrowded(): boolean {
    const { maxRecords, maxBytes, spillFrom } = this.limits;
    return this.records >= maxRecords * spillFrom || this.bytes >= maxBytes * spillFrom;
  }
  get isCalm(): boolean {
    const { maxRecords, maxBytes, spillFrom } = this.limits;
    return this.records < (maxRecords * spillFrom) / 4 && this.bytes < (maxBytes * spillFrom) / 4;
  }

  push(waiting: Waiting): void {
    this.waiting.push(waiting);
    this.records += 1;
    this.bytes += waiting.bytes;
  }
  /** The oldest ones, to be brought somewhere: then they are gone, or are put back. */
  take(records: number): Waiting[] {
    let count = 0;
    for (let bytes = 0; count < records && count < this.waiting.length && bytes < this.limits.batchBytes; count += 1)
      bytes += this.waiting[count]?.bytes ?? 0;
    return this.waiting.splice(0, count);
  }
  gone(batch: readonly Waiting[]): void {
    this.records -= batch.length;
    for (const { bytes } of batch) this.bytes -= bytes;
  }
  putBack(batch: readonly Waiting[]): void {
    if (batch.length > 0) this.waiting = [...batch, ...this.waiting];
  }
  /** How many were left. */
  clear(): number {
    const left = this.waiting.splice(0);
    this.gone(left);
    return left.length;
  }
}
