import type { Claim, Counters, Mail, Vault } from "#contract";

const HOUR_MS = 3_600_000;
/** Mails for one person of one organisation within an hour: more is a mistake, or spite. */
const FOR_ONE_PERSON = 10;

export interface Allowance {
  readonly counters: Counters;
  readonly vault: Pick<Vault, "digest">;
  /** Mails of one organisation within an hour. */
  readonly perHour: number;
  now(): number;
}
/** Counts the mails, all or none; `false` when there would be too many within the hour. */
export async function isAllowed({ organisationId }: Pick<Mail, "organisationId">, to: readonly string[], of: Allowance): Promise<boolean> {
  const hour = Math.floor(of.now() / HOUR_MS);
  const claim = (name: string, by: number, limit: number): Claim => ({
    ...{ key: `mail:${organisationId}:${name}:${hour}`, by, limit },
    expiresAt: (hour + 1) * HOUR_MS,
  });
  const people = to.map((address) => claim(of.vault.digest(`mail ${address}`), 1, FOR_ONE_PERSON));
  const { granted } = await of.counters.reserve([claim("all", to.length, of.perHour), ...people]);
  return granted;
}
