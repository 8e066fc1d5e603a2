/**
 * `npm run bench`: a mock upstream, the floor and the gateway in one run. Ratios to the floor are what counts;
 * absolute times move with the machine. Profiles: `bare` (a provider header and a key) and `governed` (key with a
 * rate limit, a workspace policy, three guardrails, log store).
 */
import { type Load, type Loaded, load } from "./load.ts";
import { CHUNKS, message, onStage, type Proc, setUp, start, startGateway, startUpstream, usageOf } from "./stage.ts";

const REQUESTS = Number(process.env["BENCH_REQUESTS"] ?? 12_000);
const STREAMS = Number(process.env["BENCH_STREAMS"] ?? 300);
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 5);
const WARM_REQUESTS = 30_000;
const WARM_STREAMS = 300;

interface Row extends Loaded {
  readonly cpuUs: number;
}
async function measured(proc: Proc, what: Load): Promise<Row> {
  await load({ ...what, requests: Math.ceil(what.requests / 3) }); // one that was idle has given memory back, and takes it again first
  const before = await usageOf(proc.pid);
  const result = await load(what);
  const after = await usageOf(proc.pid);
  return { ...result, cpuUs: (after.cpuUs - before.cpuUs) / what.requests };
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

type Rows = ReadonlyMap<string, readonly Row[]>;
function report(names: readonly string[], whole: Rows, single: Rows, streams: Rows, singleStreams: Rows): void {
  // Whatever else the machine does is added to a reading and never taken from it.
  const least = (rows: Rows, name: string): number => Math.min(...(rows.get(name) ?? []).map((row) => row.cpuUs));
  const of = (rows: Rows, name: string, pick: (row: Row) => number): number => median((rows.get(name) ?? []).map(pick));
  const table = names.map((name) => ({
    profile: name,
    "CPU µs/request": least(whole, name).toFixed(0),
    "× floor": (least(whole, name) / least(whole, "floor")).toFixed(2),
    "requests/s": of(whole, name, (row) => row.perSecond).toFixed(0),
    "added p50 ms": (of(single, name, (row) => row.p50Ms) - of(single, "floor", (row) => row.p50Ms)).toFixed(3),
    "added p99 ms": (of(single, name, (row) => row.p99Ms) - of(single, "floor", (row) => row.p99Ms)).toFixed(3),
    "CPU µs/chunk": (least(streams, name) / CHUNKS).toFixed(1),
    "chunk × floor": (least(streams, name) / least(streams, "floor")).toFixed(2),
    // At one connection: under a load that takes all of the machine, the first token waits in line like everything else.
    "added TTFT ms": (of(singleStreams, name, (row) => row.firstP50Ms) - of(singleStreams, "floor", (row) => row.firstP50Ms)).toFixed(3),
    failed: [whole, single, streams, singleStreams].flatMap((rows) => rows.get(name) ?? []).reduce((sum, row) => sum + row.failed, 0),
  }));
  console.table(table);
  console.log("budgets: bare ≤ 1.5 × and governed ≤ 2.5 × the floor's CPU; added p50 ≤ 0.2 and 0.4 ms; chunk ≤ 1.3 ×");
}

await onStage(async (folder) => {
  const upstream = await startUpstream();
  const floor = await start(["tests/bench/floor.ts", String(upstream.port)]);
  const bare = await startGateway(upstream, folder("bare"), { plugins: { "exporter/logs": { enabled: false } } });
  const gateway = await startGateway(upstream, folder("governed"));
  const headers = await setUp(gateway, upstream.port);
  const idle = (await usageOf(gateway.pid)).rssMb;
  const cells = [
    { name: "floor", proc: floor, headers: {} as Record<string, string> },
    { name: "bare", proc: bare, headers: headers.bare },
    { name: "governed", proc: gateway, headers: headers.governed },
  ];
  const run = (cell: (typeof cells)[number], stream: boolean, connections: number, requests: number): Promise<Row> =>
    measured(cell.proc, {
      url: `http://127.0.0.1:${cell.proc.port}/v1/chat/completions`,
      headers: cell.headers,
      body: message(stream),
      connections,
      requests,
    });
  // What is measured is the compiled code, not its compilation.
  for (const cell of cells) {
    await run(cell, false, 32, Math.max(WARM_REQUESTS, REQUESTS));
    await run(cell, true, 16, Math.max(WARM_STREAMS, STREAMS));
  }

  const whole = new Map(cells.map(({ name }) => [name, [] as Row[]]));
  const single = new Map(cells.map(({ name }) => [name, [] as Row[]]));
  const streams = new Map(cells.map(({ name }) => [name, [] as Row[]]));
  const singleStreams = new Map(cells.map(({ name }) => [name, [] as Row[]]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const cell of cells) {
      whole.get(cell.name)?.push(await run(cell, false, 32, REQUESTS));
      single.get(cell.name)?.push(await run(cell, false, 1, Math.ceil(REQUESTS / 12)));
      streams.get(cell.name)?.push(await run(cell, true, 16, STREAMS));
      singleStreams.get(cell.name)?.push(await run(cell, true, 1, Math.ceil(STREAMS / 3)));
    }
    console.error(`round ${round + 1} of ${ROUNDS} done`);
  }
  report(
    cells.map(({ name }) => name),
    whole,
    single,
    streams,
    singleStreams,
  );
  console.log(`\nmemory of the gateway: ${idle.toFixed(0)} MB idle, ${(await usageOf(gateway.pid)).rssMb.toFixed(0)} MB after the load`);
});
