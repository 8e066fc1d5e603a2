import { type Call, type Caller, type Plan, type RateLimit, WINDOW_MS } from "#contract";
import { matches } from "./match.ts";
import { after, type MaybePromise } from "./maybe-promise.ts";
import type { NameReader, Names } from "./names.ts";
import type { RateLimitPolicy } from "./policies.ts";

/** One limit that applies to one request. */
export interface Limiter extends RateLimit {
  /** What a refused caller is told: the key's or the policy's name. */
  readonly name: string;
  /** Counter without its window; begins with the tenant. */
  readonly counter: string;
}
/** Every limit that applies; without a promise when what is looked up is warm. */
export type Limiters = (call: Call, caller: Caller, plan: Plan) => MaybePromise<readonly Limiter[]>;
type Policies = (workspaceId: string) => MaybePromise<readonly RateLimitPolicy[]>;

const NONE: readonly RateLimitPolicy[] = [];

export function limiterFinder(policiesOf: Policies, namesOf: NameReader, own: (caller: Caller) => readonly Limiter[] = ofKey): Limiters {
  const withPolicies = (policies: readonly RateLimitPolicy[], call: Call, caller: Caller, plan: Plan): MaybePromise<readonly Limiter[]> => {
    if (policies.length === 0) return own(caller);
    return after(namesOf(call, caller, plan), (places) => [...own(caller), ...policies.flatMap((policy) => ofPolicy(policy, places))]);
  };
  return (call, caller, plan) =>
    after(caller.workspaceId === null ? NONE : policiesOf(caller.workspaceId), (policies) => withPolicies(policies, call, caller, plan));
}

const keyLimiters = new WeakMap<Caller, readonly Limiter[]>();
/** Of several limits over the same thing and window, the lowest: they share a counter. */
export function ofKey(caller: Caller): readonly Limiter[] {
  const known = keyLimiters.get(caller);
  if (known) return known;
  const lowest = new Map<string, RateLimit>();
  for (const limit of caller.rateLimits) {
    const what = `${limit.type}:${limit.unit}`;
    if (limit.value < (lowest.get(what)?.value ?? Number.POSITIVE_INFINITY)) lowest.set(what, limit);
  }
  const limiters = [...lowest].map(([what, limit]) => ({
    ...limit,
    name: caller.keyName,
    counter: `rl:${caller.organisationId}:key:${caller.keyId}:${what}`,
  }));
  keyLimiters.set(caller, limiters);
  return limiters;
}

/** One counter for each group among the places it applies to: wherever the request ends up, it was counted there. */
function ofPolicy(policy: RateLimitPolicy, places: readonly Names[]): Limiter[] {
  const { id, name, type, unit, value, organisation_id, workspace_id, conditions } = policy;
  const groups = new Set(places.filter((names) => matches(conditions, names)).map((names) => groupOf(policy, names)));
  const counter = `rl:${organisation_id}:${workspace_id}:policy:${id}:${type}:${unit}`;
  return [...groups].map((group) => ({ type, unit, value, name: name ?? id, counter: `${counter}:${group}` }));
}

/** What clients send may be no well-formed text, which cannot be encoded. */
const groupOf = ({ group_by }: RateLimitPolicy, names: Names): string =>
  group_by.map(({ key }) => encodeURIComponent((names(key)[0] ?? "").toWellFormed())).join("/");

/** The window a moment falls into: from the clock alone, so that there is nothing to reset. */
export function windowAt(unit: RateLimit["unit"], now: number): { readonly startsAt: number; readonly endsAt: number } {
  const startsAt = now - (now % WINDOW_MS[unit]);
  return { startsAt, endsAt: startsAt + WINDOW_MS[unit] };
}
