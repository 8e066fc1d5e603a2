/**
 * A read-through cache of one look-up. A warm answer is returned without a promise; a cold one is read once however
 * many ask. Misses are remembered apart from hits, so that guessing keys cannot push known ones out.
 */
export interface Lookup<V> {
  find(...values: readonly string[]): V | undefined | Promise<V | undefined>;
  /** The record with this id was written (or `null`: any may have been). */
  forget(id: string | null): void;
}
export interface LookupParts<T extends { readonly id: string }, V> {
  read(values: readonly string[]): Promise<T | undefined>;
  map(record: T): V;
  readonly maxHits: number;
  readonly maxMisses: number;
}

export function createLookup<T extends { readonly id: string }, V>(parts: LookupParts<T, V>): Lookup<V> {
  const hits = new Map<string, { readonly id: string; readonly value: V }>();
  const misses = new Set<string>();
  const keysOf = new Map<string, Set<string>>();
  const flights = new Map<string, Promise<V | undefined>>();
  let era = 0;

  const drop = (key: string, id: string): void => {
    hits.delete(key);
    const keys = keysOf.get(id);
    keys?.delete(key);
    if (keys?.size === 0) keysOf.delete(id);
  };
  const rememberHit = (key: string, id: string, value: V): void => {
    const oldest = hits.size >= parts.maxHits ? hits.entries().next().value : undefined;
    if (oldest) drop(oldest[0], oldest[1].id);
    hits.set(key, { id, value });
    const keys = keysOf.get(id) ?? new Set();
    keysOf.set(id, keys.add(key));
  };
  const rememberMiss = (key: string): void => {
    const oldest = misses.size >= parts.maxMisses ? misses.values().next().value : undefined;
    if (oldest !== undefined) misses.delete(oldest);
    misses.add(key);
  };
  async function fly(key: string, values: readonly string[]): Promise<V | undefined> {
    const begun = era;
    const record = await parts.read(values);
    const value = record && parts.map(record);
    if (begun !== era) return value; // written meanwhile: good enough for those who asked before, not for keeping
    if (record) rememberHit(key, record.id, value as V);
    else rememberMiss(key);
    return value;
  }

  /** Apart from `find`: what a warm look-up does not need it does not make. */
  const take = (key: string, values: readonly string[]): Promise<V | undefined> => {
    const flight = fly(key, values).finally(() => {
      if (flights.get(key) === flight) flights.delete(key);
    });
    flights.set(key, flight);
    return flight;
  };

  return {
    find(...values) {
      const key = values.length === 1 ? (values[0] ?? "") : JSON.stringify(values);
      const hit = hits.get(key);
      if (hit) return hit.value;
      return misses.has(key) ? undefined : (flights.get(key) ?? take(key, values));
    },
    forget(id) {
      era += 1;
      flights.clear(); // who asks from now on must not get what was read before the write
      misses.clear(); // a write may have made any miss a hit
      if (id === null) {
        hits.clear();
        keysOf.clear();
        return;
      }
      for (const key of [...(keysOf.get(id) ?? [])]) drop(key, id);
    },
  };
}
