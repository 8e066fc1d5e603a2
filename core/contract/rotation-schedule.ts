import { GatewayError } from "./errors.ts";
import type { ApiKeys } from "./schema/api-key.ts";
import { type KeptRotationPolicy, LEAST_TRANSITION_MS, type RotationPolicy } from "./schema/rotation-policy.ts";
import type { RecordOf } from "./storage.ts";

/* When the secret of a key is replaced: always at 00:00 UTC. */

export const DAY_MS = 86_400_000;
const midnight = (ms: number): number => ms - (ms % DAY_MS);
const sinceMonday = (ms: number): number => (Math.floor(ms / DAY_MS) + 3) % 7; // the first day of the epoch was a Thursday

/** When a secret that is made now is replaced; `null` where no period says so. */
export function nextRotation(policy: KeptRotationPolicy | null, now: number): number | null {
  if (policy?.rotation_period_days) return midnight(now) + policy.rotation_period_days * DAY_MS;
  if (policy?.rotation_period === "weekly") return midnight(now) + (7 - sinceMonday(now)) * DAY_MS;
  if (policy?.rotation_period === "monthly") return Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth() + 1, 1);
  return null;
}

/** The shortest time between two rotations. */
function periodMs({ rotation_period: period, rotation_period_days: days }: KeptRotationPolicy): number {
  if (days) return days * DAY_MS;
  return period ? { weekly: 7 * DAY_MS, monthly: 28 * DAY_MS }[period] : Number.POSITIVE_INFINITY;
}

/** How long a replaced secret goes on working. */
export const transitionMs = (policy: KeptRotationPolicy | null): number => policy?.key_transition_period_ms ?? LEAST_TRANSITION_MS;

/** A secret is over before the one after it is replaced. */
export function judgeTransition(policy: KeptRotationPolicy | null, param: string, ms = transitionMs(policy)): void {
  if (policy === null || ms < periodMs(policy)) return;
  throw refused("key_transition_period_ms must be shorter than the time between two rotations", `${param}key_transition_period_ms`);
}

/** With a transition that fits its period: one that was said for a longer period ends a day before the next rotation. */
export function fitting(policy: KeptRotationPolicy): KeptRotationPolicy {
  const period = periodMs(policy);
  if (transitionMs(policy) < period) return policy;
  return { ...policy, key_transition_period_ms: Math.max(LEAST_TRANSITION_MS, period - DAY_MS) };
}

/** What becomes of a key's own policy where this period is enforced. */
export function underPeriod(policy: KeptRotationPolicy | null, enforcedDays: number): KeptRotationPolicy {
  const { rotation_period: _, ...rest } = policy ?? {};
  return fitting({ ...rest, rotation_period_days: enforcedDays });
}

type Schedule = Pick<RecordOf<typeof ApiKeys>, "rotation_policy" | "next_rotation_at">;
const NEVER: Schedule = { rotation_policy: null, next_rotation_at: null };

/** What a key keeps of a policy; `enforcedDays` is the period that its organisation or workspace says, whatever the policy does. */
export function scheduled(given: RotationPolicy | null, { now, enforcedDays }: { now: number; enforcedDays: number | null }): Schedule {
  const { next_rotation_at: next, ...said } = { ...(enforcedDays === null ? given : enforced(given, enforcedDays)) };
  const policy: KeptRotationPolicy = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null));
  if (given === null && enforcedDays === null) return NEVER;
  judgePeriod(policy, next);
  judgeTransition(policy, "rotation_policy.");
  return { rotation_policy: policy, next_rotation_at: next ? dayAhead(next, now) : nextRotation(policy, now) };
}

function judgePeriod({ rotation_period: period, rotation_period_days: days }: KeptRotationPolicy, next: string | null | undefined): void {
  if (period && days) throw refused("rotation_period and rotation_period_days exclude each other");
  if (!period && !days && !next) throw refused("it needs rotation_period, rotation_period_days or next_rotation_at");
}

/** The period that is enforced; another one, or a day of one's own, is refused. */
function enforced(given: RotationPolicy | null, days: number): RotationPolicy {
  const own = given?.rotation_period_days ?? daysOf(given?.rotation_period ?? null);
  const rule = `user keys are replaced every ${days} days here, as the organisation or the workspace says`;
  if (own !== null && own !== days) throw refused(`${rule}; leave the period out`);
  if (given?.next_rotation_at) throw refused(`${rule}; leave next_rotation_at out`, "rotation_policy.next_rotation_at");
  const transition = given?.key_transition_period_ms;
  return { rotation_period_days: days, ...(transition !== undefined && { key_transition_period_ms: transition }) };
}
export const daysOf = (period: "weekly" | "monthly" | null): number | null => (period === null ? null : { weekly: 7, monthly: 30 }[period]);

function dayAhead(text: string, now: number): number {
  const day = midnight(Date.parse(text));
  if (day > now) return day;
  throw refused(`next_rotation_at is ${text}, and 00:00 UTC of that day is not in the future`, "rotation_policy.next_rotation_at");
}

const refused = (what: string, param = "rotation_policy"): GatewayError =>
  new GatewayError("REQUEST_INVALID", { what: `The rotation policy is not valid: ${what}.` }, { param });
