import { after, all, type MaybePromise } from "#contract";
import type { ActiveGuardrail } from "../plan/guardrails/active.ts";
import { type Composed, composed, judgedAsLeft } from "./compose.ts";
import { type Ran, runGuardrail } from "./run.ts";
import type { Subject } from "./subject.ts";
import type { GuardDeps } from "./types.ts";
import { weightier } from "./verdict.ts";

/* Default guardrails that change texts lead: a config's own webhook is sent what they leave, and they have the last word on what that changes. Whoever denies looks at what that word leaves. */

export const isLeading = ({ leads }: ActiveGuardrail): boolean => leads === true;

/** What came of all of them, in the order of the list, and what is left. `seen` is told what the others are shown, before they run. */
export function runLeadersFirst(
  list: readonly ActiveGuardrail[],
  subject: Subject,
  deps: GuardDeps,
  seen: (left: Subject) => void,
): MaybePromise<Composed> {
  const leaders = list.filter(isLeading);
  const others = list.filter((guardrail) => !isLeading(guardrail));
  return after(ranOn(leaders, subject, deps), (first) => {
    seen(first.left);
    return after(ranOn(others, first.left, deps), (second) => {
      const runs = [...first.runs, ...second.runs];
      if (second.left.body === first.left.body) return { runs: inOrder(list, runs), left: second.left };
      return after(ranOn(leaders, second.left, deps), (last) => {
        const led = first.runs.map((run, at) => both(run, last.runs[at]));
        return after(judgedAsLeft({ runs: second.runs, left: last.left }, second.left, deps), ({ runs, left }) => ({
          runs: inOrder(list, [...led, ...runs]),
          left,
        }));
      });
    });
  });
}

const ranOn = (list: readonly ActiveGuardrail[], subject: Subject, deps: GuardDeps): MaybePromise<Composed> =>
  after(all(list.map((guardrail) => runGuardrail(guardrail, subject, deps))), (ran) => composed(ran, subject, deps));
const inOrder = (list: readonly ActiveGuardrail[], runs: readonly Ran[]): readonly Ran[] =>
  list.flatMap((guardrail) => runs.find((run) => run.guardrail === guardrail) ?? []);

/** A guardrail that looked twice: of each check what weighs more. */
function both(first: Ran, last: Ran | undefined): Ran {
  if (last === undefined) return first;
  const judged = first.judged.map((outcome, at) => {
    const later = last.judged[at];
    return later === undefined ? outcome : weightier(outcome, later);
  });
  return { ...first, judged, tookMs: first.tookMs + last.tookMs };
}
