import { expect, test } from "bun:test";
import { definePlugin, GatewayError, type Job, type KeyValue, type Storage } from "#contract";
import { Type } from "@sinclair/typebox";
import { bootWith, stateIn } from "../../../tests/kit/deployment.ts";
import { connectMemory } from "../../../storage/memory/index.ts";
import { emptyData } from "../../../storage/memory/data.ts";
import { until } from "../../../tests/servers/until.ts";
import { JobRunner } from "./job-runner.ts";
import { takeLease } from "./lease.ts";

const kvOf = (storage: Storage): KeyValue => {
  if (!storage.kv) throw new Error("memory has keys");
  return storage.kv;
};
/** Processes of one deployment. */
const deployment = () => {
  const data = emptyData();
  return () => kvOf(connectMemory(data, { log: () => undefined, now: Date.now }).provides);
};

function runnerOf(job: Partial<Job>, kv: KeyValue = deployment()()) {
  const lines: string[] = [];
  const log = (level: string, event: string): void => void lines.push(`${level} ${event}`);
  const runner = new JobRunner({
    plugin: "api/kit",
    mark: 0,
    job: { id: "tidy", everyMs: 5, runs: "each", run: async () => undefined, ...job },
    kv,
    log,
    redact: (text) => text,
    now: Date.now,
  });
  return { runner, lines };
}

test("a job of each process runs again and again, and not any more once it is stopped", async () => {
  let runs = 0;
  const { runner } = runnerOf({
    run: async () => {
      runs += 1;
    },
  });
  runner.start();
  await until("three runs", 5_000, () => runs >= 3);
  await runner.stop();
  const atStop = runs;
  let others = 0;
  const other = runnerOf({ run: async () => void (others += 1) }).runner;
  other.start();
  await until("three runs of another", 5_000, () => others >= 3);
  await other.stop();
  expect(runs).toBe(atStop);
  expect(runner.health()).toMatchObject({ degraded: [], detail: { runs: "each", running: false } });
});

test("of two processes one runs at a time, and once per interval for both", async () => {
  const connect = deployment();
  const work = Promise.withResolvers<void>();
  let [runs, now, most] = [0, 0, 0];
  const run = async (): Promise<void> => {
    runs += 1;
    now += 1;
    most = Math.max(most, now);
    await work.promise;
    now -= 1;
  };
  const asking = new Set<KeyValue>();
  const remembering = (kv: KeyValue): KeyValue => ({
    ...kv,
    add: (...lease) => {
      asking.add(kv);
      return kv.add(...lease);
    },
  });
  const runners = [connect(), connect()].map((kv) => runnerOf({ run, runs: "one", everyMs: 100 }, remembering(kv)).runner);
  const startedAt = performance.now();
  for (const runner of runners) runner.start();
  await until("both have asked whether it is their turn", 5_000, () => runs === 1 && asking.size === 2);
  work.resolve();
  await until("four runs", 5_000, () => runs >= 4);
  expect(performance.now() - startedAt).toBeGreaterThan(290);
  await Promise.all(runners.map((runner) => runner.stop()));
  expect(most).toBe(1);
});

test("a run is told to stop, and waited for", async () => {
  let ended = false;
  const begun = Promise.withResolvers<void>();
  const { runner, lines } = runnerOf({
    run: async (signal) => {
      begun.resolve();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      ended = true;
    },
  });
  runner.start();
  await begun.promise;
  await runner.stop();
  expect(ended).toBe(true);
  expect(lines).toEqual([]);
});

test("a job that fails is said to once, shown as degraded, and said to have recovered", async () => {
  let [runs, isFull] = [0, true];
  const { runner, lines } = runnerOf({
    run: async () => {
      runs += 1;
      if (isFull) throw new Error("no room");
    },
  });
  runner.start();
  await until("the third failure", 5_000, () => runs >= 3);
  expect(runner.health().degraded.join()).toContain("api/kit:tidy fails, and is tried again within a minute: no room");
  isFull = false;
  await until("a run that worked", 5_000, () => runner.health().degraded.length === 0);
  expect(lines).toEqual(["warn job.failed", "info job.recovered"]);
  expect(runner.health().degraded).toEqual([]);
  await runner.stop();
});

test("while the store is away, what runs in one process does not run", async () => {
  const gone = new GatewayError("STORAGE_UNAVAILABLE", { handle: "kv" });
  const away: KeyValue = { ...deployment()(), add: async () => Promise.reject(gone) };
  let runs = 0;
  const { runner, lines } = runnerOf({ runs: "one", run: async () => void (runs += 1) }, away);
  runner.start();
  await until("it is told", 5_000, () => runner.health().detail?.["waits_for_store"] === true);
  await runner.stop();
  expect([runs, lines, runner.health().degraded]).toEqual([0, [], []]); // the store is told, and not each job that waits for it
});

test("a lease is given back to others, and one that was lost says so", async () => {
  const connect = deployment();
  const [near, far] = [connect(), connect()];
  const first = await takeLease(near, "job");
  expect(await takeLease(far, "job")).toBeUndefined();
  await first?.release();
  const second = await takeLease(far, "job");
  expect(second).toBeDefined();
  await far.set("job", new Uint8Array([1])); // as if this process had stood still for longer than its lease lasts
  await until("the loss", 6_000, () => second?.lost.aborted === true);
  await second?.release();
  expect(await near.get("job")).toEqual(new Uint8Array([1]));
}, 10_000);

test("jobs run while their generation serves, and those of a shape that cannot run are refused", async () => {
  const plugin = (jobs: unknown) => ({
    manifest: { kind: "exporter" as const, id: "tidy" },
    module: () => ({
      default: definePlugin({
        kind: "exporter",
        config: Type.Object({}),
        needs: [],
        setup: () => ({ provides: { export: async () => undefined }, jobs: jobs as readonly Job[] }),
      }),
    }),
  });
  const begun = Promise.withResolvers<void>();
  const job = { id: "a", everyMs: 1_000, runs: "one", run: async () => begun.resolve() };
  const built = await bootWith([plugin([job])]);
  built.jobs.start();
  await begun.promise;
  await until("it is told", 5_000, () => built.generation.health().get("job/exporter/tidy:a")?.detail?.["runs_here"] === 1);
  await built.end();

  for (const jobs of [{}, [{ ...job, everyMs: 1 }], [{ ...job, id: "A b" }], [job, job], [{ ...job, runs: "two" }], [{ ...job, run: 1 }]]) {
    const refused = await bootWith([plugin(jobs)]);
    expect(stateIn(refused, "exporter/tidy")?.why).toContain("jobs");
    await refused.end();
  }
});
