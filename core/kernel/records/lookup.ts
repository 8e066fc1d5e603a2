import { LRUCache } from "lru-cache";
import { GatewayError } from "#contract";

/**
 * A read-through cache of one look-up. A warm answer is returned without a promise; a cold one is read once however
 * many ask. Misses are remembered apart from hits, so that guessing keys cannot push known ones out.
 *
 * While changes are heard of, what is kept is good until one says otherwise. In silence it is asked for again at most
 * five seconds later; when it cannot be read either, what is known goes on until it can.
 */
export interface Lookup<V> {
  find(...values: readonly string[]): V | undefined | Promise<V | undefined>;
  /** The record with this id was written (or `null`: any may have been). */
  forget(id: string | null): void;
  /** Changes made since then (by the monotonic clock) are not heard of: all that is kept has to be read again, not all at once. */
  doubt(since: number): void;
}
export interface LookupParts<T extends { readonly id: string }, V> {
  read(values: readonly string[]): Promise<T | undefined>;
  map(record: T): V;
  /** Are changes heard of just now? */
  heard(): boolean;
  readonly maxHits: number;
  readonly maxMisses: number;
}
interface Hit<V> {
  readonly id: string;
  readonly value: V;
  /** By the monotonic clock; then it is asked for again. */
  goodUntil: number;
}
const FOREVER = Number.POSITIVE_INFINITY;
/** How old an answer may get while nobody would tell of a change. */
const MAX_AGE_MS = 5_000;
/** A `max` would make room for all of them at once: half a megabyte for each look-up there is. */
const growingTo = (maxSize: number) => ({ maxSize, sizeCalculation: () => 1 });

export function createLookup<T extends { readonly id: string }, V>(parts: LookupParts<T, V>): Lookup<V> {
  const keysOf = new Map<string, Set<string>>();
  const hits = new LRUCache<string, Hit<V>>({ ...growingTo(parts.maxHits), dispose: ({ id }, key) => forgetKey(id, key) });
  /** With what a hit says of itself. */
  const misses = new LRUCache<string, Pick<Hit<V>, "goodUntil">>(growingTo(parts.maxMisses));
  const flights = new Map<string, Promise<V | undefined>>();
  let era = 0;

  const forgetKey = (id: string, key: string): void => {
    const keys = keysOf.get(id);
    keys?.delete(key);
    if (keys?.size === 0) keysOf.delete(id);
  };
  const rememberHit = (key: string, id: string, value: V, goodUntil: number): void => {
    hits.set(key, { id, value, goodUntil });
    const keys = keysOf.get(id) ?? new Set();
    keysOf.set(id, keys.add(key));
  };
  async function fly(key: string, values: readonly string[]): Promise<V | undefined> {
    const begun = era;
    const record = await parts.read(values);
    const value = record && parts.map(record);
    if (begun !== era) return value; // written meanwhile: good enough for those who asked before, not for keeping
    hits.delete(key);
    misses.delete(key);
    const goodUntil = parts.heard() ? FOREVER : performance.now() + MAX_AGE_MS;
    if (record) rememberHit(key, record.id, value as V, goodUntil);
    else misses.set(key, { goodUntil });
    return value;
  }
  /** What was known goes on while the store is away, and is asked for again soon: not by all at the same moment. */
  const goOn = (key: string, error: unknown): V | undefined => {
    const entry = hits.get(key) ?? misses.get(key);
    if (entry === undefined || !GatewayError.is(error) || error.code !== "STORAGE_UNAVAILABLE") throw error;
    entry.goodUntil = performance.now() + (MAX_AGE_MS * (1 + Math.random())) / 2;
    return hits.get(key)?.value;
  };

  /** Apart from `find`: what a warm look-up does not need it does not make. */
  const take = (key: string, values: readonly string[]): Promise<V | undefined> => {
    const flight = fly(key, values)
      .catch((error: unknown) => goOn(key, error))
      .finally(() => {
        if (flights.get(key) === flight) flights.delete(key);
      });
    flights.set(key, flight);
    return flight;
  };

  return {
    find(...values) {
      const key = values.length === 1 ? (values[0] ?? "") : JSON.stringify(values);
      const hit = hits.get(key);
      if (hit !== undefined && isGood(hit)) return hit.value;
      const miss = hit === undefined ? misses.get(key) : undefined;
      return miss !== undefined && isGood(miss) ? undefined : (flights.get(key) ?? take(key, values));
    },
    forget(id) {
      era += 1;
      flights.clear(); // who asks from now on must not get what was read before the write
      if (id === null) {
        for (const entries of [hits, misses]) for (const entry of entries.values()) entry.goodUntil = 0;
        return;
      }
      misses.clear(); // a write may have made any miss a hit
      for (const key of [...(keysOf.get(id) ?? [])]) hits.delete(key);
    },
    doubt(since) {
      const now = performance.now();
      const leftMs = Math.max(0, since + MAX_AGE_MS - now);
      for (const entries of [hits, misses])
        for (const entry of entries.values()) if (entry.goodUntil === FOREVER) entry.goodUntil = now + leftMs * Math.random();
    },
  };
}

const isGood = ({ goodUntil }: Pick<Hit<unknown>, "goodUntil">): boolean => goodUntil === FOREVER || performance.now() < goodUntil;
