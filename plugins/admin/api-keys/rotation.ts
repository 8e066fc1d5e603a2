import {
  ApiKeys,
  fitting,
  GatewayError,
  isoTime,
  judgeTransition,
  type KeptRotationPolicy,
  maskGatewayKey,
  newGatewayKey,
  nextRotation,
  type RecordOf,
  type RecordsHandle,
  stateAt,
  transitionMs,
  underPeriod,
  type Vault,
} from "#contract";

export type ApiKey = RecordOf<typeof ApiKeys>;
/** Written by `scheduled` alone. */
export const policyOf = ({ rotation_policy }: Pick<ApiKey, "rotation_policy">): KeptRotationPolicy | null => rotation_policy;

export const inTransition = ({ key_transition_expires_at: until }: ApiKey, now: number): boolean => until !== null && until > now;

/** Why a key cannot be rotated now, as the end of a sentence. */
export function obstacle(record: ApiKey, now: number): string | undefined {
  if (record.is_preset) return "its secret is set in the environment of the gateway: change it there, and start it again";
  if (stateAt(record, now) === "expired") return "it is expired";
  if (!inTransition(record, now)) return undefined;
  return `the secret before this one works, until ${isoTime(record.key_transition_expires_at ?? now)}: there are two at most`;
}

interface Rotating {
  readonly vault: Vault;
  readonly now: number;
  /** How long the secret before is to work; where it is not said, as long as the policy says. */
  readonly askedMs?: number | undefined;
  /** The period that is enforced; null where the key's own policy counts. */
  readonly enforcedDays: number | null;
}
/**
 * A new secret, and the one write that makes it the key's: whatever breaks off before or after, a secret works that somebody
 * has. Until the transition is over it can be asked for again, for an answer may be lost on its way.
 */
export function rotated(record: ApiKey, { vault, now, askedMs, enforcedDays }: Rotating) {
  const policy = policyNow(policyOf(record), enforcedDays);
  if (askedMs !== undefined) judgeTransition(policy, "", askedMs);
  const secret = newGatewayKey(vault);
  const until = now + (askedMs ?? transitionMs(policy));
  const patch = {
    ...{ digest: vault.digest(secret), masked_key: maskGatewayKey(secret, vault), rotated_at: now, last_updated_at: now },
    ...{ previous_digest: record.digest, key_transition_expires_at: until },
    ...{ rotation_policy: policy, next_rotation_at: nextRotation(policy, now) },
    ...{ secret_sealed: vault.seal(secret), secret_kept_until: until },
  } satisfies Partial<ApiKey>;
  return { secret, until, patch };
}
/** What was stored may not fit: the period that was enforced then may be enforced no more. Nobody is there to be told. */
function policyNow(own: KeptRotationPolicy | null, enforcedDays: number | null): KeptRotationPolicy | null {
  if (enforcedDays !== null) return underPeriod(own, enforcedDays);
  return own && fitting(own);
}

/** Writes a rotation of the key as it was read; `false` where somebody else wrote it meanwhile: of two rotations, one is done. */
export const writeRotation = (before: ApiKey, patch: Partial<ApiKey>, records: Pick<RecordsHandle, "in">): Promise<boolean> =>
  records.in(ApiKeys).update(before.id, patch, { digest: before.digest, last_updated_at: before.last_updated_at });

export function refuseRotation(record: ApiKey, now: number): void {
  const why = obstacle(record, now);
  if (why !== undefined) throw new GatewayError("IN_USE", { what: "The API key", action: "rotated", why });
}
