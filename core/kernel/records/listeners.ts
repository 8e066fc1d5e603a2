import type { Collection } from "#contract";
import { type Epoch, MovingEpoch } from "./epoch.ts";
import type { Lookup } from "./lookup.ts";

type Named = Pick<Collection, "name">;
/** A look-up whatever it makes of its records. */
export type AnyLookup = Pick<Lookup<unknown>, "forget" | "doubt">;

/** Who keeps something of a collection's records, and is told when they change. */
export class RecordListeners {
  readonly #lookups: ReadonlyMap<string, Set<AnyLookup>>;
  readonly #epochs: ReadonlyMap<string, Set<MovingEpoch>>;
  constructor(collections: readonly Named[]) {
    this.#lookups = new Map(collections.map(({ name }) => [name, new Set()]));
    this.#epochs = new Map(collections.map(({ name }) => [name, new Set()]));
  }
  add({ name }: Named, lookup: AnyLookup): void {
    this.#lookups.get(name)?.add(lookup);
  }
  /** One for all of these collections together. */
  epoch(collections: readonly Named[]): Epoch {
    const epoch = new MovingEpoch();
    for (const { name } of collections) this.#epochs.get(name)?.add(epoch);
    return epoch;
  }
  /** A record was written (or any may have been: `null`). */
  forget({ name }: Named, id: string | null): void {
    this.#lookups.get(name)?.forEach((lookup) => lookup.forget(id));
    this.#epochs.get(name)?.forEach((epoch) => epoch.advance());
  }
  /** Until then an answer of this collection is given that may no longer hold. */
  unsure({ name }: Named, until: number): void {
    this.#epochs.get(name)?.forEach((epoch) => epoch.unsure(until));
  }
  /** Changes since then are not heard of. */
  doubt(since: number): void {
    for (const lookups of this.#lookups.values()) for (const lookup of lookups) lookup.doubt(since);
  }
}
