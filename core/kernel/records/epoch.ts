/**
 * Says whether records may have changed since: what was made of several look-ups is good for as long as the number stays
 * the same. While some of them may be out of date without anybody having said so, there is no such number (`NaN`, which
 * equals nothing): what is made then is not kept.
 */
export interface Epoch {
  readonly current: number;
}

/** The epoch of some collections, moved on by their look-ups. */
export class MovingEpoch implements Epoch {
  #count = 0;
  /** By the monotonic clock; 0 while every change is heard of. */
  #unsureUntil = 0;

  get current(): number {
    if (this.#unsureUntil === 0) return this.#count;
    if (performance.now() < this.#unsureUntil) return Number.NaN;
    this.#unsureUntil = 0;
    return this.#count;
  }
  /** A record was written. */
  advance(): void {
    this.#count += 1;
  }
  /** Until then (by the monotonic clock) some look-up may answer what no longer holds. */
  unsure(until: number): void {
    this.#count += 1;
    this.#unsureUntil = Math.max(this.#unsureUntil, until);
  }
}
