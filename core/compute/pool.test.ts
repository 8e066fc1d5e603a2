import { afterEach, describe, expect, test } from "bun:test";
import { until } from "../../tests/e2e/process.ts";
import { spawnPiped } from "../platform.ts";
import { ComputePool, type PoolOptions } from "./pool.ts";
import type { Answer, Work } from "./work.ts";

const pools: ComputePool[] = [];
afterEach(async () => void (await Promise.all(pools.splice(0).map((pool) => pool.close()))));
function poolOf(options: Partial<PoolOptions> = {}): ComputePool {
  const pool = new ComputePool({ processes: 2, deadlineMs: 1_000, log: () => undefined, ...options });
  pools.push(pool);
  return pool;
}

const work = (part: Partial<Work> = {}): Work => ({
  pack: { name: "guardrail/default" },
  check: "default.jsonSchema",
  ask: "run",
  params: { schema: { type: "array" }, not: false },
  side: "input",
  text: "[1]",
  now: 0,
  tenant: "a",
  deadlineMs: Infinity,
  signal: null,
  ...part,
});
const heavy = (part: Partial<Work> = {}): Work =>
  work({
    params: { schema: { uniqueItems: true }, not: false },
    text: JSON.stringify(Array.from({ length: 50_000 }, (_, i) => ({ i }))),
    ...part,
  });
const kindOf = (answer: Answer): string => (answer.kind === "failed" ? answer.class : answer.kind);

describe("the pool", () => {
  test("starts a process with the first work, goes on with it, and ends it when there is nothing to do", async () => {
    const pool = poolOf({ idleMs: 50 });
    expect(pool.state).toEqual({ processes: 0, waiting: 0 });
    expect(kindOf(await pool.elsewhere(work()))).toBe("verdict");
    expect([pool.state.processes, pool.counts().started]).toEqual([1, 1]);
    expect(kindOf(await pool.elsewhere(work()))).toBe("verdict");
    expect(pool.counts().started).toBe(1);
    await until("the idle process has ended", () => pool.state.processes === 0);
    expect(kindOf(await pool.elsewhere(work()))).toBe("verdict");
  }, 20_000);

  test("leaves a process to other tenants: the light work of one does not wait for the heavy work of another", async () => {
    const pool = poolOf({ waitMs: 100_000 });
    let heavyDone = 0;
    const attack = Array.from({ length: 8 }, () => pool.elsewhere(heavy()).then(() => (heavyDone += 1)));
    expect(kindOf(await pool.elsewhere(work({ tenant: "b" })))).toBe("verdict");
    expect(heavyDone).toBeLessThan(7);
    await pool.close();
    await Promise.all(attack);
  }, 60_000);

  test("refuses what finds no place, and what waited too long, as busy", async () => {
    const pool = poolOf({ processes: 1, waitMs: 100 });
    const all = await Promise.all(Array.from({ length: 120 }, () => pool.elsewhere(heavy())));
    const kinds = all.map(kindOf);
    expect(new Set(kinds).size).toBe(2);
    expect(kinds).toContain("busy");
    expect(pool.counts().busy + pool.counts().budget).toBe(120);
  }, 60_000);

  test("lets go of work whose client left, waiting or under way", async () => {
    const pool = poolOf({ processes: 1, deadlineMs: 20_000 });
    const gone = new AbortController();
    const running = pool.elsewhere(heavy({ signal: gone.signal }));
    const waiting = pool.elsewhere(heavy({ signal: gone.signal }));
    const next = pool.elsewhere(work({ tenant: "b" }));
    gone.abort();
    expect((await Promise.all([running, waiting])).map(kindOf)).toEqual(["unavailable", "unavailable"]);
    expect(kindOf(await next)).toBe("verdict");
    expect(kindOf(await pool.elsewhere(heavy({ signal: AbortSignal.abort() })))).toBe("unavailable");
    expect(pool.state.waiting).toBe(0);
  }, 20_000);

  test.each([
    [
      "throws",
      () => {
        throw new Error("no more processes");
      },
    ],
    ["ends at once", () => spawnPiped(["help"])],
  ])(
    "whose process %s says so, and refuses as busy",
    async (_, start) => {
      const said: string[] = [];
      const pool = poolOf({ start, log: (_level, event) => void said.push(event) });
      expect(kindOf(await pool.elsewhere(work()))).toBe("busy");
      expect(kindOf(await pool.elsewhere(work()))).toBe("busy");
      expect(said).toEqual(["compute.not_started"]);
      expect(pool.health().degraded).toEqual([expect.stringContaining("No process for checks")]);
    },
    20_000,
  );

  test("that closes refuses what waits and ends its processes", async () => {
    const pool = poolOf({ processes: 1, deadlineMs: 20_000 });
    const all = [pool.elsewhere(heavy()), pool.elsewhere(heavy()), pool.elsewhere(heavy())];
    await until("one is under way", () => pool.state.waiting === 2);
    await pool.close();
    expect((await Promise.all(all)).map(kindOf).sort()).toEqual(["budget", "busy", "busy"]);
    expect(pool.state).toEqual({ processes: 0, waiting: 0 });
    expect(kindOf(await pool.elsewhere(work()))).toBe("busy");
  }, 20_000);
});

test("a pack that this program does not have is a crash, not a budget", async () => {
  expect(kindOf(await poolOf().elsewhere(work({ pack: { name: "guardrail/none" } })))).toBe("crash");
}, 20_000);
