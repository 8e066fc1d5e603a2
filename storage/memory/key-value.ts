import type { KeyValue } from "#contract";
import { type Alive, type MemoryData, sweep } from "./data.ts";

export const memoryKeyValue = ({ kv }: MemoryData, alive: Alive, now: () => number): KeyValue => {
  const live = (key: string): Uint8Array | undefined => {
    const entry = kv.get(key);
    return entry !== undefined && entry.expiresAt > now() ? entry.value : undefined;
  };
  const put = (key: string, value: Uint8Array, ttlMs = Number.POSITIVE_INFINITY): void => {
    kv.set(key, { value: value.slice(), expiresAt: now() + ttlMs });
    sweep(kv, now());
  };
  return {
    get: async (key) => {
      alive();
      return live(key)?.slice();
    },
    set: async (key, value, ttlMs) => {
      alive();
      put(key, value, ttlMs);
    },
    add: async (key, value, ttlMs) => {
      alive();
      if (live(key) !== undefined) return false;
      put(key, value, ttlMs);
      return true;
    },
    renew: async (key, value, ttlMs) => {
      alive();
      const held = live(key);
      if (held === undefined || Buffer.compare(held, value) !== 0) return false;
      put(key, value, ttlMs);
      return true;
    },
    delete: async (key) => {
      alive();
      kv.delete(key);
    },
  };
};
