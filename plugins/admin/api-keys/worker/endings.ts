import { ApiKeys } from "#contract";
import { eachDue, type Phase } from "./parts.ts";

/* What is over by the clock is over, whether or not it is written down: this keeps the records true, and forgets secrets. */

/** The secret before is forgotten once its time is over. */
export const endTransitions: Phase = (parts) =>
  eachDue({ by: "key_transition_expires_at", until: parts.now(), where: {} }, parts, ({ id }, at) =>
    parts.records.in(ApiKeys).update(id, { previous_digest: null, key_transition_expires_at: null }, { key_transition_expires_at: at }),
  );

/** A secret that was kept to be asked for is forgotten. */
export const forgetSecrets: Phase = (parts) =>
  eachDue({ by: "secret_kept_until", until: parts.now(), where: {} }, parts, ({ id }, at) =>
    parts.records.in(ApiKeys).update(id, { secret_sealed: null, secret_kept_until: null }, { secret_kept_until: at }),
  );

/** A key whose time is over is marked as what it is. */
export const markExpired: Phase = (parts) =>
  eachDue({ by: "expires_at", until: parts.now() }, parts, async ({ id, status }, at) => {
    const isMarked = await parts.records.in(ApiKeys).update(id, { status: "expired" }, { expires_at: at, status });
    if (isMarked) parts.log("info", "api-key.expired", { key: id });
    return isMarked;
  });
