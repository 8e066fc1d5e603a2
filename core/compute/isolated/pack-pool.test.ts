import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { CheckInput } from "#contract";
import { spawnPiped } from "../../platform.ts";
import { TENANT } from "../tenant.ts";
import type { PackHost } from "./host-calls.ts";
import { nothingCounted } from "./pack-counts.ts";
import { PackPool } from "./pack-pool.ts";

const path = join(import.meta.dirname, "../../../tests/external/faulty/index.ts");
const logged: (readonly [level: string, event: string])[] = [];
let asked = 0;
const host: PackHost = {
  log: (level, event) => void logged.push([level, event]),
  now: Date.now,
  fetch: () => {
    asked += 1;
    return new Promise(() => undefined);
  },
};
const MB = 1024 * 1024;
const counts = nothingCounted();
const pool = new PackPool(
  { name: "guardrail/faulty", module: { path, version: "1" } },
  { processes: 2, busyMs: 400, memoryBytes: 512 * MB, startMs: 20_000, start: () => spawnPiped(["isolated"]) },
  counts,
);
beforeAll(async () => {
  await pool.load();
  await pool.start(host, {});
}, 30_000);
afterAll(() => pool.close());

const inputOf = (tenant: string, text: string): CheckInput<unknown> => ({
  ...{
    params: {},
    side: "input",
    text,
    segments: [],
    credential: null,
    now: 0,
    timeoutMs: 10_000,
    credentials: () => ({}),
    [TENANT]: tenant,
  },
  call: {
    ...{ requestType: "chatComplete", provider: null, model: null, traceId: "t", metadata: {}, streamed: false },
    ...{ request: null, response: null, status: null, header: () => null, headerNames: () => [] },
  },
  signal: new AbortController().signal,
  asker: undefined as never, // no isolated check has one
});
const judged = async (tenant: string, text: string): Promise<string> => {
  const answer = await pool.judge("faulty.does", inputOf(tenant, text)).catch((thrown: { errorClass: string }) => thrown.errorClass);
  return typeof answer === "string" ? answer : answer.verdict;
};

test("one tenant's checks that never end leave a process to the others, however many they are", async () => {
  expect(await judged("bad", "loop")).toBe("budget");
  const bad = Promise.all(Array.from({ length: 4 }, () => judged("bad", "loop")));
  const startedAt = performance.now();
  const good = await Promise.all(Array.from({ length: 10 }, () => judged("good", "slow")));
  const tookMs = performance.now() - startedAt;
  let isOver = false;
  void bad.then(() => {
    isOver = true;
  });
  expect(good).toEqual(good.map(() => "allow"));
  expect([isOver, tookMs < 10_000]).toEqual([false, true]); // the others were done before
  for (const error of await bad) expect(["budget", "busy"]).toContain(error); // what waits its whole time for a process is refused a place
}, 60_000);

test("a check that only waits keeps nobody of its workspace from theirs, not even after a fault", async () => {
  expect(await judged("waits", "exit")).toBe("budget");
  const leaving = new AbortController();
  const waiting = pool.judge("faulty.does", { ...inputOf("waits", "never"), signal: leaving.signal }).catch(() => "left");
  const good = await Promise.all(Array.from({ length: 5 }, () => judged("waits", "slow")));
  expect(good).toEqual(good.map(() => "allow"));
  leaving.abort();
  expect(await waiting).toBe("left");
}, 60_000);

test("a fault makes nobody of its workspace wait one behind the other", async () => {
  expect(await judged("hurries", "exit")).toBe("budget");
  const most = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const answer = await pool.judge("faulty.does", inputOf("hurries", "together"));
      return answer.verdict === "allow" ? Number((answer.data as { most: number }).most) : 0; // what the pack says
    }),
  );
  expect(Math.max(...most)).toBeGreaterThan(1);
}, 60_000);

test("what had nothing to do with it is judged again when its process is killed", async () => {
  const both = await Promise.all([judged("a", "loop later"), ...Array.from({ length: 4 }, () => judged("b", "slow"))]);
  expect(both).toEqual(["budget", "allow", "allow", "allow", "allow"]);
  expect(counts.ended.time).toBeGreaterThan(0);
}, 60_000);

test("a queue that is full refuses at once, and says so", async () => {
  const many = await Promise.all(Array.from({ length: 200 }, () => judged("many", "slow")));
  expect(new Set(many)).toEqual(new Set(["allow", "busy"]));
}, 60_000);

test("a call under the number of one that is under way ends the process: it would go round what bounds its calls", async () => {
  const before = counts.ended.output;
  expect(await judged("calls", "same call")).toBe("budget");
  expect([counts.ended.output, asked]).toEqual([before + 1, 1]);
}, 60_000);

test("what a process writes as log lines past its own budget is bounded here, too", async () => {
  logged.length = 0;
  expect(await judged("lines", "log lines")).toBe("allow");
  const lines = logged.filter(([, event]) => event !== "isolated.ended");
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.length).toBeLessThanOrEqual(200); // a second may end meanwhile
  expect(new Set(lines.map(([level, event]) => `${level} ${event}`))).toEqual(new Set(["info many"])); // none of the malformed, none too long
}, 60_000);
