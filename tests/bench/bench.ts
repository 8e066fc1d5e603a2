/**
 * `npm run bench`: a mock upstream, the floor and the gateway in one run. Ratios to the floor are what counts;
 * absolute times move with the machine. Profiles: `bare` (a provider header and a key) and `governed` (key with a
 * rate limit, a workspace policy, three guardrails, log store).
 *
 * The profiles take turns in bursts, and a process's CPU is what it used during its own: whatever else the machine does
 * meanwhile falls on all of them alike. `npm run bench -- --against <folder>` lets another checkout of this project (with
 * its own node_modules) take turns too, so that a change is compared with the commit before it in one run.
 */
import { parseArgs } from "node:util";
import { type Loaded, load } from "./load.ts";
import { CHUNKS, type Length, message, onStage, type Proc, setUp, start, startGateway, startUpstream, usageOf } from "./stage.ts";

interface Phase {
  readonly stream: boolean;
  readonly length?: Length;
  readonly connections: number;
  /** Requests of one burst. */
  readonly requests: number;
  readonly bursts: number;
}
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 1);
const PHASES = {
  whole: { stream: false, connections: 32, requests: 6_000, bursts: 6 * ROUNDS },
  long: { stream: false, length: "long", connections: 32, requests: 4_000, bursts: 6 * ROUNDS },
  single: { stream: false, connections: 1, requests: 100, bursts: 20 * ROUNDS },
  streams: { stream: true, connections: 16, requests: 150, bursts: 6 * ROUNDS },
  // At one connection: under a load that takes all of the machine, the first token waits in line like everything else.
  singleStreams: { stream: true, connections: 1, requests: 5, bursts: 10 * ROUNDS },
} as const satisfies Record<string, Phase>;
/** What is measured is the compiled code, not its compilation. */
const WARM: readonly Phase[] = [
  { stream: false, connections: 32, requests: 2_000, bursts: 15 },
  { stream: true, connections: 16, requests: 150, bursts: 15 },
];

interface Cell {
  readonly name: string;
  readonly proc: Proc;
  readonly headers: Readonly<Record<string, string>>;
}
interface Played {
  readonly cpuUs: number;
  readonly bursts: readonly Loaded[];
}

const burst = ({ proc, headers }: Cell, { stream, length, connections, requests }: Phase): Promise<Loaded> =>
  load({ url: `http://127.0.0.1:${proc.port}/v1/chat/completions`, headers, body: message(stream, length), connections, requests });

/** What a burst cost its process, with what follows on its heels: records are written behind their requests. */
async function measured(cell: Cell, phase: Phase): Promise<{ readonly cpuUs: number; readonly loaded: Loaded }> {
  const before = await usageOf(cell.proc.pid);
  const loaded = await burst(cell, phase);
  await new Promise((resolve) => setTimeout(resolve, BEHIND_MS));
  return { cpuUs: (await usageOf(cell.proc.pid)).cpuUs - before.cpuUs, loaded };
}
const BEHIND_MS = 50;

/** All cells in turn, again and again. */
async function played(cells: readonly Cell[], phase: Phase): Promise<readonly Played[]> {
  const sums = cells.map(() => ({ cpuUs: 0, bursts: [] as Loaded[] }));
  for (let turn = 0; turn < phase.bursts; turn += 1)
    for (const [index, cell] of cells.entries()) {
      const { cpuUs, loaded } = await measured(cell, phase);
      const sum = sums[index];
      sum?.bursts.push(loaded);
      if (sum) sum.cpuUs += cpuUs / (phase.requests * phase.bursts);
    }
  return sums;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const typical = ({ bursts }: Played, pick: (burst: Loaded) => number): number => median(bursts.map(pick));

type Results = { readonly [P in keyof typeof PHASES]: readonly Played[] };

function report(cells: readonly Cell[], results: Results): void {
  const of = (phase: keyof Results, index: number): Played => results[phase][index] ?? { cpuUs: Number.NaN, bursts: [] };
  const ratio = (phase: keyof Results, index: number): string => (of(phase, index).cpuUs / of(phase, 0).cpuUs).toFixed(2);
  const added = (phase: keyof Results, index: number, pick: (burst: Loaded) => number): string =>
    (typical(of(phase, index), pick) - typical(of(phase, 0), pick)).toFixed(3);
  console.table(
    cells.map(({ name }, index) => ({
      profile: name,
      "CPU µs/request": of("whole", index).cpuUs.toFixed(0),
      "× floor": ratio("whole", index),
      "CPU µs, 2,000 tokens": of("long", index).cpuUs.toFixed(0),
      "× floor, 2,000 tokens": ratio("long", index),
      "requests/s": typical(of("whole", index), (row) => row.perSecond).toFixed(0),
      "added p50 ms": added("single", index, (row) => row.p50Ms),
      "added p99 ms": added("single", index, (row) => row.p99Ms),
      "CPU µs/chunk": (of("streams", index).cpuUs / CHUNKS).toFixed(1),
      "chunk × floor": ratio("streams", index),
      "added TTFT ms": added("singleStreams", index, (row) => row.firstP50Ms),
      failed: Object.values(results).reduce((sum, row) => sum + (row[index]?.bursts ?? []).reduce((all, { failed }) => all + failed, 0), 0),
    })),
  );
  console.log("guards: bare ≤ 2.0 × and governed ≤ 3.0 × the floor's CPU; chunk ≤ 1.3 × and 1.5 ×; added p50 ≤ 0.2 and 0.4 ms");
}

/** Both profiles of one checkout. */
async function cellsOf(tree: string, upstream: Proc, folder: (name: string) => string, suffix = ""): Promise<readonly Cell[]> {
  const bare = await startGateway(upstream, folder("bare"), { plugins: { "exporter/logs": { enabled: false } } }, tree);
  const governed = await startGateway(upstream, folder("governed"), {}, tree);
  const headers = await setUp(governed, upstream.port);
  return [
    { name: `bare${suffix}`, proc: bare, headers: headers.bare },
    { name: `governed${suffix}`, proc: governed, headers: headers.governed },
  ];
}

const { against } = parseArgs({ options: { against: { type: "string" } } }).values;

await onStage(async (folder) => {
  const upstream = await startUpstream();
  const floor = await start(["tests/bench/floor.ts", String(upstream.port)]);
  const now = await cellsOf(".", upstream, folder);
  const before = against === undefined ? [] : await cellsOf(against, upstream, folder, " before");
  const gateway = now[1]?.proc ?? floor;
  const idle = (await usageOf(gateway.pid)).rssMb;
  const cells: readonly Cell[] = [{ name: "floor", proc: floor, headers: {} }, ...now, ...before];
  for (const phase of WARM) await played(cells, phase);
  const results: Partial<Record<keyof Results, readonly Played[]>> = {};
  for (const [name, phase] of Object.entries(PHASES) as [keyof Results, Phase][]) {
    results[name] = await played(cells, phase);
    console.error(`${name}: ${phase.bursts} bursts of ${phase.requests} requests each`);
  }
  report(cells, results as Results); // each phase is played above
  console.log(`\nmemory of the gateway: ${idle.toFixed(0)} MB idle, ${(await usageOf(gateway.pid)).rssMb.toFixed(0)} MB after the load`);
});
