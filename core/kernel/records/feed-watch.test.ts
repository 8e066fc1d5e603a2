import { afterEach, expect, jest, test } from "bun:test";
import type { Feed } from "#contract";
import { watchFeed } from "./feed-watch.ts";

afterEach(() => void jest.useRealTimers());

/** A feed whose sign of life can be kept back, watched on timers that move when told to. */
function watched() {
  jest.useFakeTimers();
  const state = { alive: true, asked: 0, silences: 0, events: [] as string[] };
  const feed: Feed = {
    publish: async () => undefined,
    subscribe: async () => async () => undefined,
    heartbeat: async () => {
      state.asked += 1;
      if (!state.alive) throw new Error("away");
    },
  };
  const watch = watchFeed({ feed, log: (_, event) => void state.events.push(event), onSilence: () => void (state.silences += 1) });
  /** Turns of the event loop, answers between them. */
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 250) {
      jest.advanceTimersByTime(250);
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    }
  };
  return { state, watch, pass };
}

test("a feed that nobody uses is not silent, and is asked once a second", async () => {
  const { state, watch, pass } = watched();
  await pass(60_000);
  expect({ heard: watch.heard, silences: state.silences, asked: state.asked }).toEqual({ heard: true, silences: 0, asked: 60 });
  expect(watch.health().degraded).toEqual([]);
  watch.close();
});

test("two seconds without a sign of life are silence, said once, and one sign ends it", async () => {
  const { state, watch, pass } = watched();
  await pass(1_000);
  state.alive = false;
  await pass(1_750);
  expect(watch.heard).toBe(true);
  await pass(250);
  expect({ heard: watch.heard, silences: state.silences }).toEqual({ heard: false, silences: 1 });
  expect(watch.health().degraded).toEqual([expect.stringContaining("The feed has been silent")]);
  await pass(20_000);
  expect(state.silences).toBe(1);
  state.alive = true;
  await pass(1_000);
  expect(watch.heard).toBe(true);
  expect(state.events).toEqual(["feed.silent", "feed.heard"]);
  state.alive = false;
  await pass(3_000);
  expect(state.silences).toBe(2);
  watch.close();
});

test("an event loop that stood still is not the feed's silence", async () => {
  const real = { silences: 0 };
  const feed: Feed = { publish: async () => undefined, subscribe: async () => async () => undefined, heartbeat: async () => undefined };
  const watch = watchFeed({ feed, log: () => undefined, onSilence: () => void (real.silences += 1) });
  const endsAt = performance.now() + 2_600;
  while (performance.now() < endsAt); // nothing else runs
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect({ heard: watch.heard, ...real }).toEqual({ heard: true, silences: 0 });
  watch.close();
});
