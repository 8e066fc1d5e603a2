/** One spool, two queues: at every reload the old generation and the new one share what waits on disk. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Exporter, GatewayError, type Outcome } from "#contract";
import { outcomeOf } from "#kit";
import { until } from "../../../../tests/e2e/process.ts";
import { ExportQueue } from "../export-queue.ts";
import { QUEUE_LIMITS, type QueueLimits } from "../export-room.ts";
import { openSpools, type Spools } from "./spools.ts";

const root = mkdtempSync(join(tmpdir(), "gateway-readers-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const NAME = "exporter/test";
const HOUR_MS = 3_600_000;
/** Many small batches; a store that was away is asked again when the clock of the test says so. */
const SMALL: QueueLimits = { ...QUEUE_LIMITS, flushMs: HOUR_MS, retryMs: HOUR_MS, maxRetryMs: HOUR_MS, batchBytes: 500, batchesAtOnce: 3 };

interface Row {
  readonly id: string;
}
/** A store that is away until told otherwise, and answers when `hold` does. */
function store() {
  const rows: string[] = [];
  const state = { away: true, hold: Promise.resolve(), asked: 0 };
  const exporter: Exporter = {
    record: ({ call }) => ({ id: call.id, text: "x".repeat(20) }),
    withoutBodies: (row) => row,
    async write(batch) {
      state.asked += 1;
      await state.hold;
      if (state.away) throw new GatewayError("STORAGE_UNAVAILABLE", { handle: "logs" });
      rows.push(...(batch as readonly Row[]).map(({ id }) => id));
    },
  };
  return { rows, state, exporter };
}
async function spoolsHere(dir = join(root, crypto.randomUUID())) {
  const events: string[] = [];
  const spools = await openSpools({
    dir,
    limitBytes: 64 << 20,
    log: (level, event) => void events.push(`${level} ${event}`),
    now: Date.now,
  });
  return { dir, spools, events };
}
const queueOn = (spools: Spools, exporter: Exporter, now = Date.now): ExportQueue =>
  new ExportQueue({ name: NAME, exporter, log: () => undefined, now, spool: spools.of(NAME), limits: SMALL });
const told = (id: string): Outcome => {
  const outcome = outcomeOf();
  return { ...outcome, call: { ...outcome.call, id } };
};
const ids = (count: number, from = 0): string[] => Array.from({ length: count }, (_, at) => `r${from + at}`);
const addAll = (queue: ExportQueue, all: readonly string[]): void => all.forEach((id) => queue.add(told(id)));
/** A queue whose records wait on disk, as a store that is away leaves it. */
async function waiting(count: number) {
  const { rows, state, exporter } = store();
  const { spools, dir, events } = await spoolsHere();
  const clock = { now: Date.now() };
  const queue = queueOn(spools, exporter, () => clock.now);
  addAll(queue, ids(count));
  await queue.flush();
  expect([queue.waitingRecords, queue.diskBytes > 0]).toEqual([0, true]);
  clock.now += 2 * HOUR_MS;
  state.asked = 0;
  return { rows, state, exporter, spools, dir, events, queue };
}

test("two queues that are woken at once write every record, each one once", async () => {
  const { rows, state, exporter, spools, queue: old } = await waiting(300);
  const held = Promise.withResolvers<void>();
  state.hold = held.promise;
  state.away = false;
  const next = queueOn(spools, exporter);
  const flushed = Promise.all([old.flush(), next.flush()]);
  await until("the store was asked", () => state.asked > 0);
  held.resolve();
  await flushed;
  expect(rows).toEqual(ids(300));
  expect(spools.of(NAME).bytes).toBe(0);
});

test("what was read twice is forgotten once: the records behind it stay", async () => {
  const { spools, rows, queue } = await waiting(300);
  await queue.close(); // its records stay on disk
  const spool = spools.of(NAME);
  const [first, again] = await Promise.all([spool.oldest(500, 2), spool.oldest(500, 2)]);
  for (const batch of [...first, ...again]) await spool.forget(batch);
  const seen = first.flatMap((batch) => batch.records()).length;
  await queueOn(spools, storeOf(rows)).flush();
  expect(rows).toEqual(ids(300 - seen, seen));
});
const storeOf = (rows: string[]): Exporter => ({
  record: ({ call }) => ({ id: call.id }),
  withoutBodies: (row) => row,
  write: async (batch) => void rows.push(...(batch as readonly Row[]).map(({ id }) => id)),
});

test("while the old generation writes what is on disk, the new one writes its own, and goes on with the rest when that ends", async () => {
  const { rows, state, exporter, spools, queue: old } = await waiting(300);
  const held = Promise.withResolvers<void>();
  state.hold = held.promise;
  state.away = false;
  void old.flush();
  await until("the old one has asked", () => state.asked > 0);
  const next = queueOn(spools, exporter);
  addAll(next, ids(5, 300));
  const own = next.flush();
  const closed = old.close();
  held.resolve();
  await Promise.all([own, closed]);
  await next.flush();
  expect(rows.toSorted()).toEqual(ids(305).toSorted());
  expect(old.failedRecords + next.failedRecords).toBe(0);
});

test("a file that cannot be deleted is told once; what is in memory is not lost with it", async () => {
  const { rows, state, spools, dir, events, queue } = await waiting(10);
  const held = Promise.withResolvers<void>();
  state.hold = held.promise;
  state.away = false;
  const flushed = queue.flush();
  await until("the store was asked", () => state.asked > 0);
  const file = (readdirSync(dir, { recursive: true }) as string[]).find((name) => name.endsWith(".jsonl")) ?? "";
  rmSync(join(dir, file));
  mkdirSync(join(dir, file)); // a folder is not deleted like a file
  addAll(queue, ids(10, 10));
  const closed = queue.close();
  held.resolve();
  expect(await Promise.allSettled([flushed, closed])).toMatchObject([{ status: "fulfilled" }, { status: "fulfilled" }]);
  const next = queueOn(spools, storeOf(rows));
  await next.flush();
  expect(rows).toEqual(ids(20));
  expect(events.filter((event) => event === "warn spool.not_deleted")).toHaveLength(1);
  expect(queue.failedRecords).toBe(0);
});

describe("what another process has left on disk", () => {
  const left = (dir: string, lines: number): string => {
    const folder = join(dir, crypto.randomUUID());
    mkdirSync(join(folder, encodeURIComponent(NAME)), { recursive: true });
    writeFileSync(join(folder, encodeURIComponent(NAME), "1.jsonl"), `${JSON.stringify({ id: "left" })}\n`.repeat(lines));
    writeFileSync(join(folder, "alive"), "");
    return folder;
  };
  const openedAt = async (dir: string, now: () => number): Promise<Spools> =>
    openSpools({ dir, limitBytes: 64 << 20, log: () => undefined, now, beatMs: HOUR_MS });

  test("is told from the first moment, by queue and by part, though it is not taken over yet", async () => {
    const dir = join(root, crypto.randomUUID());
    left(dir, 80);
    const clock = { now: Date.now() };
    const spools = await openedAt(dir, () => clock.now);
    const bytes = 80 * `${JSON.stringify({ id: "left" })}\n`.length;
    const { rows, exporter } = store();
    const queue = queueOn(spools, exporter);
    expect(queue.diskBytes).toBe(bytes);
    expect(queue.health().detail).toMatchObject({ disk_bytes: bytes });
    expect(spools.health()).toEqual({
      degraded: [expect.stringContaining(`${bytes} bytes that a process left wait in ${dir}`)],
      detail: { bytes: 0, left_bytes: bytes, limit_bytes: 64 << 20 },
    });
    await queue.flush(); // nothing of its own to read: it must not go round in circles
    expect(rows).toEqual([]);
    await spools.beat();
    expect(queue.diskBytes).toBe(bytes); // nobody has shown that it lives
    clock.now += 6 * HOUR_MS;
    await spools.beat();
    expect(spools.health()).toMatchObject({ degraded: [], detail: { bytes, left_bytes: 0 } });
    expect(queue.diskBytes).toBe(bytes);
    await spools.close();
  });
  test("is no more told once that process has shown that it lives", async () => {
    const dir = join(root, crypto.randomUUID());
    const folder = left(dir, 10);
    const spools = await openedAt(dir, Date.now);
    expect(spools.health().degraded).toHaveLength(1);
    const later = Date.now() / 1000 + 1;
    utimesSync(join(folder, "alive"), later, later);
    await spools.beat();
    expect(spools.health()).toMatchObject({ degraded: [], detail: { left_bytes: 0 } });
    await spools.close();
  });
});
