/** What the phases came to, beside the guards of the design: a change that breaks one is a regression. */
import type { Loaded } from "./load.ts";
import type { Cell, PhaseName, Played } from "./phases.ts";
import { CHUNKS } from "./stage.ts";

/** By cell name. A phase that was not played has no row. */
export type Results = ReadonlyMap<PhaseName, ReadonlyMap<string, Played>>;
type Pick = (burst: Loaded) => number;

export const FLOOR = "floor";
export const GOVERNED_LOG_OFF = "governed, log off";

export function report(cells: readonly Cell[], results: Results): void {
  const figures = figuresOf(results);
  console.table(bySide(cells.map(({ name }) => [name, column(name, figures)])));
  console.table(guards(figures));
}

type Column = Readonly<Record<string, string | number>>;
/** One row a figure, one column a profile. */
function bySide(columns: readonly (readonly [name: string, of: Column])[]): Readonly<Record<string, Column>> {
  const [[, first] = ["", {}]] = columns;
  return Object.fromEntries(
    Object.keys(first).map((figure) => [figure, Object.fromEntries(columns.map(([name, of]) => [name, of[figure] ?? ""]))]),
  );
}

type Figures = ReturnType<typeof figuresOf>;
/** Not a number where the cell did not play in the phase. */
function figuresOf(results: Results) {
  const of = (phase: PhaseName, name: string): Played => results.get(phase)?.get(name) ?? { cpuUs: Number.NaN, bursts: [] };
  const typical = (phase: PhaseName, name: string, pick: Pick): number => median(of(phase, name).bursts.map(pick));
  return {
    typical,
    cpuUs: (phase: PhaseName, name: string): number => of(phase, name).cpuUs,
    timesFloor: (phase: PhaseName, name: string): number => of(phase, name).cpuUs / of(phase, FLOOR).cpuUs,
    added: (phase: PhaseName, name: string, pick: Pick): number => typical(phase, name, pick) - typical(phase, FLOOR, pick),
    failed: (name: string): number =>
      [...results.keys()].flatMap((phase) => of(phase, name).bursts).reduce((sum, { failed }) => sum + failed, 0),
  };
}
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const column = (name: string, { cpuUs, timesFloor, typical, added, failed }: Figures): Column => ({
  "CPU µs/request": shown(cpuUs("whole", name), 0),
  "× floor": shown(timesFloor("whole", name), 2),
  "CPU µs, 2,000 tokens": shown(cpuUs("long", name), 0),
  "× floor, 2,000 tokens": shown(timesFloor("long", name), 2),
  "requests/s": shown(typical("whole", name, perSecond), 0),
  "added p50 ms, one connection": shown(added("single", name, p50), 3),
  "added p99 ms, one connection": shown(added("single", name, p99), 3),
  "p99 ms, one connection without a pause": shown(typical("saturated", name, p99), 3),
  "CPU µs/chunk": shown(cpuUs("streams", name) / CHUNKS, 1),
  "chunk × floor": shown(timesFloor("streams", name), 2),
  "CPU µs/chunk that comes alone": shown(cpuUs("oneByOne", name) / CHUNKS, 1),
  "chunk that comes alone × floor": shown(timesFloor("oneByOne", name), 2),
  "pieces in which such a stream arrives": shown(typical("oneByOne", name, reads), 0),
  "CPU ms, 1 MB": shown(cpuUs("megabyte", name) / 1_000, 2),
  "× floor, 1 MB": shown(timesFloor("megabyte", name), 2),
  "added TTFT ms": shown(added("singleStreams", name, firstP50), 3),
  failed: failed(name),
});
const perSecond: Pick = (burst) => burst.perSecond;
const p50: Pick = (burst) => burst.p50Ms;
const p99: Pick = (burst) => burst.p99Ms;
const firstP50: Pick = (burst) => burst.firstP50Ms;
const reads: Pick = (burst) => burst.readsP50;

/** One row a guard: what was measured, and the most it may be. */
const guards = ({ timesFloor, added, typical }: Figures) => [
  guard("CPU of a request, × floor", [timesFloor("whole", "bare"), 2.0], [timesFloor("whole", "governed"), 3.0]),
  guard("CPU of a chunk, × floor", [timesFloor("streams", "bare"), 1.3], [timesFloor("streams", "governed"), 1.5]),
  guard("CPU of a chunk that comes alone, × floor", [timesFloor("oneByOne", "bare")], [timesFloor("oneByOne", "governed")]),
  guard("added p50 at one connection, ms", [added("single", "bare", p50), 0.2], [added("single", "governed", p50), 0.4]),
  guard(
    "p99 at one connection, × the same with the log off",
    [Number.NaN],
    [typical("saturated", "governed", p99) / typical("saturated", GOVERNED_LOG_OFF, p99), 1.5],
  ),
];

type Measured = readonly [value: number, most?: number];
const guard = (what: string, bare: Measured, governed: Measured) => ({ guard: what, bare: against(bare), governed: against(governed) });

/** Five in a hundred are the machine's. */
const TOLERANCE = 1.05;
/** A figure beside the most it may be. */
export function against([value, most]: Measured): string {
  if (Number.isNaN(value)) return "";
  if (most === undefined) return `${shown(value, 2)} (no guard)`;
  return `${shown(value, 2)} ≤ ${most}: ${value <= most * TOLERANCE ? "holds" : "BROKEN"}`;
}

const shown = (value: number, digits: number): string => (Number.isNaN(value) ? "" : value.toFixed(digits));
