import { type Check, headerClasses, type Json } from "#contract";
import type { Compute } from "../../core/compute/pool.ts";
import { loadedCheck } from "../../core/kernel/check.ts";
import type { LoadedCheck } from "../../core/kernel/generation.ts";
import type { GuardDeps } from "../../core/pipeline/guard/types.ts";
import type { BoundCheck } from "../../core/pipeline/plan/guardrails/active.ts";
import { wantsOf } from "../../core/pipeline/plan/guardrails/bind.ts";
import type { FinderParts } from "../../core/pipeline/plan/guardrails/find.ts";

/** One check with its parameters, as the engine binds it. */
export function bound(check: Check, parameters: Json = {}, more: Partial<BoundCheck> = {}, credentials?: Json): BoundCheck {
  const loaded = loadedHere(check, credentials);
  const params = loaded.defaults(parameters);
  const problems = problemsOf(check, parameters);
  if (problems.length > 0) throw new Error(problems.join(" "));
  return {
    id: check.id,
    loaded,
    params,
    wants: wantsOf(check),
    scope: check.scope ?? "last_message",
    measures: check.measures?.(params as never) === true, // as problemsOf accepted them
    timeoutMs: check.timeoutMs ?? 5_000,
    failOnError: null,
    ...more,
  };
}

/** What is wrong with parameters, as a save would say it. */
export function problemsOf(check: Check, parameters: Json): readonly string[] {
  const loaded = loadedHere(check);
  const problems = loaded.problems(loaded.defaults(parameters), "tenant");
  if (problems instanceof Promise) throw new Error("it is judged in place");
  return problems;
}
/** Everything is done in this process, however long it takes. */
export const inPlace: Compute = {
  takesHere: () => true,
  elsewhere: () => Promise.reject(new Error("this test has no other process")),
  counts: () => ({ done: 0, budget: 0, busy: 0, started: 0 }),
};
export const loadedHere = (check: Check, credentials?: Json): LoadedCheck =>
  loadedCheck({ name: "guardrail/kit" }, check, inPlace, credentials === undefined ? undefined : () => credentials);

/** What finding guardrails and running them needs. */
export type EngineDeps = GuardDeps & FinderParts;

export const quietDeps: EngineDeps = {
  checks: new Map(),
  plugins: [],
  records: { lookup: () => unused },
  vault: { open: (sealed) => sealed },
  readReference: ({ referenceId }) => `read of ${referenceId}`,
  headers: headerClasses([]),
  keyHeaders: [],
  now: () => Date.now(),
  redact: (value) => value,
  compute: inPlace,
  operations: new Map(),
};
const unused = (): never => {
  throw new Error("this test uses no records");
};
