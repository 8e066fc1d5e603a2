import { afterEach, describe, expect, spyOn, test } from "bun:test";
import {
  BLANK_WORKSPACE,
  type Feed,
  GatewayError,
  type RecordOf,
  type Records,
  type RecordStore,
  recordTopic,
  Workspaces,
} from "#contract";
import { fakeHost } from "../../../tests/kit/host.ts";
import { createLookup } from "./lookup.ts";
import { shareRecords } from "./records.ts";

type Workspace = RecordOf<typeof Workspaces>;
const ORGANISATION = "11111111-1111-4111-8111-111111111111";
const idOf = (n: number): string => `22222222-2222-4222-8222-${String(n).padStart(12, "0")}`;
const workspace = (n: number, slug: string): Workspace => ({
  id: idOf(n),
  created_at: 0,
  last_updated_at: 0,
  organisation_id: ORGANISATION,
  name: slug,
  slug,
  ...BLANK_WORKSPACE,
});

/** Records over memory storage, counting reads, with a switch for the database and one for the feed. */
async function setting() {
  const { storage } = await fakeHost([], { collections: [Workspaces] });
  const real = storage.records as RecordStore;
  const state = { reads: 0, away: false, feedAway: false, gate: undefined as Promise<void> | undefined };
  const store: RecordStore = {
    migrate: real.migrate.bind(real),
    together: real.together.bind(real),
    in(collection) {
      const records = real.in(collection);
      const counted: Records<never> = {
        ...bound(records),
        first: async (where: never) => {
          state.reads += 1;
          if (state.away) throw new Error("connection refused");
          const found = await records.first(where);
          await state.gate;
          return found as never;
        },
      };
      return counted as unknown as typeof records;
    },
  };
  const memoryFeed = storage.feed as Feed;
  const feed: Feed = {
    subscribe: (topic, hear) => memoryFeed.subscribe(topic, hear),
    publish: (topic, message) => (state.feedAway ? Promise.reject(new Error("feed away")) : memoryFeed.publish(topic, message)),
    heartbeat: () => memoryFeed.heartbeat(),
  };
  const log = () => undefined;
  const share = () => shareRecords({ store, feed, collections: [Workspaces], log });
  const records = (await share()).handle("test", [Workspaces]);
  const find = records.lookup(Workspaces, ["organisation_id", "slug"], ({ name }) => name);
  return { state, records, find, share, feed: memoryFeed };
}
const bound = (records: object): Records<never> =>
  Object.fromEntries(
    ["get", "list", "insert", "update", "remove"].map((name) => [
      name,
      (records as Record<string, (...args: unknown[]) => unknown>)[name]?.bind(records),
    ]),
  ) as unknown as Records<never>;

test("a warm answer comes without a promise and without a query", async () => {
  const { records, find, state } = await setting();
  await records.in(Workspaces).insert(workspace(1, "one"));
  expect(await find(ORGANISATION, "one")).toBe("one");
  expect(find(ORGANISATION, "one")).toBe("one");
  expect(state.reads).toBe(1);
});

test("a miss is remembered, and forgotten when a record is inserted", async () => {
  const { records, find, state } = await setting();
  expect(await find(ORGANISATION, "later")).toBeUndefined();
  expect(find(ORGANISATION, "later")).toBeUndefined();
  expect(state.reads).toBe(1);
  await records.in(Workspaces).insert(workspace(1, "later"));
  expect(await find(ORGANISATION, "later")).toBe("later");
});

test("an update and a removal are seen by the next look-up", async () => {
  const { records, find } = await setting();
  await records.in(Workspaces).insert(workspace(1, "one"));
  expect(await find(ORGANISATION, "one")).toBe("one");
  await records.in(Workspaces).update(idOf(1), { name: "renamed" });
  expect(await find(ORGANISATION, "one")).toBe("renamed");
  await records.in(Workspaces).remove(idOf(1));
  expect(await find(ORGANISATION, "one")).toBeUndefined();
});

test("a write of another process reaches this one's look-ups over the feed", async () => {
  const { records, find, share } = await setting();
  await records.in(Workspaces).insert(workspace(1, "one"));
  expect(await find(ORGANISATION, "one")).toBe("one");
  const other = (await share()).handle("other process", [Workspaces]);
  await other.in(Workspaces).update(idOf(1), { name: "changed elsewhere" });
  expect(await find(ORGANISATION, "one")).toBe("changed elsewhere");
});

test("a feed that may have lost messages empties the cache", async () => {
  const { records, find, state } = await setting();
  await records.in(Workspaces).insert(workspace(1, "one"));
  await find(ORGANISATION, "one");
  const lookup = createLookup({
    read: async () => {
      state.reads += 1;
      return workspace(1, "one");
    },
    map: ({ slug }) => slug,
    unsure: () => undefined,
    heard: () => true,
    maxHits: 10,
    maxMisses: 10,
  });
  expect(await lookup.find("one")).toBe("one");
  lookup.forget(null);
  expect(lookup.find("one")).toBeInstanceOf(Promise);
});

test("while the database is away warm entries answer and cold ones say so", async () => {
  const { records, find, state } = await setting();
  await records.in(Workspaces).insert(workspace(1, "one"));
  await find(ORGANISATION, "one");
  state.away = true;
  expect(find(ORGANISATION, "one")).toBe("one");
  await expect(find(ORGANISATION, "two")).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
  state.away = false;
  expect(await find(ORGANISATION, "two")).toBeUndefined(); // the failure was not remembered
});

test("many who ask at once cause one query", async () => {
  const { records, find, state } = await setting();
  await records.in(Workspaces).insert(workspace(1, "one"));
  const answers = await Promise.all(Array.from({ length: 50 }, () => find(ORGANISATION, "one")));
  expect(new Set(answers)).toEqual(new Set(["one"]));
  expect(state.reads).toBe(1);
});

test("what was read before a write is neither kept nor given to those who ask after it", async () => {
  const { records, find, state } = await setting();
  await records.in(Workspaces).insert(workspace(1, "one"));
  const { promise, resolve } = Promise.withResolvers<void>();
  state.gate = promise;
  const before = find(ORGANISATION, "one");
  await records.in(Workspaces).remove(idOf(1));
  state.gate = undefined;
  const after = find(ORGANISATION, "one");
  resolve();
  expect(await before).toBe("one");
  expect(await after).toBeUndefined();
  expect(find(ORGANISATION, "one")).toBeUndefined();
});

test("guessing keys does not push known ones out, and both memories are bounded", async () => {
  let reads = 0;
  const lookup = createLookup({
    read: async ([slug]) => {
      reads += 1;
      return slug?.startsWith("known") ? workspace(Number(slug.slice(5)), slug) : undefined;
    },
    map: ({ slug }) => slug,
    unsure: () => undefined,
    heard: () => true,
    maxHits: 2,
    maxMisses: 3,
  });
  await lookup.find("known1");
  for (let n = 0; n < 20; n += 1) await lookup.find(`guess${n}`);
  expect(lookup.find("known1")).toBe("known1");
  await lookup.find("known2");
  await lookup.find("known3");
  reads = 0;
  await lookup.find("known1"); // the oldest went
  await lookup.find("guess0");
  expect(reads).toBe(2);
});

test("a record in use stays, and the one that was not asked for longest goes", async () => {
  const reads: string[] = [];
  const lookup = createLookup({
    read: async ([slug = ""]) => {
      reads.push(slug);
      return workspace(Number(slug.slice(1)), slug);
    },
    map: ({ slug }) => slug,
    unsure: () => undefined,
    heard: () => true,
    maxHits: 2,
    maxMisses: 2,
  });
  for (const slug of ["w1", "w2", "w1", "w3"]) await lookup.find(slug);
  expect(lookup.find("w1")).toBe("w1");
  await lookup.find("w2");
  expect(reads).toEqual(["w1", "w2", "w3", "w2"]);
});

test("a feed that is away is told later", async () => {
  const { records, find, state, share, feed } = await setting();
  await records.in(Workspaces).insert(workspace(1, "one"));
  await find(ORGANISATION, "one");
  const heard = Promise.withResolvers<string | null>();
  await feed.subscribe(recordTopic(Workspaces), heard.resolve);
  const other = (await share()).handle("other process", [Workspaces]);
  state.feedAway = true;
  await other.in(Workspaces).update(idOf(1), { name: "new" });
  expect(find(ORGANISATION, "one")).toBe("one");
  state.feedAway = false;
  expect(await heard.promise).toBe(idOf(1));
  expect(await find(ORGANISATION, "one")).toBe("new");
});

test("a refusal of the storage keeps its own code", async () => {
  const { records } = await setting();
  await records.in(Workspaces).insert(workspace(1, "one"));
  const again = await records
    .in(Workspaces)
    .insert(workspace(2, "one"))
    .catch((error: unknown) => error);
  expect(GatewayError.is(again) && again.code).toBe("CONFLICT");
});

test("a list is read once, without a promise when warm, and again after any write to its collection", async () => {
  const { records } = await setting();
  const all = records.lookupAll(Workspaces, ["organisation_id"], { name: "kept" });
  await records.in(Workspaces).insert({ ...workspace(1, "one"), name: "kept" });
  await records.in(Workspaces).insert(workspace(2, "two"));
  const slugs = async () => (await all(ORGANISATION)).map(({ slug }) => slug);
  expect(await slugs()).toEqual(["one"]);
  expect(all(ORGANISATION)).toBe(all(ORGANISATION));
  await records.in(Workspaces).update(idOf(2), { name: "kept" });
  expect(await slugs()).toEqual(["one", "two"]);
  expect(await all("33333333-3333-4333-8333-333333333333")).toEqual([]);
});

describe("in silence of the feed", () => {
  /** A look-up on a clock of its own; what it reads, and whether it can. */
  function silent({ heard = true } = {}) {
    const state = { reads: 0, heard, away: false, slug: "old" as string | undefined };
    const unsure: number[] = [];
    const clock = spyOn(performance, "now").mockReturnValue(0);
    const lookup = createLookup({
      read: async () => {
        state.reads += 1;
        if (state.away) throw new GatewayError("STORAGE_UNAVAILABLE", { handle: "records" });
        return state.slug === undefined ? undefined : workspace(1, state.slug);
      },
      map: ({ slug }) => slug,
      unsure: (until) => unsure.push(until),
      heard: () => state.heard,
      maxHits: 5_000,
      maxMisses: 5_000,
    });
    const at = (ms: number): void => void clock.mockReturnValue(ms);
    const fallSilent = (since: number): void => {
      state.heard = false;
      lookup.doubt(since);
    };
    return { state, lookup, at, fallSilent, unsure };
  }
  afterEach(() => void spyOn(performance, "now").mockRestore());

  test("a change is seen within five seconds, a deletion and a new record too", async () => {
    const { state, lookup, at, fallSilent } = silent();
    await lookup.find("a");
    at(2_000);
    fallSilent(0);
    state.slug = "new";
    at(5_000);
    expect(await lookup.find("a")).toBe("new");
    state.slug = undefined;
    at(10_000);
    expect(await lookup.find("a")).toBeUndefined();
    state.slug = "again";
    at(15_000);
    expect(await lookup.find("a")).toBe("again");
  });
  test("each entry is read at most once in five seconds, however many ask, and they are spread", async () => {
    const { state, lookup, at, fallSilent } = silent();
    const keys = Array.from({ length: 1_000 }, (_, n) => `key${n}`);
    for (const key of keys) await lookup.find(key);
    at(2_000);
    fallSilent(0);
    state.reads = 0;
    const perTick: number[] = [];
    for (let ms = 2_000; ms < 5_000; ms += 250) {
      at(ms);
      const before = state.reads;
      await Promise.all(keys.flatMap((key) => [lookup.find(key), lookup.find(key)]));
      perTick.push(state.reads - before);
    }
    at(5_000);
    await Promise.all(keys.map((key) => lookup.find(key)));
    expect(state.reads).toBe(1_000);
    expect(Math.max(...perTick)).toBeLessThan(200); // a twelfth of them is 84
  });
  test("while the records are away too what is known goes on, misses likewise, and is read again once they are back", async () => {
    const { state, lookup, at, fallSilent } = silent();
    await lookup.find("known");
    state.slug = undefined;
    await lookup.find("missing");
    at(2_000);
    fallSilent(0);
    state.away = true;
    for (let ms = 5_000; ms <= 60_000; ms += 1_000) {
      at(ms);
      expect([await lookup.find("known"), await lookup.find("missing")]).toEqual(["old", undefined]);
    }
    await expect(lookup.find("cold")).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
    expect(state.reads).toBeLessThan(2 * (60 / 2.5) + 4);
    state.away = false;
    state.slug = "new";
    at(65_000);
    expect([await lookup.find("known"), await lookup.find("missing")]).toEqual(["new", "new"]);
  });
  test("who keeps what is made of it is told for how long it may be out of date", async () => {
    const { state, lookup, at, fallSilent, unsure } = silent();
    await lookup.find("known");
    expect(unsure).toEqual([]);
    at(1_000);
    fallSilent(0);
    expect(unsure).toEqual([5_000]);
    at(6_000);
    await lookup.find("known");
    expect(unsure.at(-1)).toBe(11_000);
    state.away = true;
    at(12_000);
    await lookup.find("known");
    expect(unsure.at(-1)).toBeGreaterThan(12_000);
  });
  test("what was written while it is known is not used again, whatever is away", async () => {
    const { state, lookup } = silent({ heard: false });
    await lookup.find("known");
    lookup.forget(idOf(1));
    state.away = true;
    await expect(lookup.find("known")).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
  });
  test("messages that may have been missed are made up for at once, or as soon as the records are back", async () => {
    const { state, lookup, at } = silent();
    await lookup.find("a");
    state.slug = "new";
    state.away = true;
    lookup.forget(null);
    expect(await lookup.find("a")).toBe("old");
    state.away = false;
    at(5_000);
    expect(await lookup.find("a")).toBe("new");
    at(1_000_000);
    expect(lookup.find("a")).toBe("new"); // heard of again: no longer asked for
  });
  test("a failure that is no outage is no reason to go on", async () => {
    const lookup = createLookup({
      read: async () => {
        throw new Error("a mistake");
      },
      map: () => 1,
      unsure: () => undefined,
      heard: () => true,
      maxHits: 1,
      maxMisses: 1,
    });
    await expect(lookup.find("a")).rejects.toThrow("a mistake");
  });
});
