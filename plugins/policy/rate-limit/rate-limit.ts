import {
  type Claim,
  type Counters,
  GatewayError,
  inputTokens,
  type Logger,
  type Outcome,
  outputTokens,
  type Plan,
  type Policy,
  WINDOW_NAME,
} from "#contract";
import { type Limiter, windowAt } from "./limiter.ts";
import type { Limiters } from "./limiters.ts";

export interface RateLimitParts {
  readonly counters: Counters;
  readonly limiters: Limiters;
  readonly now: () => number;
  readonly log: Logger;
  readonly onOutage: "deny" | "allow";
}

/**
 * Admits a request when every limit that applies has room, claimed in one atomic step: all counters move or none does.
 * Requests are counted on admission. Tokens are known afterwards: a request is admitted while their counter is below
 * the limit, and what it used is added when it has ended.
 */
export function rateLimit({ counters, limiters, now, log, onOutage }: RateLimitParts): Policy {
  async function claim(pending: readonly Limiter[] | Promise<readonly Limiter[]>, plan: Plan): Promise<void> {
    try {
      const found = pending instanceof Promise ? await pending : pending;
      if (found.length === 0) return;
      if (found.some(countsTokens)) owed.set(plan, { limiters: found.filter(countsTokens), counted: 0 });
      await reserve(found);
    } catch (error) {
      survive(error);
    }
  }
  async function reserve(found: readonly Limiter[]): Promise<void> {
    const at = now();
    const result = await counters.reserve(claimsOf(found, at));
    const refused = result.granted ? undefined : found[result.refused];
    if (refused) throw limited(refused, at);
  }
  const count = (limiters: readonly Limiter[], tokens: number) => counters.add(limiters.map((limiter) => limiter.change(tokens, now())));
  async function countedNow(debt: Debt, tokens: number): Promise<void> {
    await count(debt.limiters, tokens);
    debt.counted += tokens; // once the store has them
  }
  /** What a session has used until now counts now, and it goes on while there is room for more. */
  async function countNow(debt: Debt, tokens: number): Promise<void> {
    try {
      const counted = countedNow(debt, tokens);
      debt.counting = Promise.allSettled([debt.counting, counted]);
      await counted;
      await reserve(debt.limiters);
    } catch (error) {
      survive(error);
    }
  }
  function countRest({ limiters, counted }: Debt, tokens: number): Promise<void> | undefined {
    return tokens > counted ? count(limiters, tokens - counted).then(() => undefined) : undefined;
  }
  /** Only a store that is away is an outage; any other failure is a mistake that must not open the gate. */
  function survive(error: unknown): void {
    if (onOutage === "deny" || !GatewayError.is(error) || error.code !== "STORAGE_UNAVAILABLE") throw error;
    log("warn", "rate limits not judged", { why: error });
  }
  /** Limits whose tokens are owed, by the plan of the request: most requests have none and settle nothing. */
  const owed = new WeakMap<Plan, Debt>();
  return {
    admit(call, caller, plan) {
      if (call.row.uncounted) return;
      const found = limiters(call, caller, plan);
      if (!(found instanceof Promise) && found.length === 0) return;
      return claim(found, plan);
    },
    spent(usage, { plan }) {
      const debt = owed.get(plan);
      return debt && countNow(debt, inputTokens(usage) + outputTokens(usage));
    },
    settle(outcome) {
      const debt = outcome.plan === null ? undefined : owed.get(outcome.plan);
      if (debt === undefined) return;
      if (debt.counting) return debt.counting.then(() => countRest(debt, tokensOf(outcome)));
      return countRest(debt, tokensOf(outcome));
    },
  };
}

/** Limits whose tokens a request owes, and what of them has been counted. */
interface Debt {
  readonly limiters: readonly Limiter[];
  counted: number;
  /** What a session has used, while it is counted. */
  counting?: Promise<unknown>;
}

const countsTokens = ({ type }: Limiter): boolean => type === "tokens";

function claimsOf(limiters: readonly Limiter[], now: number): readonly Claim[] {
  const claims: Claim[] = [];
  for (const limiter of limiters) claims.push(limiter.claim(now));
  return claims;
}

function limited({ name, value, type, unit }: Limiter, now: number): GatewayError {
  const retryAfterSec = Math.max(1, Math.ceil((windowAt(unit, now).endsAt - now) / 1000));
  return new GatewayError("RATE_LIMITED", { limiter: name, limit: value, type, per: WINDOW_NAME[unit] }, { retryAfterSec });
}

/** An answer from a cache used none. */
const tokensOf = ({ usage, cacheStatus }: Outcome): number =>
  usage === null || cacheStatus.endsWith("HIT") ? 0 : inputTokens(usage) + outputTokens(usage);
