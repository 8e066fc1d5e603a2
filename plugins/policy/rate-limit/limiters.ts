import { type Call, type Caller, CallerRateLimits, type MaybePromise, type Plan, type RateLimit } from "#contract";
import { Limiter } from "./limiter.ts";
import type { NameReader, Names } from "./names.ts";
import type { RateLimitPolicy } from "./policies.ts";
import { type PolicySet, policySet } from "./policy-set.ts";

/** Every limit that applies; without a promise when what is looked up is warm. */
export type Limiters = (call: Call, caller: Caller, plan: Plan) => MaybePromise<readonly Limiter[]>;
type Policies = (workspaceId: string) => MaybePromise<readonly RateLimitPolicy[]>;

const NONE: readonly RateLimitPolicy[] = [];

export function limiterFinder(policiesOf: Policies, namesOf: NameReader, own: (caller: Caller) => readonly Limiter[] = ofKey): Limiters {
  const withPolicies = (policies: readonly RateLimitPolicy[], call: Call, caller: Caller, plan: Plan): MaybePromise<readonly Limiter[]> => {
    if (policies.length === 0) return own(caller);
    const set = policySet(policies);
    const places = namesOf(call, caller, plan, set.reads);
    return places instanceof Promise ? foundLate(own(caller), set, places) : found(own(caller), set, places);
  };
  const late = async (policies: Promise<readonly RateLimitPolicy[]>, call: Call, caller: Caller, plan: Plan) =>
    withPolicies(await policies, call, caller, plan);
  return (call, caller, plan) => {
    const policies = caller.workspaceId === null ? NONE : policiesOf(caller.workspaceId);
    return policies instanceof Promise ? late(policies, call, caller, plan) : withPolicies(policies, call, caller, plan);
  };
}

function found(own: readonly Limiter[], { policies }: PolicySet, places: readonly Names[]): readonly Limiter[] {
  const limiters = own.slice();
  for (const policy of policies) policy.collect(places, limiters);
  return limiters;
}

/** Apart from the others, so that what is warm makes nothing for it. */
const foundLate = async (own: readonly Limiter[], set: PolicySet, places: Promise<readonly Names[]>): Promise<readonly Limiter[]> =>
  found(own, set, await places);

const keyLimiters = new WeakMap<Caller, readonly Limiter[]>();
/** Of several limits over the same thing and window, the lowest: they share a counter. */
export function ofKey(caller: Caller): readonly Limiter[] {
  const known = keyLimiters.get(caller);
  if (known) return known;
  const lowest = new Map<string, RateLimit>();
  for (const limit of CallerRateLimits.of(caller)) {
    const what = `${limit.type}:${limit.unit}`;
    if (limit.value < (lowest.get(what)?.value ?? Number.POSITIVE_INFINITY)) lowest.set(what, limit);
  }
  const limiters = [...lowest].map(
    ([what, limit]) => new Limiter(limit, caller.keyName, `rl:${caller.organisationId}:key:${caller.keyId}:${what}`),
  );
  keyLimiters.set(caller, limiters);
  return limiters;
}
