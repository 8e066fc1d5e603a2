import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { until } from "../../tests/e2e/process.ts";
import { type PipedChild, spawnPiped } from "../platform.ts";
import { jsonFrame } from "./frames.ts";
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
    await until("its process is there, however long it takes to start", async () => kindOf(await pool.elsewhere(work())) === "verdict");
    const before = pool.counts().busy;
    const all = await Promise.all(Array.from({ length: 120 }, () => pool.elsewhere(heavy())));
    const kinds = all.map(kindOf);
    expect(new Set(kinds).size).toBe(2);
    expect(kinds).toContain("busy");
    expect(pool.counts().busy - before + pool.counts().budget).toBe(120);
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

/** A process whose every step the test decides: what it says, and when it ends after it was killed. */
class Puppet implements PipedChild {
  readonly pid = 2 ** 30; // no system has it
  killed = false;
  private readonly ending = Promise.withResolvers<number>();
  readonly exited = this.ending.promise;
  private readonly pipe = new TransformStream<Uint8Array, Uint8Array>();
  private readonly writer = this.pipe.writable.getWriter();
  readonly output = this.pipe.readable as unknown as AsyncIterable<Uint8Array>; // the web's streams can be iterated here
  private frames = 0;
  constructor(private readonly does: { readonly answers: boolean; readonly lingers?: boolean }) {
    this.say({ kind: "ready" });
  }
  async write(): Promise<void> {
    this.frames += 1;
    if (this.does.answers && this.frames % 3 === 0) this.say({ kind: "verdict", verdict: { verdict: true }, data: false }); // head, parameters, text
  }
  kill(): void {
    this.killed = true;
    if (!this.does.lingers) this.end();
  }
  end(): void {
    this.ending.resolve(137);
  }
  private say(head: object): void {
    void this.writer.write(jsonFrame(JSON.stringify(head)));
  }
}

test("that cannot start another process does not try again and again: what waits is done when it can", async () => {
  let starts = 0;
  let refused = true;
  const start = (): PipedChild => {
    starts += 1;
    if (starts > 2 && refused) throw new Error("no more processes");
    return new Puppet({ answers: starts > 2 });
  };
  const pool = poolOf({ processes: 4, start });
  const busy = ["a", "b"].map((tenant) => pool.elsewhere(work({ tenant })));
  await until("both are under way", () => pool.counts().started === 2 && pool.state.waiting === 0);
  const waiting = pool.elsewhere(work({ tenant: "c" }));
  const more = pool.elsewhere(work({ tenant: "d" }));
  expect([starts, pool.state]).toEqual([3, { processes: 2, waiting: 2 }]);
  expect(pool.health().degraded).toEqual([expect.stringContaining("no more processes")]);
  refused = false;
  expect((await Promise.all([waiting, more])).map(kindOf)).toEqual(["verdict", "verdict"]);
  expect(starts).toBeLessThanOrEqual(5);
  expect(pool.health().degraded).toEqual([]);
  await pool.close();
  await Promise.all(busy);
}, 20_000);

test("work that comes while an idle process ends is another's", async () => {
  const puppets: Puppet[] = [];
  const pool = poolOf({ idleMs: 5, start: () => puppets[puppets.push(new Puppet({ answers: true, lingers: true })) - 1] as Puppet });
  expect(kindOf(await pool.elsewhere(work()))).toBe("verdict");
  await until("the idle process was killed", () => puppets[0]?.killed === true);
  const next = pool.elsewhere(work());
  puppets[0]?.end();
  expect(kindOf(await next)).toBe("verdict");
  expect(puppets.length).toBe(2);
  await until("the second was killed", () => puppets[1]?.killed === true);
  puppets[1]?.end();
  await until("nothing is left", () => pool.state.processes === 0);
}, 20_000);

describe("a pack of a vendor", () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-pack-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const packOf = (name: string, setup: string, run = ""): Work["pack"] => {
    const path = join(folder, `${name}.js`);
    const check = `{ id: "default.jsonSchema", run() { ${run}; return { verdict: true }; } }`;
    writeFileSync(
      path,
      `${run};\nexport default { config: { type: "object" }, setup() { ${setup}; return { provides: { checks: [${check}] } }; } };`,
    );
    return { name: `guardrail/${name}`, module: { path, version: "1" } };
  };

  test("may write to its standard output, when it is loaded and when it runs: the answers are not lost in it", async () => {
    const talk = `for (const say of ["log", "info", "debug", "table", "dir", "group", "groupEnd", "count", "warn", "error", "trace"]) console[say]({ a: 1 }); process.stdout.write("word")`;
    const pool = poolOf({ processes: 1 });
    const pack = packOf("talkative", talk, talk);
    for (let at = 0; at < 3; at += 1)
      expect(await pool.elsewhere(work({ pack }))).toMatchObject({ kind: "verdict", verdict: { verdict: true } });
    expect(pool.counts().started).toBe(1);
  }, 20_000);

  test("that could not be set up once is set up with the next work", async () => {
    const flag = join(folder, "there");
    const pack = packOf("late", `if (!require("node:fs").existsSync(${JSON.stringify(flag)})) throw new Error("not yet")`);
    const pool = poolOf({ processes: 1 });
    expect(await pool.elsewhere(work({ pack }))).toMatchObject({ class: "crash", message: "not yet" });
    writeFileSync(flag, "");
    expect(kindOf(await pool.elsewhere(work({ pack })))).toBe("verdict");
    expect(pool.counts().started).toBe(1);
  }, 20_000);
});
