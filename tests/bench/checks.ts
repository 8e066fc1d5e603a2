/** What text checks on a request of one kilobyte cost: the same request beside itself with 3, 10 and 40 of them. */
import type { Cell, Played } from "./phases.ts";
import { against } from "./report.ts";
import { configOf, gatewayHeaders, guardrailOf, type Proc } from "./stage.ts";

/** Each looks at the text, and finds nothing. */
const CHECKS: readonly object[] = [
  { id: "default.regexMatch", parameters: { rule: "forbidden-\\d+", not: true } },
  { id: "default.wordCount", parameters: { maxWords: 5_000 } },
  { id: "default.contains", parameters: { words: ["drop table"], operator: "none" } },
  { id: "default.characterCount", parameters: { maxCharacters: 100_000 } },
  { id: "default.sentenceCount", parameters: { maxSentences: 1_000 } },
  { id: "default.alluppercase", parameters: { not: true } },
  { id: "default.alllowercase", parameters: { not: true } },
  { id: "default.endsWith", parameters: { suffix: "forbidden", not: true } },
  { id: "default.containsCode", parameters: { format: "SQL", not: true } },
  { id: "default.contains", parameters: { words: ["one", "word", "nobody", "says"], operator: "none" } },
];
const COUNTS = [0, 3, 10, 40] as const;
/** Microseconds of CPU that three may add. */
const MOST_OF_THREE_US = 25;
const nameOf = (count: number): string => (count === 0 ? "without a check" : `${count} checks`);
const body = JSON.stringify({ model: "bench-1", messages: [{ role: "user", content: "Tell me about foxes, please. ".repeat(36) }] });

/** All of one gateway, which keeps no log. */
export const checkCells = (proc: Proc, upstreamPort: number): Promise<readonly Cell[]> =>
  Promise.all(COUNTS.map((count) => cellOf(proc, upstreamPort, count)));

async function cellOf(proc: Proc, upstreamPort: number, count: number): Promise<Cell> {
  const checks = Array.from({ length: count }, (_, at) => CHECKS[at % CHECKS.length] ?? {});
  const guardrails = count === 0 ? [] : [await guardrailOf(proc, nameOf(count), checks)];
  const { "x-gateway-custom-host": _host, ...headers } = gatewayHeaders("openai", upstreamPort);
  return {
    name: nameOf(count),
    proc,
    headers: { ...headers, "x-gateway-config": configOf(upstreamPort, guardrails) },
    only: "checks",
    asks: { path: "/v1/chat/completions", body },
  };
}

/** One row a number of checks. */
export function reportChecks(results: ReadonlyMap<string, Played> | undefined): void {
  if (results === undefined) return;
  const cpuUs = (count: number): number => results.get(nameOf(count))?.cpuUs ?? Number.NaN;
  const rows = COUNTS.map((count) => {
    const added = cpuUs(count) - cpuUs(0);
    const failed = results.get(nameOf(count))?.bursts.reduce((sum, burst) => sum + burst.failed, 0);
    const judged = count === 0 ? "" : against(count === 3 ? [added, MOST_OF_THREE_US] : [added]);
    return [nameOf(count), { "CPU µs/request": cpuUs(count).toFixed(0), "added µs": judged, failed }] as const;
  });
  console.table(Object.fromEntries(rows));
}
