import { field } from "../field/field.ts";
import { DateTime, futureTime, Nullable, Timestamp } from "./column.ts";
import type { UsageLimits } from "./limits.ts";

/* Keys and providers stop working in two ways: their time is over, or their budget is. */

/** When a record stops working. */
export const expiryField = field(
  Nullable(Timestamp("When it stops working.")),
  { create: "optional", update: true, view: true },
  {
    schema: Nullable(DateTime("When it stops working; it must lie ahead.")),
    store: (given, { now }) => (given === null ? null : futureTime(given, now, "expires_at")),
  },
);

type State = "active" | "exhausted" | "expired";
interface Lasting {
  readonly status: State;
  readonly expires_at: number | null;
  readonly usage_limits: UsageLimits | null;
}

/** Its state by the clock: nobody writes down that a time has come. */
export const stateAt = ({ status, expires_at }: Lasting, now: number): State =>
  expires_at !== null && expires_at <= now ? "expired" : status;

/** What is exhausted is usable again when its limit is raised, or its usage reset. */
export function reactivated(
  record: Lasting,
  body: { readonly usage_limits?: UsageLimits | null; readonly reset_usage?: boolean },
): { status?: "active" } {
  const isRaised =
    body.usage_limits !== undefined && limitOf(body.usage_limits, Number.POSITIVE_INFINITY) > limitOf(record.usage_limits, 0);
  return record.status === "exhausted" && (body.reset_usage === true || isRaised) ? { status: "active" } : {};
}
const limitOf = (limits: UsageLimits | null, none: number): number => limits?.credit_limit ?? none;
