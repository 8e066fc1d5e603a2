import { after, all, type MaybePromise } from "#contract";
import { type Ran, applied, changes, runCheck, runGuardrail } from "./run.ts";
import type { Subject } from "./subject.ts";
import type { CheckOutcome, GuardDeps } from "./types.ts";

/** What came of guardrails that ran side by side, and the subject as they left it. */
export interface Composed {
  readonly runs: readonly Ran[];
  readonly left: Subject;
}

/**
 * Applies what guardrails change, in their order. Each of them saw the same text; a check that would change what another
 * has changed meanwhile is asked again about what that left, so that no change undoes one before it: a redaction stands
 * whatever follows it.
 */
export function composed(ran: readonly Ran[], base: Subject, deps: GuardDeps): MaybePromise<Composed> {
  if (!ran.some(({ judged }) => judged.some(changes))) return { runs: ran, left: base };
  const done: Ran[] = [];
  const from = (at: number, left: Subject): MaybePromise<Composed> => {
    const run = ran[at];
    if (run === undefined) return { runs: done, left };
    return after(oneAfter(run, base, left, deps), (step) => {
      done.push(step.run);
      return from(at + 1, step.left);
    });
  };
  return after(from(0, base), (done) => judgedAsLeft(done, base, deps));
}

/** What is sent on is what was judged: guardrails that deny look once more at what others changed. */
export function judgedAsLeft({ runs, left }: Composed, base: Subject, deps: GuardDeps): MaybePromise<Composed> {
  if (left.body === base.body) return { runs, left };
  const again = runs.map((run) => (run.guardrail.deny ? lookedAtAgain(run, left, deps) : run));
  return after(all(again), (judged) => ({ runs: judged, left }));
}
const lookedAtAgain = (run: Ran, left: Subject, deps: GuardDeps): MaybePromise<Ran> =>
  after(all(run.judged.map((outcome) => (outcome.kind === "allow" ? stricter(outcome, left, deps) : outcome))), (judged) => ({
    ...run,
    judged,
  }));

/** What it let pass before it may deny now; what it would change now nobody can any more. */
const stricter = (before: CheckOutcome, left: Subject, deps: GuardDeps): MaybePromise<CheckOutcome> =>
  after(runCheck(before.check, left, deps), (now) => (changes(now) ? { ...now, ...UNCHANGEABLE } : now));
const UNCHANGEABLE = {
  kind: "error",
  failure: "bad_transform",
  message: "Another guardrail wrote what this check would have to change.",
  patches: [],
} as const;

interface Step {
  readonly run: Ran;
  readonly left: Subject;
}
function oneAfter(run: Ran, base: Subject, before: Subject, deps: GuardDeps): MaybePromise<Step> {
  if (!run.judged.some(changes)) return { run, left: before };
  if (!run.guardrail.sequential) return checkByCheck(run, base, before, deps);
  if (before.body === base.body) return inSequence(run, before);
  return after(runGuardrail(run.guardrail, before, deps), (again) => inSequence(again, before));
}

/** Each of its checks saw what the ones before it left. */
function inSequence(run: Ran, before: Subject): Step {
  let left = before;
  const judged = run.judged.map((outcome) => {
    const { body, headers, judged: settled } = applied(left, outcome);
    left = left.with(body, headers);
    return settled;
  });
  return { run: { ...run, judged }, left };
}

/** Its checks saw what they all began with. */
function checkByCheck(run: Ran, base: Subject, before: Subject, deps: GuardDeps): MaybePromise<Step> {
  const judged: CheckOutcome[] = [];
  const from = (at: number, left: Subject): MaybePromise<Step> => {
    const outcome = run.judged[at];
    if (outcome === undefined) return { run: { ...run, judged }, left };
    const isStale = changes(outcome) && left.body !== base.body;
    return after(isStale ? runCheck(outcome.check, left, deps) : outcome, (fresh) => {
      const { body, headers, judged: settled } = applied(left, fresh);
      judged.push(settled);
      return from(at + 1, left.with(body, headers));
    });
  };
  return from(0, before);
}
