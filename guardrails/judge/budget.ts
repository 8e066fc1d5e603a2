import { type Asker, CheckFault, type Claim, type Counters } from "#contract";
import type { Params } from "./params.ts";

/** What counts the calls of one rubric. */
export interface Budget {
  readonly params: Pick<Params, "callsPerMinute" | "centsPerDay" | "whenSpent">;
  readonly asker: Asker;
  readonly rubricKey: string;
  readonly now: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Counters hold whole numbers. */
const PARTS_OF_A_CENT = 1_000_000;

/** Takes a call from the budget, or throws: the check then could not judge. */
export async function reserveCall(counters: Counters, budget: Budget): Promise<void> {
  const { callsPerMinute, centsPerDay, whenSpent } = budget.params;
  const claims: Claim[] = [];
  if (callsPerMinute !== undefined) claims.push({ ...counter("calls", MINUTE_MS, budget), by: 1, limit: callsPerMinute });
  if (centsPerDay !== undefined)
    claims.push({ ...counter("cents", DAY_MS, budget), by: 0, limit: Math.round(centsPerDay * PARTS_OF_A_CENT) });
  if (claims.length === 0) return;
  const { granted } = await counters.reserve(claims);
  if (!granted) throw new CheckFault(whenSpent === "open" ? "unavailable" : "busy", "judge.rubric: the budget of this rubric is used up");
}

/** Adds what a call has cost. A store that is away counts it not: the next call is not let through either while it is. */
export function countSpent(counters: Counters, budget: Budget, cents: number | null): void {
  if (budget.params.centsPerDay === undefined || cents === null || cents === 0) return;
  const added = counters.add([{ ...counter("cents", DAY_MS, budget), by: Math.ceil(cents * PARTS_OF_A_CENT) }]);
  added.catch(() => undefined);
}

function counter(what: string, windowMs: number, { asker, rubricKey, now }: Budget): { readonly key: string; readonly expiresAt: number } {
  const startsAt = now - (now % windowMs);
  return { key: `judge.${what}:${asker.workspaceId ?? asker.organisationId}:${rubricKey}:${startsAt}`, expiresAt: startsAt + windowMs };
}
