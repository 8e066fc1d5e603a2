import type { Static, TObject } from "@sinclair/typebox";
import type { InnerCalls, InnerOrigin } from "./dispatch.ts";
import type { Json } from "./json.ts";
import type { Outcome, Timing } from "./request.ts";
import type { Usage, WireError } from "./stream.ts";

/**
 * A storage backend provides some of these handles. Of several enabled backends, the first in the profile's order
 * that provides a handle serves it.
 */
export interface Storage {
  readonly records?: RecordStore;
  readonly logs?: LogStore;
  readonly blobs?: Blobs;
  readonly counters?: Counters;
  readonly kv?: KeyValue;
  readonly feed?: Feed;
}
export type StorageHandle = keyof Storage;

/**
 * A kind of record. Its schema is the table: scalars become typed columns, objects and arrays JSON columns.
 * Every schema has `id` (string) as its key.
 */
export interface Collection<S extends TObject = TObject> {
  /** Table name, snake_case plural. */
  readonly name: string;
  readonly schema: S;
  /** Member lists that must be unique together. */
  readonly unique?: readonly (readonly string[])[];
  readonly index?: readonly (readonly string[])[];
  /** Each write is committed with an entry of the audit log. So it is of every collection that is made of fields and does not say otherwise. */
  readonly audited?: true;
}
type Members<S extends TObject> = readonly (readonly (keyof Static<S> & string)[])[];
/** Identity at run time; checks that `unique` and `index` name members of the schema. */
export const defineCollection = <S extends TObject>(
  collection: Collection<S> & { readonly unique?: Members<S>; readonly index?: Members<S> },
): Collection<S> => collection;
export type RecordOf<C> = C extends Collection<infer S> ? Static<S> : never;

export interface RecordStore {
  /** Brings the database to these collections: embedded migrations, forward only, checksummed, under a lock. */
  migrate(collections: readonly Collection[]): Promise<void>;
  in<S extends TObject>(collection: Collection<S>): Records<Static<S>>;
  /**
   * Makes all of these writes, or none: in order, as one transaction. `false`, and nothing is written, when a record that is
   * to be updated or removed is absent or differs from what the write expects; CONFLICT as of `insert`.
   */
  together(writes: readonly Write[]): Promise<boolean>;
  /** Writes something of its own that nobody reads, so that a store that can be read and not written (a full disk) is noticed. */
  probe?(): Promise<void>;
}

/** One of several writes that stand or fall together; made by `inserting`, `updating` and their like. */
export type Write =
  | { readonly kind: "insert"; readonly in: Collection; readonly value: Json }
  | { readonly kind: "insertMissing"; readonly in: Collection; readonly values: readonly Json[] }
  | { readonly kind: "update"; readonly in: Collection; readonly id: string; readonly patch: Json; readonly expect?: Json }
  | { readonly kind: "remove"; readonly in: Collection; readonly id: string };
// A collection's own type is forgotten in a `Write`: these take what is right for it, and nothing else.
export const inserting = <S extends TObject>(collection: Collection<S>, value: Static<S>): Write => ({
  kind: "insert",
  in: collection,
  value: value as Json,
});
export const insertingMissing = <S extends TObject>(collection: Collection<S>, values: readonly Static<S>[]): Write => ({
  kind: "insertMissing",
  in: collection,
  values: values as readonly Json[],
});
export const updating = <S extends TObject>(
  collection: Collection<S>,
  id: string,
  patch: Partial<Static<S>>,
  expect?: Where<Static<S>>,
): Write => ({ kind: "update", in: collection, id, patch: patch as Json, ...(expect && { expect: expect as Json }) });
export const removing = <S extends TObject>(collection: Collection<S>, id: string): Write => ({ kind: "remove", in: collection, id });

/** Equality on members; an array value means "one of". Numbers may lie within bounds, and texts contain one. */
export type Where<T> = { readonly [K in keyof T]?: T[K] | readonly T[K][] | Compared<T[K]> };
type Compared<V> = [Extract<V, number>] extends [never] ? ([Extract<V, string>] extends [never] ? never : Contains) : Bounds;
/** Null lies within no bounds. */
export interface Bounds {
  readonly from?: number;
  /** Excluded. */
  readonly before?: number;
}
/** In the same case; null contains nothing. */
export interface Contains {
  readonly contains: string;
}
/** Does a condition compare, rather than name what it equals? */
export const isComparison = (value: unknown): value is Bounds | Contains =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Typed access to one collection. A database that cannot be reached throws STORAGE_UNAVAILABLE, never "not found". */
export interface Records<T> {
  get(id: string): Promise<T | undefined>;
  /** The first match in creation order. */
  first(where: Where<T>): Promise<T | undefined>;
  list(query: ListQuery<T>): Promise<{ readonly data: T[]; readonly total: number }>;
  /** Throws CONFLICT when a unique member list is taken. */
  insert(value: T): Promise<void>;
  /** Writes those of at most 1,000 whose `id` no record has yet, and leaves the others as they are: one statement, all or none. */
  insertMissing(values: readonly T[]): Promise<void>;
  /** Writes the given members. `expect` makes it conditional; `false` when the record is absent or differs. */
  update(id: string, patch: Partial<T>, expect?: Where<T>): Promise<boolean>;
  remove(id: string): Promise<boolean>;
}
export interface ListQuery<T> {
  readonly where?: Where<T>;
  readonly orderBy?: { readonly by: keyof T & string; readonly direction: "asc" | "desc" };
  readonly limit: number;
  readonly offset: number;
  /** Members that are not read: large ones that nobody looks at. A record then has none of them. */
  readonly omit?: readonly (keyof T & string)[];
}

/** Fixed-window counters. A window's start is part of the key, so windows need no sweeper; `expiresAt` lets stores forget. */
export interface Counters {
  /** Adds all, or none when one would pass its limit. One round trip. */
  reserve(claims: readonly Claim[]): Promise<Reserved>;
  /** Adds (or with negative `by` gives back) without a limit. One round trip. */
  add(changes: readonly Change[]): Promise<readonly number[]>;
  read(keys: readonly string[]): Promise<readonly number[]>;
}
export interface Change {
  readonly key: string;
  readonly by: number;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}
export interface Claim extends Change {
  /** The sum must not pass it. With `by: 0` the claim only asks whether the counter is below the limit. */
  readonly limit: number;
}
export type Reserved =
  | { readonly granted: true; readonly values: readonly number[] }
  | { readonly granted: false /** Index of the first claim that did not fit. */; readonly refused: number; readonly value: number };

export interface KeyValue {
  get(key: string): Promise<Uint8Array | undefined>;
  set(key: string, value: Uint8Array, ttlMs?: number): Promise<void>;
  /** Sets only when absent; the basis of leases. */
  add(key: string, value: Uint8Array, ttlMs?: number): Promise<boolean>;
  /** Lives for so long from now, if it holds exactly this value; `0` ends it. `false` when it is gone or holds another. */
  renew(key: string, value: Uint8Array, ttlMs: number): Promise<boolean>;
  delete(key: string): Promise<void>;
}

/** Tells every process of the deployment, itself included, within a second. Delivery is at least once while connected. */
export interface Feed {
  publish(topic: string, message: string): Promise<void>;
  /** `onMessage` also gets `null` when messages may have been missed (a reconnect): drop what you cached. */
  subscribe(topic: string, onMessage: (message: string | null) => void): Promise<() => Promise<void>>;
  /** Resolves once it is sure that what another process publishes now would be heard; asked every second. */
  heartbeat(): Promise<void>;
}

export interface Blobs {
  put(key: string, body: ReadableStream<Uint8Array>): Promise<{ readonly bytes: number }>;
  get(key: string): Promise<ReadableStream<Uint8Array> | undefined>;
  delete(key: string): Promise<void>;
}

/** One stored request; `id` is the request's id. Its columns stand once: neither the facts nor the bodies repeat them. */
export interface LogRow {
  readonly id: string;
  readonly organisationId: string;
  readonly workspaceId: string | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly traceId: string;
  readonly provider: string | null;
  readonly model: string | null;
  readonly status: number;
  readonly costCents: number | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly responseTimeMs: number;
  readonly apiKeyId: string | null;
  readonly cacheStatus: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** What is shown and not searched; `null` when it could not be written down. */
  readonly facts: LogFacts | null;
  /** The request's body as it came; `null` when it is not kept. */
  readonly request: string | null;
  /** What the provider was sent; `null` when nothing was, and when it was the request's own text. */
  readonly sent: string | null;
  /** The answer's body, a stream's wire text. */
  readonly response: string | null;
  /** Guardrail results: the JSON text of `hook_results`. */
  readonly hooks: string | null;
}
/** Credentials are masked before they come here. */
export interface LogFacts {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly gatewayHeaders: Readonly<Record<string, string>>;
  /** URL of the provider; `null` when nothing was sent, and when bodies are not kept. */
  readonly sentTo: string | null;
  readonly operation: string;
  readonly ended: Outcome["ended"];
  readonly error: WireError | null;
  readonly retries: number;
  readonly usage: Usage | null;
  readonly streamed: boolean;
  readonly timing: Omit<Timing, "totalMs">;
  /** Path of the target that answered, its saved provider, and how the config chose it. */
  readonly target: string | null;
  readonly providerSlug: string | null;
  readonly mode: string | null;
  readonly config: string | null;
  readonly userId: string | null;
  readonly apiKeyName: string;
  readonly spans: { readonly id?: string | undefined; readonly name?: string | undefined; readonly parent?: string | undefined };
  readonly bodies: "kept" | "cut" | "not kept";
  /** Where a plugin asked it, and what was asked within it. */
  readonly inner?: InnerOrigin | undefined;
  readonly innerCalls?: InnerCalls | undefined;
}
export interface LogStore {
  write(batch: readonly LogRow[]): Promise<void>;
  get(id: string): Promise<LogRow | undefined>;
  /** Deletes the oldest in bounded batches until both bounds hold; returns how many went. */
  prune(keep: { readonly newerThan: number; readonly maxBytes: number }): Promise<number>;
}

/**
 * How copies of all that a storage plugin keeps are made and put back, by the command line and with the plugin not set
 * up; or the sentence that says whose tools do it. `C` is the plugin's configuration.
 */
export type Archive<C = Json> = OwnArchive<C> | { readonly elsewhere: string };
export interface OwnArchive<C = Json> {
  /**
   * Writes a consistent copy into `folder`, which is there and empty, while gateways go on reading and writing. All that
   * was acknowledged before the call is in it. `tell` takes a line for the operator per part that is done.
   */
  backUp(config: C, folder: string, tell: (line: string) => void): Promise<void>;
  /** Judges the copy, whether this build understands it and whether its place is free; throws before anything is touched. */
  restore(config: C, folder: string, tell: (line: string) => void): Promise<PreparedRestore>;
}
/** A copy that was judged and lies ready: it is put in place, or thrown away when that is not to be, or fails. */
export interface PreparedRestore {
  /** Puts it in place. What was there is moved into a new folder of this name beside it; returns that folder's path. */
  replace(aside: string): Promise<string>;
  discard(): Promise<void>;
}

/** The feed topic that carries the id of each record of a collection as it is written. */
export const recordTopic = (collection: Pick<Collection, "name">): string => `records:${collection.name}`;
