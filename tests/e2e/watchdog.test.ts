/** A plugin that stands still is named while it does, by a thread that it cannot stop. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { ask, until } from "./process.ts";
import { startStuck, type StuckGateway } from "./stuck.ts";

let stuck: StuckGateway;
beforeAll(async () => {
  stuck = await startStuck();
}, 30_000);
afterAll(() => stuck.close());

interface Line {
  readonly time: string;
  readonly level: string;
  readonly event: string;
  readonly ms: number;
  readonly plugin: string;
  readonly open: Readonly<Record<string, number>>;
}
const lines = (event: string): readonly Line[] =>
  stuck.gateway
    .output()
    .split("\n")
    .filter((line) => line.includes(event))
    .map((line) => JSON.parse(line) as Line); // what the watchdog writes

const metric = async (name: string): Promise<number> =>
  Number(new RegExp(`^${name} (.*)$`, "m").exec((await ask(`${stuck.gateway.base}/metrics`, "GET", null)).text)?.[1]);

test("a loop in a plugin is told while it lasts, again as it goes on, and when it is over", async () => {
  const waiting = stuck.judged({ "stuck.waits": { ms: 4_000 } }, "wait");
  await until("the check that waits was asked", async () => (await metric("gateway_in_flight_requests")) > 0);
  let answered = false;
  const looping = stuck.judged({ "stuck.loop": { ms: 3_500 } }, "loop").finally(() => {
    answered = true;
  });
  const [first] = await until("the stall is told", () =>
    lines("event_loop.stalled").length > 0 ? lines("event_loop.stalled") : undefined,
  );
  expect(answered).toBe(false);
  expect(first).toMatchObject({ level: "error", plugin: "guardrail/stuck", open: { "guardrail/stuck": 1 } });
  expect(first?.ms).toBeGreaterThanOrEqual(1_000);
  expect((await looping).status).toBe(200);
  const [over] = await until("its end is told", () =>
    lines("event_loop.recovered").length > 0 ? lines("event_loop.recovered") : undefined,
  );
  expect(over).toMatchObject({ plugin: "guardrail/stuck" });
  expect(over?.ms).toBeGreaterThanOrEqual(3_000);
  expect(lines("event_loop.stalled").length).toBe(2); // after one second, and after two
  await waiting;
  expect(await metric("gateway_event_loop_stalls_total")).toBe(1);
  expect(await metric("gateway_event_loop_stalled_seconds_total")).toBeGreaterThanOrEqual(3);
}, 20_000);

test("what takes less than a second is nobody's stall", async () => {
  const before = await metric("gateway_event_loop_stalls_total");
  expect((await stuck.judged({ "stuck.loop": { ms: 300 } }, "loop")).status).toBe(200);
  expect(await metric("gateway_event_loop_stalls_total")).toBe(before);
});
