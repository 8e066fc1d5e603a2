import { LRUCache } from "lru-cache";

/** What a look-up found, or that it found nothing. */
export interface Remembered<V> {
  readonly value: V | undefined;
  /** By the monotonic clock; then it is asked for again. */
  goodUntil: number;
}
interface Hit<V> extends Remembered<V> {
  readonly id: string;
  readonly value: V;
}
/** How old an answer may get while nobody would tell of a change. */
const MAX_AGE_MS = 5_000;
const FOREVER = Number.POSITIVE_INFINITY;
/** A `max` would make room for all of them at once: half a megabyte for each look-up there is. */
const growingTo = (maxSize: number) => ({ maxSize, sizeCalculation: () => 1 });

export interface MemoryParts {
  readonly maxHits: number;
  readonly maxMisses: number;
  /** Until then (by the monotonic clock) an answer is given that may no longer hold. */
  readonly unsure: (until: number) => void;
}

/** Answers of one look-up by key. Misses are remembered apart from hits, so that guessing keys cannot push known ones out. */
export class LookupMemory<V> {
  readonly #hits: LRUCache<string, Hit<V>>;
  readonly #misses: LRUCache<string, Remembered<V>>;
  readonly #keysOf = new Map<string, Set<string>>();

  readonly #unsure: (until: number) => void;

  constructor({ maxHits, maxMisses, unsure }: MemoryParts) {
    this.#unsure = unsure;
    this.#hits = new LRUCache({ ...growingTo(maxHits), dispose: ({ id }, key) => this.#forgetKey(id, key) });
    this.#misses = new LRUCache(growingTo(maxMisses));
  }

  get(key: string): Remembered<V> | undefined {
    return this.#hits.get(key) ?? this.#misses.get(key);
  }

  /** The record with this id was found, or none was. While changes are heard of, that is good until one says otherwise. */
  keep(key: string, found: { readonly id: string; readonly value: V } | undefined, isHeard: boolean): void {
    this.#hits.delete(key);
    this.#misses.delete(key);
    const goodUntil = isHeard ? FOREVER : performance.now() + MAX_AGE_MS;
    if (!isHeard) this.#unsure(goodUntil);
    if (!found) return void this.#misses.set(key, { value: undefined, goodUntil });
    this.#hits.set(key, { ...found, goodUntil });
    const keys = this.#keysOf.get(found.id) ?? new Set();
    this.#keysOf.set(found.id, keys.add(key));
  }

  /** The record with this id was written (or `null`: any may have been). */
  forget(id: string | null): void {
    if (id === null) return this.#each((entry) => (entry.goodUntil = 0));
    this.#misses.clear(); // a write may have made any miss a hit
    for (const key of [...(this.#keysOf.get(id) ?? [])]) this.#hits.delete(key);
  }

  /** Changes made since then are not heard of: all of it has to be read again, not all at once. */
  doubt(since: number): void {
    const now = performance.now();
    const leftMs = Math.max(0, since + MAX_AGE_MS - now);
    this.#unsure(now + leftMs);
    this.#each((entry) => {
      if (entry.goodUntil === FOREVER) entry.goodUntil = now + leftMs * Math.random();
    });
  }

  /** Its store is away: it goes on, and is asked for again soon, not by all at the same moment. */
  goOn(entry: Remembered<V>): void {
    entry.goodUntil = performance.now() + (MAX_AGE_MS * (1 + Math.random())) / 2;
    this.#unsure(entry.goodUntil);
  }

  #each(change: (entry: Remembered<V>) => void): void {
    for (const entry of this.#hits.values()) change(entry);
    for (const entry of this.#misses.values()) change(entry);
  }

  #forgetKey(id: string, key: string): void {
    const keys = this.#keysOf.get(id);
    keys?.delete(key);
    if (keys?.size === 0) this.#keysOf.delete(id);
  }
}

export const isGood = ({ goodUntil }: Remembered<unknown>): boolean => goodUntil === FOREVER || performance.now() < goodUntil;
