import { type Caller, type Claim, type Counters, GatewayError } from "#contract";

/* How much may be remembered of requests with an Idempotency-Key in one day: of an organisation, and of each of its API keys. */

const DAY_MS = 24 * 60 * 60 * 1000;
const MOST_BYTES = 64 * 1024 * 1024;
/** One API key cannot use up what all have. */
const SHARES = [
  { whose: "organisation", most: 10_000, nameOf: ({ organisationId }: Caller) => organisationId },
  { whose: "API key", most: 1_000, nameOf: ({ organisationId, keyId }: Caller) => `${organisationId}:${keyId}` },
] as const;

interface At {
  readonly now: number;
}
const claim = (key: string, { now }: At, by: number, limit: number): Claim => {
  const day = Math.floor(now / DAY_MS);
  return { key: `idempotency:${key}:${day}`, expiresAt: (day + 1) * DAY_MS, by, limit };
};
const claimsOf = (caller: Caller, at: At, by: number): readonly Claim[] =>
  SHARES.map(({ most, nameOf }) => claim(`keys:${nameOf(caller)}`, at, by, most));

/** Throws where no more requests are remembered today. */
export async function counted(caller: Caller, at: At, counters: Counters): Promise<void> {
  const reserved = await counters.reserve(claimsOf(caller, at, 1));
  if (reserved.granted) return;
  const { whose, most } = SHARES[reserved.refused] ?? SHARES[0];
  throw new GatewayError("IDEMPOTENCY_FULL", { most, whose });
}
/** Gives back what was counted for a request that was not carried out. */
export async function uncounted(caller: Caller, at: At, counters: Counters): Promise<void> {
  await counters.add(claimsOf(caller, at, -1));
}

/** Is there room for an answer of so many bytes? */
export const given = async (bytes: number, { organisationId }: Caller, at: At, counters: Counters): Promise<boolean> =>
  (await counters.reserve([claim(`bytes:${organisationId}`, at, bytes, MOST_BYTES)])).granted;
