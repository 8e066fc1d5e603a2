import { type CheckResult, type GuardrailResults, inputTokens, type Outcome, outputTokens } from "#contract";

/* Counters of this process, kept for its metrics. Labels are ids of ours, never text of a client. */

export const requests = new Map<string, Map<string, Map<number, Endings>>>();
type Endings = { [E in Outcome["ended"]]: number };
export const BUCKETS_MS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000] as const;
/** What one provider did, or with the empty name: what no provider was asked. */
export interface Sums {
  /** Requests by duration: one for each bucket, and one for what took longer than all. */
  readonly durations: number[];
  durationMs: number;
  inputTokens: number;
  outputTokens: number;
  costCents: number;
}
export const sums = new Map<string, Sums>();
export const notKept = new Map<string, number>();
export const checkErrors = new Map<string, Map<string, number>>();

export function countRequest({ call, provider, status, ended, timing, usage, costCents, guardrails }: Outcome): void {
  const statuses = getOrMake(getOrMake(requests, call.operation, noProviders), provider ?? "", noStatuses);
  getOrMake(statuses, status, noEndings)[ended] += 1;
  const sum = getOrMake(sums, provider ?? "", noSums);
  countDuration(sum, timing.totalMs);
  if (usage) {
    sum.inputTokens += inputTokens(usage);
    sum.outputTokens += outputTokens(usage);
  }
  sum.costCents += costCents ?? 0;
  if (!mayHoldErrors(guardrails)) return;
  for (const { checks } of guardrails.input) for (const check of checks) if (check.error) countError(check, check.error);
  for (const { checks } of guardrails.output) for (const check of checks) if (check.error) countError(check, check.error);
}
/** Results that are still text are parsed only where an error stands in them: most requests have none. */
const mayHoldErrors = ({ text }: GuardrailResults): boolean => text === null || text.includes('"error":{');

/** An answer that its plugin was to keep, and did not. */
export const countNotKept = (operation: string): void => void notKept.set(operation, (notKept.get(operation) ?? 0) + 1);

function countDuration(sum: Sums, totalMs: number): void {
  let bucket = 0;
  while (bucket < BUCKETS_MS.length && totalMs > (BUCKETS_MS[bucket] ?? 0)) bucket += 1;
  sum.durations[bucket] = (sum.durations[bucket] ?? 0) + 1;
  sum.durationMs += totalMs;
}
function countError({ id }: CheckResult, { name }: NonNullable<CheckResult["error"]>): void {
  const errors = getOrMake(checkErrors, id, noErrors);
  errors.set(name, (errors.get(name) ?? 0) + 1);
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const made = make();
  map.set(key, made);
  return made;
}
const noProviders = (): Map<string, Map<number, Endings>> => new Map();
const noStatuses = (): Map<number, Endings> => new Map();
const noErrors = (): Map<string, number> => new Map();
const noSums = (): Sums => ({
  durations: new Array<number>(BUCKETS_MS.length + 1).fill(0),
  durationMs: 0,
  inputTokens: 0,
  outputTokens: 0,
  costCents: 0,
});
const noEndings = (): Endings => ({ ok: 0, error: 0, partial: 0, aborted: 0 });
