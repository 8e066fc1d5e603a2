import { expect, test } from "bun:test";
import { AT, MAX_PLUGINS } from "./marks.ts";
import { StallWatch } from "./stall-watch.ts";

const LATE = 1_000;
function watched() {
  const marks = new Int32Array(AT.open + MAX_PLUGINS);
  const names = new Map([
    [0, "(the gateway itself)"],
    [1, "guardrail/slow"],
    [2, "policy/other"],
  ]);
  const watch = new StallWatch(marks, names, { lateMs: LATE }, 0);
  /** Ticks every 50 ms until `to`; the main thread beats as long as `beats`. */
  let now = 0;
  const run = (to: number, beats: boolean) => {
    const told = [];
    for (; now < to; ) {
      now += 50;
      if (beats) marks[AT.beat] = (marks[AT.beat] ?? 0) + 1;
      const report = watch.tick(now, 7);
      if (report) told.push(report);
    }
    return told;
  };
  return { marks, run, watch };
}

test("a thread that beats is left alone", () => expect(watched().run(10_000, true)).toEqual([]));

test("a stall is told with doubling intervals, and its end with its length", () => {
  const { marks, run } = watched();
  run(500, true);
  marks[AT.entered] = 1;
  marks[AT.open + 2] = 3;
  const told = run(500 + 9_000, false);
  expect(told.map(({ event, ms }) => [event, ms])).toEqual([
    ["event_loop.stalled", 1_000],
    ["event_loop.stalled", 2_000],
    ["event_loop.stalled", 4_000],
    ["event_loop.stalled", 8_000],
  ]);
  expect(told[0]).toMatchObject({ plugin: "guardrail/slow", open: { "policy/other": 3 } });
  marks[AT.entered] = 2; // it went on into another plugin
  expect(run(9_600, true)).toMatchObject([{ event: "event_loop.recovered", plugin: "guardrail/slow" }]);
  expect([marks[AT.stalls], marks[AT.lastPlugin]]).toEqual([1, 1]);
  expect(marks[AT.stalledMs]).toBeGreaterThanOrEqual(9_000);
});

test("a process that stood still as a whole is no stall", () => {
  const { run, watch, marks } = watched();
  run(500, true);
  expect(watch.tick(60_000, 7)).toBeUndefined();
  expect(watch.tick(60_050, 7)).toBeUndefined();
  expect(marks[AT.stalls]).toBe(0);
});
