import type { Json, LogRow } from "#contract";
import type { Listeners } from "../tables/listeners.ts";

/** What a process remembers. */
export interface MemoryData {
  /** Collection name -> id -> record, in creation order. */
  readonly records: Map<string, Map<string, Json>>;
  readonly logs: Map<string, { readonly row: LogRow; readonly bytes: number }>;
  readonly blobs: Map<string, readonly Uint8Array[]>;
  readonly counters: Map<string, { value: number; expiresAt: number }>;
  readonly kv: Map<string, { readonly value: Uint8Array; readonly expiresAt: number }>;
  /** The listeners of each connection. */
  readonly feeds: Set<Listeners>;
}

export const emptyData = (): MemoryData => ({
  records: new Map(),
  logs: new Map(),
  blobs: new Map(),
  counters: new Map(),
  kv: new Map(),
  feeds: new Set(),
});

/** Throws STORAGE_UNAVAILABLE once the connection is closed. */
export type Alive = () => void;

const SWEEP_EVERY = 1000;
/** Called after an entry was added: now and then forgets all that have expired, so that a map holds about what is alive. */
export const sweep = (map: Map<string, { readonly expiresAt: number }>, now: number): void => {
  if (map.size % SWEEP_EVERY !== 0) return;
  for (const [key, { expiresAt }] of map) if (expiresAt <= now) map.delete(key);
};
