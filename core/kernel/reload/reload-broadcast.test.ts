import { describe, expect, test } from "bun:test";
import { GatewayError } from "#contract";
import { emptyData } from "../../../storage/memory/data.ts";
import { until } from "../../../tests/e2e/process.ts";
import { connectMemory } from "../../../storage/memory/index.ts";
import type { Stores } from "../generation.ts";
import { type Heard, listenForCalls } from "./reload-broadcast.ts";

type Shared = Pick<Stores, "feed" | "kv">;
/** What processes of one deployment share. */
const deployment = () => {
  const data = emptyData();
  return (): Shared => {
    const { feed, kv } = connectMemory(data, { log: () => undefined, now: () => 0 }).provides;
    return feed && kv ? { feed, kv } : expect.unreachable();
  };
};
/** One generation of one process; `reloads` counts what it was told to do. */
async function listening(stores: Shared, heard: Heard = { last: undefined }, why?: string) {
  const told = { reloads: 0, forced: 0, lines: [] as string[], refusals: [] as string[] };
  const called = async ({ force = false }) => {
    told.reloads += 1;
    if (force) told.forced += 1;
    if (why !== undefined) throw new Error(why);
  };
  const refusedElsewhere = (refusal: string) => void told.refusals.push(refusal);
  const calls = await listenForCalls(stores, heard, { called, refusedElsewhere }, (_, event) => told.lines.push(event));
  return { ...calls, told, heard };
}

describe("a call for a new generation", () => {
  test("is heard once by every other process, and not by the one that makes it", async () => {
    const open = deployment();
    const [one, two, three] = [await listening(open()), await listening(open()), await listening(open())];
    await one.call();
    expect([one, two, three].map(({ told }) => told.reloads)).toEqual([0, 1, 1]);
    await two.call();
    expect([one, two, three].map(({ told }) => told.reloads)).toEqual([1, 1, 2]);
  });
  test("is heard once by a process whose old and new generation both listen, and by the new one alone once the old is closed", async () => {
    const open = deployment();
    const [caller, stores, heard] = [await listening(open()), open(), { last: undefined }];
    const [old, next] = [await listening(stores, heard), await listening(stores, heard)];
    await caller.call();
    expect(old.told.reloads + next.told.reloads).toBe(1);
    await old.close();
    await caller.call();
    expect(old.told.reloads + next.told.reloads).toBe(2);
    await next.close();
    await caller.call();
    expect(old.told.reloads + next.told.reloads).toBe(2);
  });
});

test("a call that is forced is heard as one", async () => {
  const open = deployment();
  const [one, two] = [await listening(open()), await listening(open())];
  await one.call({ force: true });
  await one.call();
  expect(two.told).toMatchObject({ reloads: 2, forced: 1 });
});
test("who does not follow a call tells it to who made it, once, and to nobody else", async () => {
  const open = deployment();
  const stores = open();
  const heard: Heard = { last: undefined };
  const [old, next] = [await listening(stores, heard), await listening(stores, heard)]; // two generations of one process
  const [other, third] = [await listening(open(), undefined, "it would lose the log"), await listening(open())];
  await third.call();
  await next.call();
  await until("it is told", () => old.told.refusals.length + next.told.refusals.length > 0);
  expect([...old.told.refusals, ...next.told.refusals]).toEqual(["it would lose the log"]);
  expect(other.told.refusals).toEqual([]);
  expect(third.told.refusals).toEqual(["it would lose the log"]); // of its own call
});

describe("a process that was cut off from the feed", () => {
  /** A feed that delivers nothing until it says that something may have been missed. */
  const cutOff = ({ kv }: Shared) => {
    let missed = async (): Promise<void> => undefined;
    const feed: Stores["feed"] = {
      publish: async () => undefined,
      subscribe: async (_, onMessage) => {
        missed = async () => onMessage(null);
        return async () => undefined;
      },
      heartbeat: async () => undefined,
    };
    return { stores: { feed, kv }, reconnected: () => missed() };
  };
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  test("does what was called meanwhile, once, when it is back", async () => {
    const open = deployment();
    const away = cutOff(open());
    const late = await listening(away.stores);
    await (await listening(open())).call();
    expect(late.told.reloads).toBe(0);
    await away.reconnected();
    await settled();
    expect(late.told.reloads).toBe(1);
    await away.reconnected();
    await settled();
    expect(late.told.reloads).toBe(1);
  });
  test("does nothing when nothing was called, nor for what was called before it began", async () => {
    const open = deployment();
    await (await listening(open())).call();
    const away = cutOff(open());
    const late = await listening(away.stores);
    await away.reconnected();
    await settled();
    expect(late.told.reloads).toBe(0);
  });
});

test("a store that is away is said, and the call goes out on the feed all the same", async () => {
  const open = deployment();
  const gone = () => Promise.reject(new GatewayError("STORAGE_UNAVAILABLE", { handle: "kv" }));
  const { feed } = open();
  const [caller, other] = [
    await listening({ feed, kv: { get: gone, set: gone, add: gone, renew: gone, delete: gone } }),
    await listening(open()),
  ];
  await caller.call();
  expect(other.told.reloads).toBe(1);
  expect(caller.told.lines).toEqual(["generation.call", "generation.call"]);
});
