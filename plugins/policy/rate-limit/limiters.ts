import { type Call, type Caller, CallerRateLimits, type MaybePromise, type Plan, type RecordsHandle, Workspaces } from "#contract";
import { type Limiter, lowestOf } from "./limiter.ts";
import type { PlaceLimiters } from "./provider-limits.ts";
import type { NameReader, Names } from "./names.ts";
import type { RateLimitPolicy } from "./policies.ts";
import { type PolicySet, policySet } from "./policy-set.ts";

/** Every limit that applies; without a promise when what is looked up is warm. */
export type Limiters = (call: Call, caller: Caller, plan: Plan) => MaybePromise<readonly Limiter[]>;
type Policies = (workspaceId: string) => MaybePromise<readonly RateLimitPolicy[]>;

/** The limits of the caller itself, whatever it asks for. */
export type OwnLimiters = (caller: Caller) => MaybePromise<readonly Limiter[]>;

const NONE: readonly RateLimitPolicy[] = [];

export function limiterFinder(
  policiesOf: Policies,
  namesOf: NameReader,
  ownOf: OwnLimiters = ofKey,
  placesOf: PlaceLimiters = () => [],
): Limiters {
  const withPolicies = (own: readonly Limiter[], policies: readonly RateLimitPolicy[], call: Call, caller: Caller, plan: Plan) => {
    if (policies.length === 0) return own;
    const set = policySet(policies);
    const findModel = modelToFind(call, set);
    const places = findModel ? findModel().then(() => namesOf(call, caller, plan, set.reads)) : namesOf(call, caller, plan, set.reads);
    return places instanceof Promise ? foundLate(own, set, places) : found(own, set, places);
  };
  type Late<T> = MaybePromise<readonly T[]>;
  /** Waited for together: one that fails while another is waited for must not go unheard. */
  const late = async (limiters: Late<Limiter>, ruling: Late<RateLimitPolicy>, call: Call, caller: Caller, plan: Plan) => {
    const [own, policies] = await Promise.all([limiters, ruling]);
    return withPolicies(own, policies, call, caller, plan);
  };
  return (call, caller, plan) => {
    const policies = caller.workspaceId === null ? NONE : policiesOf(caller.workspaceId);
    const own = joined(ownOf(caller), placesOf(call, caller, plan));
    return policies instanceof Promise || own instanceof Promise
      ? late(own, policies, call, caller, plan)
      : withPolicies(own, policies, call, caller, plan);
  };
}

/** Most requests have none of the second. */
const joined = (own: MaybePromise<readonly Limiter[]>, more: MaybePromise<readonly Limiter[]>): MaybePromise<readonly Limiter[]> =>
  own instanceof Promise || more instanceof Promise ? joinedLate(own, more) : withMore(own, more);
const joinedLate = async (...lists: readonly [own: MaybePromise<readonly Limiter[]>, more: MaybePromise<readonly Limiter[]>]) => {
  const [own, more] = await Promise.all(lists);
  return withMore(own, more);
};
const withMore = (own: readonly Limiter[], more: readonly Limiter[]): readonly Limiter[] => (more.length === 0 ? own : [...own, ...more]);

/** Of a form the model stands in its bytes: they are read so far only where a policy asks for it. An upload has none. */
function modelToFind({ body, row, operation }: Call, set: PolicySet): (() => Promise<unknown>) | undefined {
  if ((body.kind !== "form" && body.kind !== "raw") || row.content.file !== undefined) return undefined;
  return set.readsModelOf(operation) ? body.findModel : undefined;
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
  const cached = keyLimiters.get(caller);
  if (cached) return cached;
  const limiters = lowestOf(CallerRateLimits.of(caller), caller.keyName, `rl:${caller.organisationId}:key:${caller.keyId}`);
  keyLimiters.set(caller, limiters);
  return limiters;
}

/** Those of the key, and those that all keys of its workspace share. */
export function ofKeyAndWorkspace(records: Pick<RecordsHandle, "lookup">): OwnLimiters {
  const ofWorkspace = records.lookup(Workspaces, ["id"], ({ id, organisation_id, slug, rate_limits }) =>
    rate_limits === null ? NO_LIMITERS : lowestOf(rate_limits, slug, `rl:${organisation_id}:workspace:${id}`),
  );
  const both = new WeakMap<readonly Limiter[], WeakMap<Caller, readonly Limiter[]>>();
  const withShared = (caller: Caller, shared: readonly Limiter[] = NO_LIMITERS): readonly Limiter[] => {
    if (shared.length === 0) return ofKey(caller);
    const kept = both.get(shared) ?? new WeakMap<Caller, readonly Limiter[]>();
    both.set(shared, kept);
    const all = kept.get(caller) ?? [...ofKey(caller), ...shared];
    kept.set(caller, all);
    return all;
  };
  return (caller) => {
    const shared = caller.workspaceId === null ? NO_LIMITERS : ofWorkspace(caller.workspaceId);
    return shared instanceof Promise ? shared.then((late) => withShared(caller, late)) : withShared(caller, shared);
  };
}
const NO_LIMITERS: readonly Limiter[] = [];
