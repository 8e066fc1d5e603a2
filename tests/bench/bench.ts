/**
 * `npm run bench`: a mock upstream, the floor and the gateway in one run. Ratios to the floor are what counts;
 * absolute times move with the machine. Profiles: `bare` (a provider header and a key) and `governed` (key with a
 * rate limit, a workspace policy, three guardrails, log store), and for the log's own share `governed` without it.
 *
 * The profiles take turns in bursts, and a process's CPU is what it used during its own: whatever else the machine does
 * meanwhile falls on all of them alike. `npm run bench -- --against <folder>` lets another checkout of this project (with
 * its own node_modules) take turns too, so that a change is compared with the commit before it in one run;
 * `--phase <name>`, once or more, plays those phases alone.
 */
import { parseArgs } from "node:util";
import { checkCells, reportChecks } from "./checks.ts";
import { pairCells, reportPairs } from "./pairs.ts";
import { type Cell, PHASES, type PhaseName, phaseOf, type Played, played, WARM } from "./phases.ts";
import { FLOOR, GOVERNED_LOG_OFF, report } from "./report.ts";
import { onStage, type Proc, setUp, start, startGateway, startUpstream, usageOf } from "./stage.ts";

const NO_LOG = { plugins: { "exporter/logs": { enabled: false } } };

/** The profiles of one checkout. */
async function cellsOf(tree: string, upstream: Proc, folder: (name: string) => string, suffix = ""): Promise<readonly Cell[]> {
  const bare = await startGateway(upstream, folder("bare"), NO_LOG, tree);
  const governed = await startGateway(upstream, folder("governed"), {}, tree);
  const quiet = await startGateway(upstream, folder("quiet"), NO_LOG, tree);
  const headers = await setUp(governed, upstream.port);
  return [
    { name: `bare${suffix}`, proc: bare, headers: headers.bare },
    { name: `governed${suffix}`, proc: governed, headers: headers.governed },
    { name: `${GOVERNED_LOG_OFF}${suffix}`, proc: quiet, headers: (await setUp(quiet, upstream.port)).governed, only: "saturated" },
  ];
}

const { against, phase: asked = [] } = parseArgs({
  options: { against: { type: "string" }, phase: { type: "string", multiple: true } },
}).values;
const unknown = asked.find((name) => !(name in PHASES));
if (unknown !== undefined) throw new Error(`There is no phase ${unknown}; the phases are ${Object.keys(PHASES).join(", ")}.`);

/** By cell name. */
async function playedBy(all: readonly Cell[], name: PhaseName): Promise<ReadonlyMap<string, Played>> {
  const cells = all.filter(({ only }) => (phaseOf(name).apart ? only === name : (only ?? name) === name));
  const results = await played(cells, PHASES[name]);
  console.error(`${name}: ${PHASES[name].bursts} bursts of ${PHASES[name].requests} requests each`);
  return new Map(cells.flatMap((cell, index) => (results[index] ? [[cell.name, results[index]] as const] : [])));
}

await onStage(async (folder) => {
  const upstream = await startUpstream();
  const floor = await start(["tests/bench/floor.ts", String(upstream.port)]);
  const now = await cellsOf(".", upstream, folder);
  const before = against === undefined ? [] : await cellsOf(against, upstream, folder, " before");
  const gateway = now[1]?.proc ?? floor;
  const idle = (await usageOf(gateway.pid)).rssMb;
  const cells: readonly Cell[] = [{ name: FLOOR, proc: floor, headers: {} }, ...now, ...before];
  const pairs = pairCells(now[0]?.proc ?? floor, upstream.port);
  const checks = await checkCells(now[0]?.proc ?? floor, upstream.port);
  for (const phase of WARM) await played(cells, phase);
  if (asked.length === 0 || asked.includes("pairs")) await played(pairs, { ...PHASES.pairs, bursts: 1 });
  if (asked.length === 0 || asked.includes("checks")) await played(checks, { ...PHASES.checks, bursts: 2 });
  const results = new Map<PhaseName, ReadonlyMap<string, Played>>();
  for (const name of Object.keys(PHASES) as PhaseName[]) // the keys of the table above
    if (asked.length === 0 || asked.includes(name)) results.set(name, await playedBy([...cells, ...pairs, ...checks], name));
  report(cells, results);
  reportPairs(results.get("pairs"));
  reportChecks(results.get("checks"));
  console.log(`\nmemory of the gateway: ${idle.toFixed(0)} MB idle, ${(await usageOf(gateway.pid)).rssMb.toFixed(0)} MB after the load`);
});
