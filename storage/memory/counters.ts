import type { Change, Counters } from "#contract";
import { type Alive, type MemoryData, sweep } from "./data.ts";

/** Counters are exact without locks: no other code runs between looking and writing. */
export const memoryCounters = ({ counters }: MemoryData, alive: Alive, now: () => number): Counters => {
  const current = (key: string): number => counters.get(key)?.value ?? 0;
  const change = ({ key, by, expiresAt }: Change): number => {
    const value = current(key) + by;
    counters.set(key, { value, expiresAt });
    sweep(counters, now());
    return value;
  };
  return {
    reserve: async (claims) => {
      alive();
      const sums = new Map<string, number>();
      for (const [refused, { key, by, limit }] of claims.entries()) {
        const value = sums.get(key) ?? current(key);
        if (by === 0 ? value >= limit : value + by > limit) return { granted: false, refused, value };
        sums.set(key, value + by);
      }
      return { granted: true, values: claims.map((claim) => (claim.by === 0 ? current(claim.key) : change(claim))) };
    },
    add: async (changes) => {
      alive();
      return changes.map(change);
    },
    read: async (keys) => {
      alive();
      return keys.map(current);
    },
  };
};
