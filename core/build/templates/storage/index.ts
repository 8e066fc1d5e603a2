import { Type } from "@sinclair/typebox";
import { definePlugin, GatewayError, type HostBase, type KeyValue, type Running, type Storage } from "#contract";

interface Entry {
  readonly value: Uint8Array;
  readonly expiresAt: number;
}
export type Data = Map<string, Entry>;

/** Keys and values; `records`, `logs`, `blobs`, `counters` and `feed` are further members of what it provides. */
export default definePlugin({
  kind: "storage",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: (host) => connect(new Map(), host),
});

/** One connection to the data. Once it is closed, or its server away, every call says so; nothing is ever "not found" for that. */
export function connect(data: Data, { now }: HostBase): Running<Storage> {
  const state = { open: true };
  const live = (key: string): Uint8Array | undefined => {
    if (!state.open) throw new GatewayError("STORAGE_UNAVAILABLE", { handle: "kv" });
    const entry = data.get(key);
    return entry && entry.expiresAt > now() ? entry.value.slice() : undefined;
  };
  const put = (key: string, value: Uint8Array, ttlMs = Number.POSITIVE_INFINITY): boolean => {
    data.set(key, { value: value.slice(), expiresAt: now() + ttlMs });
    return true;
  };
  const kv: KeyValue = {
    get: async (key) => live(key),
    async set(key, value, ttlMs) {
      live(key);
      put(key, value, ttlMs);
    },
    add: async (key, value, ttlMs) => live(key) === undefined && put(key, value, ttlMs),
    async renew(key, value, ttlMs) {
      const held = live(key);
      return held !== undefined && Buffer.compare(held, value) === 0 && put(key, value, ttlMs);
    },
    async delete(key) {
      live(key);
      data.delete(key);
    },
  };
  return {
    provides: { kv },
    close: async () => {
      state.open = false;
    },
  };
}
