import type { Condition } from "#contract";
import { Limiter } from "./limiter.ts";
import { holdsAlways, matches } from "./match.ts";
import { type Names, type Reads, readsOf } from "./names.ts";
import type { RateLimitPolicy } from "./policies.ts";

/** Policies made ready to judge requests. */
export interface PolicySet {
  readonly policies: readonly PolicyLimiters[];
  /** What of a request they look at. */
  readonly reads: Reads;
  /** Does any look at the models of requests for this operation? */
  readsModelOf(operation: string): boolean;
}

const ready = new WeakMap<readonly RateLimitPolicy[], PolicySet>();
/** Made once for each list that was read. */
export function policySet(list: readonly RateLimitPolicy[]): PolicySet {
  const cached = ready.get(list);
  if (cached) return cached;
  const policies = list.map((policy) => new PolicyLimiters(policy));
  const set: PolicySet = {
    policies,
    reads: readsOf(new Set(policies.flatMap(({ keys }) => keys))),
    readsModelOf: (operation) => policies.some((policy) => policy.readsModelOf(operation)),
  };
  ready.set(list, set);
  return set;
}

/** Clients may choose what they are grouped by: neither many nor long names are kept. */
const MAX_GROUPS = 1_000;
const MAX_NAME = 512;

/** The limiters of one policy: one for each group, kept for the next request of the group. */
class PolicyLimiters {
  /** What its conditions and groups ask for. */
  readonly keys: readonly string[];
  private readonly conditions: readonly Condition[];
  private readonly groups = new Map<string, Limiter>();
  constructor(private readonly policy: RateLimitPolicy) {
    this.conditions = policy.conditions.filter((condition) => !holdsAlways(condition));
    this.keys = [...this.conditions, ...policy.group_by].map(({ key }) => key);
  }

  /** Does it look at the models of requests for this operation? */
  readsModelOf(operation: string): boolean {
    if (!this.keys.includes("model")) return false;
    return matches(
      this.conditions.filter(({ key }) => key === "endpoint_type"),
      () => [operation],
    );
  }
  /** Adds one for each group among the places it applies to: wherever the request ends up, it was counted there. */
  collect(places: readonly Names[], found: Limiter[]): void {
    if (this.groups.size >= MAX_GROUPS) this.groups.clear();
    for (const names of places) {
      if (!matches(this.conditions, names)) continue;
      const limiter = this.ofGroup(names);
      if (!isAmong(found, limiter)) found.push(limiter);
    }
  }
  private ofGroup(names: Names): Limiter {
    const values: string[] = [];
    for (const { key } of this.policy.group_by) values.push((names(key)[0] ?? "").toWellFormed()); // what clients send may be no text that can be encoded
    const group = values.length === 1 ? (values[0] ?? "") : JSON.stringify(values);
    const existing = this.groups.get(group);
    if (existing) return existing;
    const made = this.made(values);
    if (group.length <= MAX_NAME) this.groups.set(group, made);
    return made;
  }
  private made(group: readonly string[]): Limiter {
    const { id, name, type, unit, organisation_id, workspace_id } = this.policy;
    const counter = `rl:${organisation_id}:${workspace_id}:policy:${id}:${type}:${unit}:${group.map(encodeURIComponent).join("/")}`;
    return new Limiter(this.policy, name ?? id, counter);
  }
}

function isAmong(limiters: readonly Limiter[], { counter }: Limiter): boolean {
  for (const limiter of limiters) if (limiter.counter === counter) return true;
  return false;
}
