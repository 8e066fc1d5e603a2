import { afterEach, expect, test } from "bun:test";
import { AT, closed, entering, markOf, opened, sharedMarks } from "./marks.ts";
import { eventLoopHealth, stalls } from "./watchdog.ts";

const { marks } = sharedMarks;
afterEach(() => marks.fill(0));

test("a stall makes the event loop degraded, with the plugin and how long, until it is history", () => {
  expect(eventLoopHealth(0)).toMatchObject({ degraded: [], detail: { stalls: 0, last_plugin: null } });
  marks[AT.stalls] = 2;
  marks[AT.stalledMs] = 4_500;
  marks[AT.lastMs] = 3_000;
  marks[AT.lastAt] = 1_000;
  marks[AT.lastPlugin] = markOf("guardrail/watchdog-test");
  const { degraded, detail } = eventLoopHealth(1_000_500);
  expect(degraded).toEqual([expect.stringMatching(/3000 ms .*guardrail\/watchdog-test/)]);
  expect(detail).toEqual({ stalls: 2, stalled_ms: 4_500, last_plugin: "guardrail/watchdog-test", last_ms: 3_000 });
  expect(eventLoopHealth(1_000_000 + 301_000).degraded).toEqual([]);
  expect(stalls().count).toBe(2);
});

test("what was entered last and what is open stands in the shared memory", () => {
  const mark = markOf("policy/watchdog-test");
  entering(mark);
  opened(mark);
  opened(mark);
  closed(mark);
  expect([marks[AT.entered], marks[AT.open + mark], markOf("policy/watchdog-test")]).toEqual([mark, 1, mark]);
  entering(undefined);
  expect(marks[AT.entered]).toBe(0);
});
