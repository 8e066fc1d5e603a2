import { afterEach, expect, jest, test } from "bun:test";
import type { Feed } from "#contract";
import { createAnnouncer } from "./announce.ts";

afterEach(() => void jest.useRealTimers());

test("changes beyond what is kept for a feed that is away are counted, and said once", async () => {
  jest.useFakeTimers();
  const state = { away: true, told: 0, lines: [] as unknown[] };
  const feed: Feed = {
    publish: async () => {
      if (state.away) throw new Error("away");
      state.told += 1;
    },
    subscribe: async () => async () => undefined,
    heartbeat: async () => undefined,
  };
  const announcer = createAnnouncer(feed, (level, event, fields) => void state.lines.push([level, event, fields]));
  for (let index = 0; index < 10_003; index += 1) await announcer.announce("things", `change ${index}`);
  await announcer.announce("things", "change 0"); // is kept already
  const dropped = (): readonly unknown[] => state.lines.filter((line) => (line as readonly unknown[])[1] === "feed.dropped");
  state.away = false;
  await announcer.announce("things", "later");
  await announcer.announce("things", "again");
  expect(dropped()).toEqual([["warn", "feed.dropped", { changes: 3, kept: 10_000 }]]);
  announcer.close();
  expect(dropped()).toHaveLength(1);
});

test("a feed that is away is said once, however many changes find it so, and once that it is back; each change is told then", async () => {
  jest.useFakeTimers();
  const state = { away: true, told: [] as string[], events: [] as string[] };
  const feed: Feed = {
    publish: async (_, message) => {
      if (state.away) throw new Error("away");
      state.told.push(message);
    },
    subscribe: async () => async () => undefined,
    heartbeat: async () => undefined,
  };
  const announcer = createAnnouncer(feed, (level, event) => void state.events.push(`${level} ${event}`));
  const pass = async (): Promise<void> => {
    jest.advanceTimersByTime(500);
    for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
  };
  const changes = Array.from({ length: 20 }, (_, index) => `change ${index}`);
  for (const change of changes) await announcer.announce("things", change);
  await pass();
  await pass();
  expect(state.events).toEqual(["warn feed.away"]);
  state.away = false;
  await pass();
  expect({ told: state.told, events: state.events }).toEqual({ told: changes, events: ["warn feed.away", "info feed.back"] });
  state.away = true;
  await announcer.announce("things", "later");
  expect(state.events.at(-1)).toBe("warn feed.away");
  announcer.close();
});
