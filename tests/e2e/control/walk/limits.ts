/** Budgets, rate limits and times of records: what they take, and what they do not. */
import type { Json } from "../../endpoints/api.ts";

export const LATER = "2099-01-01T00:00:00.000Z";
export const spending: Json = { credit_limit: 50, type: "cost", alert_threshold: 20, periodic_reset: "monthly" };
/** Budgets that no record takes. */
export const NO_BUDGETS = [
  { credit_limit: "many" },
  { credit_limit: 0 },
  { alert_threshold: 0 },
  { type: "minutes" },
  { periodic_reset: "daily" },
  { periodic_reset_days: 0 },
  { periodic_reset_days: 366 },
  { periodic_reset: "weekly", periodic_reset_days: 3 },
  { credit_limit: 5, alert_threshold: 9 },
  { surprise: 1 },
];
export const NO_RATES = [{ type: "minutes" }, { unit: "rpy" }, { value: -1 }, { value: "x" }].map((wrong) => [
  { type: "requests", unit: "rpm", value: 9, ...wrong },
]);
