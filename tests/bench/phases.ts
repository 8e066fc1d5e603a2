/** What is measured: phases, each played by all cells in turn, in bursts. */
import { type Loaded, load } from "./load.ts";
import { type Length, message, type Pace, type Proc, usageOf } from "./stage.ts";

export interface Phase {
  readonly stream: boolean;
  readonly length?: Length;
  readonly pace?: Pace;
  readonly connections: number;
  /** Requests of one burst. */
  readonly requests: number;
  readonly bursts: number;
  /** Played by those cells alone that play in nothing else. */
  readonly apart?: true;
}
/** Rounds of everything; a fraction makes a short run, whose figures say little. */
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 1);
const rounds = (bursts: number): number => Math.max(1, Math.round(bursts * ROUNDS));

export const PHASES = {
  whole: { stream: false, connections: 32, requests: 6_000, bursts: rounds(6) },
  long: { stream: false, length: "long", connections: 32, requests: 4_000, bursts: rounds(6) },
  single: { stream: false, connections: 1, requests: 100, bursts: rounds(20) },
  // Long enough for what is done behind requests to fall on some of them: the log's rows are made while others wait.
  saturated: { stream: false, connections: 1, requests: 2_000, bursts: rounds(5) },
  streams: { stream: true, connections: 16, requests: 150, bursts: rounds(6) },
  oneByOne: { stream: true, pace: "one-by-one", connections: 16, requests: 64, bursts: rounds(6) },
  // At one connection: under a load that takes all of the machine, the first token waits in line like everything else.
  singleStreams: { stream: true, connections: 1, requests: 5, bursts: rounds(10) },
  megabyte: { stream: false, length: "megabyte", connections: 4, requests: 40, bursts: rounds(4) },
  // Each client dialect over each wire: who translates, and what it costs beside bytes that pass.
  pairs: { stream: true, connections: 16, requests: 96, bursts: rounds(4), apart: true },
  // The same request with more and more checks.
  checks: { stream: false, connections: 32, requests: 4_000, bursts: rounds(6), apart: true },
} as const satisfies Record<string, Phase>;
export const phaseOf = (name: PhaseName): Phase => PHASES[name];
export type PhaseName = keyof typeof PHASES;

/** What is measured is the compiled code, not its compilation. */
export const WARM: readonly Phase[] = [
  { stream: false, connections: 32, requests: 2_000, bursts: Math.min(15, rounds(15)) },
  { stream: true, connections: 16, requests: 150, bursts: Math.min(15, rounds(15)) },
];

/** A process under one profile. */
export interface Cell {
  readonly name: string;
  readonly proc: Proc;
  readonly headers: Readonly<Record<string, string>>;
  /** The one phase that it plays in; without it, all. */
  readonly only?: PhaseName;
  /** What it asks, where that is not the phase's chat completion. */
  readonly asks?: { readonly path: string; readonly body: string };
}
export interface Played {
  /** Of the process, per request. */
  readonly cpuUs: number;
  readonly bursts: readonly Loaded[];
}

/** All cells in turn, again and again. */
export async function played(cells: readonly Cell[], phase: Phase): Promise<readonly Played[]> {
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

/** What a burst cost its process, with what follows on its heels: records are written behind their requests. */
async function measured(cell: Cell, phase: Phase): Promise<{ readonly cpuUs: number; readonly loaded: Loaded }> {
  const before = await usageOf(cell.proc.pid);
  const loaded = await burst(cell, phase);
  await new Promise((resolve) => setTimeout(resolve, BEHIND_MS));
  return { cpuUs: (await usageOf(cell.proc.pid)).cpuUs - before.cpuUs, loaded };
}
const BEHIND_MS = 50;

const burst = ({ proc, headers, asks }: Cell, { stream, length, pace, connections, requests }: Phase): Promise<Loaded> => {
  const { path, body } = asks ?? { path: "/v1/chat/completions", body: message(stream, length, pace) };
  return load({ url: `http://127.0.0.1:${proc.port}${path}`, headers, body, connections, requests });
};
