import { type Check, headerClasses, type Json } from "#contract";
import type { Compute } from "../../core/compute/pool.ts";
import { loadedCheck } from "../../core/kernel/check.ts";
import type { LoadedCheck } from "../../core/kernel/generation.ts";
import { wantsOf } from "../../core/pipeline/guard/scope.ts";
import type { BoundCheck, GuardDeps } from "../../core/pipeline/guard/types.ts";

/** One check with its parameters, as the engine binds it. */
export function bound(check: Check, parameters: Json = {}, more: Partial<BoundCheck> = {}): BoundCheck {
  const loaded = loadedHere(check);
  const params = loaded.defaults(parameters);
  const problems = problemsOf(check, parameters);
  if (problems.length > 0) throw new Error(problems.join(" "));
  return {
    id: check.id,
    loaded,
    params,
    wants: wantsOf(check),
    scope: check.scope ?? "last_message",
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
export const loadedHere = (check: Check): LoadedCheck => loadedCheck({ name: "guardrail/kit" }, check, inPlace);

export const quietDeps: GuardDeps = {
  checks: new Map(),
  plugins: [],
  stores: { records: { in: () => unused(), lookup: () => unused(), lookupAll: () => unused() } },
  vault: { open: (sealed) => sealed },
  headers: headerClasses([]),
  now: () => Date.now(),
  redact: (value) => value,
  compute: inPlace,
};
const unused = (): never => {
  throw new Error("this test uses no records");
};
