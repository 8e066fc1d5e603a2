import { type Static, Type } from "@sinclair/typebox";
import { callerTerm } from "../caller-term.ts";
import { GatewayError } from "../errors.ts";
import { Nullable, OneOf } from "./column.ts";

/** Length of a rate-limit window by unit. Windows are fixed and start at multiples of their length since the epoch. */
export const WINDOW_MS = { rps: 1_000, rpm: 60_000, rph: 3_600_000, rpd: 86_400_000, rpw: 604_800_000 } as const;
export type RateUnit = keyof typeof WINDOW_MS;
export const WINDOW_NAME: Readonly<Record<RateUnit, string>> = { rps: "second", rpm: "minute", rph: "hour", rpd: "day", rpw: "week" };

/** A rate limit of a key; `value` may stand alone. */
export const RateLimit = Type.Object(
  {
    type: OneOf(["requests", "tokens"], { default: "requests", description: "What is counted." }),
    unit: OneOf(["rps", "rpm", "rph", "rpd", "rpw"], { default: "rpm", description: "Per second, minute, hour, day or week." }),
    value: Type.Number({ minimum: 0, description: "How many per unit." }),
  },
  { additionalProperties: false },
);
export type RateLimit = Static<typeof RateLimit>;
/** The rate limits of a caller's key. */
export const CallerRateLimits = callerTerm<readonly RateLimit[]>("rate_limits", []);

/** A budget of a key, a provider or a workspace. */
export const UsageLimits = Type.Object(
  {
    type: Type.Optional(OneOf(["cost", "tokens"], { default: "cost", description: "US dollars or tokens." })),
    credit_limit: Type.Optional(Nullable(Type.Number({ minimum: 1, description: "Dollars or tokens that may be used." }))),
    alert_threshold: Type.Optional(
      Nullable(Type.Number({ minimum: 1, description: "Absolute amount, below credit_limit, at which an alert goes out." })),
    ),
    periodic_reset: Type.Optional(Nullable(OneOf(["weekly", "monthly"], { description: "Reset each week or month." }))),
    periodic_reset_days: Type.Optional(
      Nullable(Type.Integer({ minimum: 1, maximum: 365, description: "Reset every so many days; excludes periodic_reset." })),
    ),
    next_usage_reset_at: Type.Optional(Nullable(Type.String({ format: "date-time", description: "When usage is next reset." }))),
  },
  { additionalProperties: false },
);
export type UsageLimits = Static<typeof UsageLimits>;

/** What a schema cannot say about a budget. */
export function judgeUsageLimits(limits: UsageLimits | null | undefined): void {
  const { credit_limit: limit, alert_threshold: threshold, periodic_reset: period, periodic_reset_days: days } = limits ?? {};
  if (period && days) throw refused("periodic_reset and periodic_reset_days exclude each other", "usage_limits.periodic_reset_days");
  if (limit && threshold && threshold >= limit) throw refused("alert_threshold must be below credit_limit", "usage_limits.alert_threshold");
}
const refused = (what: string, param: string): GatewayError =>
  new GatewayError("REQUEST_INVALID", { what: `The usage limits are not valid: ${what}.` }, { param });
