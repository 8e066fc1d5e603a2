import type { Static } from "@sinclair/typebox";
import {
  type Collection,
  type Feed,
  GatewayError,
  type Health,
  type Logger,
  type Records,
  type RecordsHandle,
  type RecordStore,
  type Where,
  type Write,
  recordTopic,
} from "#contract";
import type { Epoch } from "./epoch.ts";
import { AUDIT_COLLECTIONS } from "../audit/audit.ts";
import type { Journal } from "../audit/journal.ts";
import { createAnnouncer } from "./announce.ts";
import { watchFeed } from "./feed-watch.ts";
import { RecordListeners } from "./listeners.ts";
import { createLookup } from "./lookup.ts";

/** One generation's view of the records: every write is announced, every look-up hears of it. */
export interface SharedRecords {
  /** The handle for one plugin (or the core): it reaches the collections it declared, no others. */
  handle(owner: string, collections: readonly Collection[]): RecordsHandle;
  /** Of what is looked up in these collections. */
  epoch(collections: readonly Collection[]): Epoch;
  /** Whether what other processes write is heard of. */
  health(): Health;
  close(): Promise<void>;
}
export interface RecordsParts {
  readonly store: RecordStore;
  readonly feed: Feed;
  readonly collections: readonly Collection[];
  readonly log: Logger;
  /** Who writes what is audited; absent where the audit log is off. */
  readonly journal?: Journal | undefined;
}
const MAX_HITS = 20_000;
const MAX_MISSES = 10_000;

/** Listens before the first look-up can cache anything. */
export async function shareRecords({ store, feed, collections, log, journal }: RecordsParts): Promise<SharedRecords> {
  const listeners = new RecordListeners(collections);
  const announcer = createAnnouncer(feed, log);
  const watch = watchFeed({ feed, log, onSilence: (since) => listeners.doubt(since) });
  const subscriptions = await Promise.all(
    collections.map((collection) => feed.subscribe(recordTopic(collection), (id) => listeners.forget(collection, id))),
  );
  const announceChange = async (collection: Collection, id: string): Promise<void> => {
    listeners.forget(collection, id); // this process at once, without the way over the feed
    await announcer.announce(recordTopic(collection), id);
  };
  return {
    handle: (owner, declared) => handleFor({ owner, declared, store, journal, listeners, heard: () => watch.heard, announceChange }),
    epoch: (among) => listeners.epoch(among),
    health: watch.health,
    async close() {
      watch.close();
      announcer.close();
      await Promise.all(subscriptions.map((unsubscribe) => unsubscribe()));
    },
  };
}

interface HandleParts {
  readonly owner: string;
  readonly declared: readonly Collection[];
  readonly store: RecordStore;
  readonly journal: Journal | undefined;
  readonly listeners: RecordListeners;
  /** Are changes heard of just now? */
  heard(): boolean;
  announceChange(collection: Collection, id: string): Promise<void>;
}
function handleFor({ owner, declared, store, journal, listeners, heard, announceChange }: HandleParts): RecordsHandle {
  const lookupParts = (collection: Collection) => ({
    heard,
    unsure: (until: number) => listeners.unsure(collection, until),
    maxHits: MAX_HITS,
    maxMisses: MAX_MISSES,
  });
  return {
    in(collection) {
      refuseUndeclared(owner, declared, collection);
      if (isLog(collection)) return readOnly(store.in(collection), collection);
      const records =
        collection.audited && journal ? journal.over<Static<typeof collection.schema>>(collection, owner) : store.in(collection);
      return announced(records, (id) => announceChange(collection, id));
    },
    together(writes) {
      for (const write of writes) refuseUndeclared(owner, declared, write.in);
      for (const write of writes) if (isLog(write.in)) throw neverWritten(write.in);
      const changes = writes.flatMap((write) => idsOf(write).map((id) => [write.in, id] as const));
      const announceAll = async (): Promise<void> => void (await Promise.all(changes.map((change) => announceChange(...change))));
      return telling(announceAll, () => (journal ? journal.commit(writes, owner) : store.together(writes)));
    },
    lookup(collection, by, map) {
      refuseUndeclared(owner, declared, collection);
      const records = store.in(collection);
      const read = (values: readonly string[]) => reachable(() => records.first(whereOf(by, values)));
      const lookup = createLookup({
        read: read as () => Promise<(Static<typeof collection.schema> & { id: string }) | undefined>,
        map,
        ...lookupParts(collection),
      });
      listeners.add(collection, lookup);
      return lookup.find;
    },
    lookupAll(collection, by, where, map) {
      refuseUndeclared(owner, declared, collection);
      const records = store.in(collection);
      const lookup = createLookup({
        read: async (values) => ({ id: ALL, list: await reachable(() => listed(records, { ...where, ...whereOf(by, values) }, map)) }),
        map: ({ list }) => list,
        ...lookupParts(collection),
      });
      listeners.add(collection, { ...lookup, forget: (id) => lookup.forget(id === null ? null : ALL) });
      return (...values) => lookup.find(...values) as never; // a list is always found, and is of what `map` made
    },
  };
}

/** What stands for a whole list where a look-up keeps one record: any write may change it. */
const ALL = "all";
const PAGE = 500;
async function listed<T>(records: Records<T>, where: Where<T>, map?: (record: T) => unknown): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const { data } = await records.list({ where, limit: PAGE, offset });
    found.push(...(map ? data.map(map) : data));
    if (data.length < PAGE) return found;
  }
}

/** The same records, announcing each write once it is made. */
function announced<T>(records: Records<T>, announceChange: (id: string) => Promise<void>): Records<T> {
  const announcing = (ids: readonly string[]) => async (): Promise<void> => void (await Promise.all(ids.map(announceChange)));
  return {
    get: (id) => records.get(id),
    first: (where) => records.first(where),
    list: (query) => records.list(query),
    insert: (value) => telling(announcing([idOf(value)]), () => records.insert(value)),
    insertMissing: (values) => telling(announcing(values.map(idOf)), () => records.insertMissing(values)),
    update: (id, patch, expect) => telling(announcing([id]), () => records.update(id, patch, expect)),
    remove: (id) => telling(announcing([id]), () => records.remove(id)),
  };
}

/** The audit log is written with what it tells of, and by nobody else. */
const isLog = ({ name }: Collection): boolean => AUDIT_COLLECTIONS.some((collection) => collection.name === name);
const neverWritten = ({ name }: Collection): TypeError => new TypeError(`The records ${name} are written by the gateway alone.`);
function readOnly<T>(records: Records<T>, collection: Collection): Records<T> {
  const refuse = async (): Promise<never> => {
    throw neverWritten(collection);
  };
  return {
    get: (id) => records.get(id),
    first: (where) => records.first(where),
    list: (query) => records.list(query),
    insert: refuse,
    insertMissing: refuse,
    update: refuse,
    remove: refuse,
  };
}

async function telling<R>(announceAll: () => Promise<void>, write: () => Promise<R>): Promise<R> {
  const done = await write().catch(async (error: unknown) => {
    await announceAll(); // a lost connection may have lost only the answer
    throw error;
  });
  if (done !== false) await announceAll();
  return done;
}

function idsOf(write: Write): readonly string[] {
  if (write.kind === "insertMissing") return write.values.map(idOf);
  return [write.kind === "insert" ? idOf(write.value) : write.id];
}
const idOf = <T>(value: T): string => (value as { id: string }).id; // every collection has `id` as its key

const whereOf = <T>(by: readonly (keyof T & string)[], values: readonly string[]): Where<T> =>
  Object.fromEntries(by.map((member, index) => [member, values[index]])) as Where<T>; // members by which one looks up are strings

/** "Not found" and "could not look" are different answers: whatever the database threw is the second. */
async function reachable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (GatewayError.is(cause)) throw cause;
    throw new GatewayError("STORAGE_UNAVAILABLE", { handle: "records" }, { cause });
  }
}

function refuseUndeclared(owner: string, declared: readonly Collection[], { name }: Collection): void {
  if (declared.some((collection) => collection.name === name)) return;
  const names = declared.map((collection) => collection.name).join(", ") || "none";
  throw new GatewayError("PLUGIN_SETUP", {
    plugin: owner,
    file: "index.ts",
    step: "records",
    why: `it reaches for the records ${name}, but its \`collections\` name ${names}`,
  });
}
