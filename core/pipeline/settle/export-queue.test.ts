/** What waits for a store that is away or slow: on disk, in order, in bounded room; bodies are given up before records, and both are told. */
import { afterAll, describe, expect, test } from "bun:test";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Exporter, GatewayError, type Outcome } from "#contract";
import { outcomeOf } from "#kit";
import { until } from "../../../tests/e2e/process.ts";
import { ExportQueue } from "./export-queue.ts";
import { QUEUE_LIMITS, type QueueLimits } from "./export-room.ts";
import { openSpools, type Spools } from "./spool/spools.ts";

const root = mkdtempSync(join(tmpdir(), "gateway-spool-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const folder = (): string => join(root, crypto.randomUUID());
const MB = 1024 * 1024;
const QUICK: QueueLimits = { ...QUEUE_LIMITS, flushMs: 1, retryMs: 5, maxRetryMs: 20 };

interface Row {
  readonly id: string;
  readonly response: string | null;
}
const away = (): GatewayError => new GatewayError("STORAGE_UNAVAILABLE", { handle: "logs" });

/** A store that can be away, refuse a row, or never answer. */
function store() {
  const rows: Row[] = [];
  const state = { away: false, refuses: "", hold: Promise.resolve() };
  const exporter: Exporter = {
    record: ({ call, bodies }) => ({ id: call.id, response: bodies?.response ?? null }),
    withoutBodies: (row) => ({ ...row, response: null }),
    async write(batch) {
      await state.hold;
      if (state.away) throw away();
      if ((batch as readonly Row[]).some(({ id }) => id === state.refuses)) throw new Error("this row cannot be stored");
      rows.push(...(batch as readonly Row[]));
    },
  };
  return { rows, state, exporter };
}
const told = (number: number, response = "said"): Outcome => {
  const outcome = outcomeOf();
  return {
    ...outcome,
    call: { ...outcome.call, id: `r${number}` },
    bodies: { request: null, upstreamUrl: null, upstreamRequest: null, truncated: false, response },
  };
};
const ids = (count: number, from = 0): string[] => Array.from({ length: count }, (_, at) => `r${from + at}`);
const addAll = (queue: ExportQueue, count: number, from = 0, response = "said"): void => {
  for (let at = from; at < from + count; at += 1) queue.add(told(at, response));
};
const spoolsIn = (dir: string, limitBytes = 64 * MB): Promise<Spools> =>
  openSpools({ dir, limitBytes, log: () => undefined, now: Date.now, beatMs: 20 });

function queueOf(exporter: Exporter, spools?: Spools, limits = QUICK) {
  const lines: string[] = [];
  const queue = new ExportQueue({
    name: "exporter/test",
    exporter,
    log: (level, event) => void lines.push(`${level} ${event}`),
    now: Date.now,
    spool: spools?.of("exporter/test"),
    limits,
  });
  return { queue, lines };
}
const filesIn = (dir: string): string[] =>
  (existsSync(dir) ? (readdirSync(dir, { recursive: true }) as string[]) : []).filter((file) => file.endsWith(".jsonl"));

describe("while the store is away", () => {
  test("records wait on disk, and are written in order when it is back, with those that came meanwhile", async () => {
    const { rows, state, exporter } = store();
    const dir = folder();
    const spools = await spoolsIn(dir);
    const { queue, lines } = queueOf(exporter, spools);
    addAll(queue, 10);
    await queue.flush();
    state.away = true;
    addAll(queue, 500, 10);
    await until("they are on disk", () => queue.waitingRecords === 0 && queue.diskBytes > 0);
    expect(queue.health()).toMatchObject({ degraded: [expect.stringContaining("could not be reached")], detail: { waiting_records: 0 } });
    addAll(queue, 500, 510);
    state.away = false;
    await until("all were written", () => rows.length === 1010);
    expect(rows.map(({ id }) => id)).toEqual(ids(1010));
    await until("the disk is given back", () => filesIn(dir).length === 0);
    await until("it is over", () => lines.length === 2);
    expect(lines).toEqual(["warn export.waiting", "info export.caught_up"]);
    expect(queue.health().degraded).toEqual([]);
    await queue.close();
    await spools.close();
    expect(readdirSync(dir)).toEqual([]);
  });
  test("a second outage is told like the first", async () => {
    const { rows, state, exporter } = store();
    const { queue, lines } = queueOf(exporter, await spoolsIn(folder()));
    for (const round of [0, 1]) {
      state.away = true;
      addAll(queue, 100, round * 100);
      await until("they are on disk", () => queue.waitingRecords === 0 && queue.diskBytes > 0);
      state.away = false;
      await until("all were written", () => rows.length === (round + 1) * 100 && lines.length === (round + 1) * 2);
    }
    expect(rows.map(({ id }) => id)).toEqual(ids(200));
    expect(lines).toEqual(["warn export.waiting", "info export.caught_up", "warn export.waiting", "info export.caught_up"]);
  });
  test("nobody but the gateway's own user may read what waits", async () => {
    const { state, exporter } = store();
    const dir = folder();
    const { queue } = queueOf(exporter, await spoolsIn(dir));
    state.away = true;
    addAll(queue, 10);
    await until("they are on disk", () => queue.diskBytes > 0);
    for (const name of ["", ...(readdirSync(dir, { recursive: true }) as string[])]) {
      const { mode } = statSync(join(dir, name));
      expect([name, mode & 0o077]).toEqual([name, 0]);
    }
  });
  test("what is left when the process ends waits for the next one, and nothing is there twice that must not be", async () => {
    const { rows, state, exporter } = store();
    const dir = folder();
    const spools = await spoolsIn(dir);
    const { queue } = queueOf(exporter, spools);
    state.away = true;
    addAll(queue, 300);
    await queue.close();
    await spools.close();
    expect(queue.failedRecords).toBe(0);
    state.away = false;
    const next = queueOf(exporter, await spoolsIn(dir));
    next.queue.wake();
    await until("they were written", () => rows.length === 300);
    expect(rows.map(({ id }) => id)).toEqual(ids(300));
  });
});

test("a store that is slower than traffic does not fill the memory: what is too much goes to disk", async () => {
  const { rows, state, exporter } = store();
  const released = Promise.withResolvers<void>();
  state.hold = released.promise;
  const { queue } = queueOf(exporter, await spoolsIn(folder()), { ...QUICK, maxRecords: 400, spillFrom: 0.25 });
  for (let from = 0; from < 5_000; from += 50) {
    addAll(queue, 50, from);
    await until("what is too much is on disk", () => queue.waitingRecords <= 200); // however slow the disk is; the store takes nothing
  }
  expect(queue.droppedRecords).toBe(0);
  released.resolve();
  await until("all were written", () => rows.length === 5_000);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(5_000);
});

describe("where room is short", () => {
  test("bodies are given up before records, records only when even those do not fit, and each is told once", async () => {
    const { rows, state, exporter } = store();
    const { queue, lines } = queueOf(exporter, await spoolsIn(folder(), 1 * MB));
    state.away = true;
    const long = "x".repeat(10_000);
    for (let from = 0; from < 40_000; from += 200) {
      addAll(queue, 200, from, long);
      await new Promise((resolve) => setImmediate(resolve));
      if (queue.droppedRecords > 0) break;
      await until("the memory is empty", () => queue.waitingRecords === 0);
    }
    expect(queue.droppedRecords).toBeGreaterThan(0);
    expect(queue.diskBytes).toBeLessThanOrEqual(1 * MB);
    expect(queue.health().degraded.join()).toMatch(/Bodies of records are given up.*Records are given up/s);
    const { droppedBodies, droppedRecords } = queue;
    state.away = false;
    await until("what was kept was written", () => lines.includes("info export.caught_up"));
    const whole = rows.filter(({ response }) => response !== null).length;
    expect(whole).toBeGreaterThan(50);
    expect(rows.findIndex(({ response }) => response === null)).toBe(whole); // the first ones are whole, the others without bodies
    expect(rows.length - whole).toBeGreaterThan(1_000);
    expect(droppedBodies).toBeGreaterThanOrEqual(rows.length - whole);
    expect(droppedRecords).toBeGreaterThan(0);
    expect(lines).toEqual(["warn export.waiting", "warn export.bodies_given_up", "error export.records_given_up", "info export.caught_up"]);
  });
  test.each([
    ["there is no spool", undefined],
    ["its folder cannot be made", "a file stands in its place"],
  ])("memory is bounded in bytes and in records where %s", async (_, file) => {
    const { rows, state, exporter } = store();
    const dir = folder();
    if (file) writeFileSync(dir, file);
    const spools = file ? await spoolsIn(dir) : undefined;
    const { queue, lines } = queueOf(exporter, spools, { ...QUICK, maxRecords: 1_000, maxBytes: 4 * MB, spillFrom: 0.25 });
    state.away = true;
    for (let from = 0; from < 2_000; from += 100) {
      addAll(queue, 100, from, "x".repeat(50_000));
      await new Promise((resolve) => setTimeout(resolve, 2));
      expect(queue.waitingBytes).toBeLessThanOrEqual(4 * MB);
      expect(queue.waitingRecords).toBeLessThanOrEqual(1_000);
    }
    expect([queue.droppedBodies > 0, queue.droppedRecords > 0]).toEqual([true, true]);
    if (spools) expect(spools.health().degraded.join()).toContain("cannot be written");
    if (file) expect(lines).toContain("warn export.memory_only");
    state.away = false;
    await until("what was kept was written", () => rows.length + queue.droppedRecords === 2_000);
  });
});

test("a record that the store refuses is counted, and takes no other along", async () => {
  const { rows, state, exporter } = store();
  state.refuses = "r33";
  for (const spools of [undefined, await spoolsIn(folder())]) {
    rows.length = 0;
    const { queue, lines } = queueOf(exporter, spools);
    state.away = spools !== undefined;
    addAll(queue, 100);
    if (spools) await until("they are on disk", () => queue.waitingRecords === 0);
    state.away = false;
    await until("the others were written", () => rows.length === 99 && queue.diskBytes === 0);
    expect(queue.failedRecords).toBe(1);
    expect(lines.filter((line) => line === "error export failed")).toHaveLength(1);
  }
});

describe("what a killed process left", () => {
  /** A folder as a process leaves it that was killed while it wrote a line. */
  function deadFolder(dir: string, rows: number): void {
    const place = join(dir, "dead", encodeURIComponent("exporter/test"));
    mkdirSync(place, { recursive: true });
    writeFileSync(join(dir, "dead", "alive"), "");
    const lines = ids(rows).map((id) => JSON.stringify({ id, response: "said" }));
    writeFileSync(join(place, "000000000000000-0.jsonl"), ""); // killed before its first line
    writeFileSync(join(place, "000000000000001-a.jsonl"), `${lines.slice(0, rows / 2).join("\n")}\n{"id":"spoi\n`);
    writeFileSync(join(place, "000000000000002-b.jsonl"), `${lines.slice(rows / 2).join("\n")}\n`);
    appendFileSync(join(place, "000000000000002-b.jsonl"), '{"id":"torn","respon');
  }
  test("is written by exactly one of those that are alive, without the line that is half there", async () => {
    const dir = folder();
    deadFolder(dir, 200);
    const { rows, exporter } = store();
    const living = await Promise.all(Array.from({ length: 4 }, () => spoolsIn(dir)));
    const queues = living.map((spools) => {
      const { queue } = queueOf(exporter, spools);
      spools.onBeat(() => queue.wake());
      return queue;
    });
    await until("they were written", () => rows.length >= 200);
    await Promise.all(queues.map((queue) => queue.close()));
    await Promise.all(living.map((spools) => spools.close()));
    expect(rows.map(({ id }) => id)).toEqual(ids(200));
    expect(readdirSync(dir)).toEqual([]);
  });
  test("is not taken from one that is alive", async () => {
    const dir = folder();
    const { state, exporter, rows } = store();
    state.away = true;
    const first = await spoolsIn(dir);
    const { queue } = queueOf(exporter, first);
    addAll(queue, 50);
    await until("they are on disk", () => queue.diskBytes > 0 && queue.waitingRecords === 0);
    const second = await spoolsIn(dir);
    for (let beats = 0; beats < 20; beats += 1) await second.beat();
    expect(second.of("exporter/test").bytes).toBe(0);
    state.away = false;
    await until("its own process writes them", () => rows.length === 50);
  });
  test("of a folder that somebody deleted is told, and the process goes on in a new one", async () => {
    const dir = folder();
    const { state, exporter, rows } = store();
    state.away = true;
    const spools = await spoolsIn(dir);
    const { queue } = queueOf(exporter, spools);
    addAll(queue, 50);
    await until("they are on disk", () => queue.diskBytes > 0 && queue.waitingRecords === 0);
    rmSync(dir, { recursive: true });
    await spools.beat();
    addAll(queue, 50, 50);
    await until("they are on disk", () => filesIn(dir).length > 0 && queue.waitingRecords === 0);
    state.away = false;
    await until("the later ones are written", () => rows.length === 50);
    expect(rows.map(({ id }) => id)).toEqual(ids(50, 50));
  });
});
