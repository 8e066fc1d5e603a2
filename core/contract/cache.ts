import type { TObject } from "@sinclair/typebox";
import type { Call, Leaf, Plan } from "./request.ts";

/** An answer cache, chosen by the config's `cache.mode`. Only complete 2xx answers are offered to it. */
export interface Cache {
  readonly modes: readonly string[];
  /** Members of `cache` that it obeys beside `mode` and `max_age`; each has a description. */
  readonly settings?: TObject;
  /** Tenant and key scope are part of `scope` by construction; a cache never builds it. */
  get(query: CacheQuery): Promise<CachedReply | undefined>;
  set(query: CacheQuery, reply: CachedReply, ttlSec: number): Promise<void>;
}
export interface CacheQuery {
  readonly scope: string;
  readonly call: Call;
  readonly plan: Plan;
  readonly leaf: Leaf;
}
export interface CachedReply {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}
