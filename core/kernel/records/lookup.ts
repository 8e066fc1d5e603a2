import { GatewayError } from "#contract";
import { isGood, LookupMemory } from "./lookup-memory.ts";

/**
 * A read-through cache of one look-up. A warm answer is returned without a promise; a cold one is read once however
 * many ask.
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
  /** Until then (by the monotonic clock) an answer is given that may no longer hold. */
  unsure(until: number): void;
  readonly maxHits: number;
  readonly maxMisses: number;
}

export function createLookup<T extends { readonly id: string }, V>(parts: LookupParts<T, V>): Lookup<V> {
  const memory = new LookupMemory<V>(parts);
  const reads = new Reads(parts, memory);
  return {
    /** What a warm look-up does not need it does not make. */
    find(...values) {
      const key = values.length === 1 ? (values[0] ?? "") : JSON.stringify(values);
      const entry = memory.get(key);
      return entry !== undefined && isGood(entry) ? entry.value : reads.of(key, values);
    },
    forget(id) {
      reads.outdate();
      memory.forget(id);
    },
    doubt: (since) => memory.doubt(since),
  };
}

/** The reads that are under way, one for each key. */
class Reads<T extends { readonly id: string }, V> {
  readonly #parts: LookupParts<T, V>;
  readonly #memory: LookupMemory<V>;
  readonly #underWay = new Map<string, Promise<V | undefined>>();
  #era = 0;

  constructor(parts: LookupParts<T, V>, memory: LookupMemory<V>) {
    this.#parts = parts;
    this.#memory = memory;
  }

  of(key: string, values: readonly string[]): Promise<V | undefined> {
    return this.#underWay.get(key) ?? this.#begin(key, values);
  }

  /** Who asks from now on must not get what was read before the write. */
  outdate(): void {
    this.#era += 1;
    this.#underWay.clear();
  }

  #begin(key: string, values: readonly string[]): Promise<V | undefined> {
    const reading = this.#read(key, values)
      .catch((error: unknown) => this.#lastKnown(key, error))
      .finally(() => {
        if (this.#underWay.get(key) === reading) this.#underWay.delete(key);
      });
    this.#underWay.set(key, reading);
    return reading;
  }

  async #read(key: string, values: readonly string[]): Promise<V | undefined> {
    const begun = this.#era;
    const record = await this.#parts.read(values);
    const found = record && { id: record.id, value: this.#parts.map(record) };
    // Written meanwhile: good enough for those who asked before, not for keeping.
    if (begun === this.#era) this.#memory.keep(key, found, this.#parts.heard());
    return found?.value;
  }

  /** What was known goes on while the store is away. */
  #lastKnown(key: string, error: unknown): V | undefined {
    const entry = this.#memory.get(key);
    if (entry === undefined || !GatewayError.is(error) || error.code !== "STORAGE_UNAVAILABLE") throw error;
    this.#memory.goOn(entry);
    return entry.value;
  }
}
