import { type Static, Type } from "@sinclair/typebox";
import { DateTime, Nullable, OneOf } from "./column.ts";

/** How long a replaced secret goes on working: at least, and unless something else is said. */
export const LEAST_TRANSITION_MS = 1_800_000;
const MOST_TRANSITION_MS = 365 * 86_400_000;
export const TransitionPeriod = Type.Integer({
  minimum: LEAST_TRANSITION_MS,
  maximum: MOST_TRANSITION_MS,
  description: "How long the replaced secret goes on working, in milliseconds; half an hour unless it is said.",
});

const period = {
  rotation_period: Type.Optional(
    Nullable(OneOf(["weekly", "monthly"], { description: "Replaced on Mondays, or on the first of the month, at 00:00 UTC." })),
  ),
  rotation_period_days: Type.Optional(
    Nullable(
      Type.Integer({ minimum: 1, maximum: 365, description: "Replaced every so many days, at 00:00 UTC; excludes rotation_period." }),
    ),
  ),
  key_transition_period_ms: Type.Optional(TransitionPeriod),
};
const description = "When the secret is replaced.";
/** What bodies say. */
export const RotationPolicy = Type.Object(
  {
    ...period,
    next_rotation_at: Type.Optional(Nullable(DateTime("When it is next replaced: 00:00 UTC of that day. Without a period, that once."))),
  },
  { additionalProperties: false, description },
);
export type RotationPolicy = Static<typeof RotationPolicy>;

/** What records keep: when the next rotation is, stands in a column of its own, for the jobs that look for those that are due. */
export const KeptRotationPolicy = Type.Object(period, { additionalProperties: false, description });
export type KeptRotationPolicy = Static<typeof KeptRotationPolicy>;
