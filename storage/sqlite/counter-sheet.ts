import type { Change, Claim, Reserved } from "#contract";

/** Counters as one transaction sees them: read once, moved in memory, written once. */
export class Sheet {
  private readonly values = new Map<string, number>();
  /** What has to be written: key -> when it may be forgotten. */
  readonly moved = new Map<string, number>();
  constructor(private readonly stored: (key: string) => number) {}

  value(key: string): number {
    const known = this.values.get(key);
    if (known !== undefined) return known;
    const read = this.stored(key);
    this.values.set(key, read);
    return read;
  }
  add({ key, by, expiresAt }: Change): number {
    const value = this.value(key) + by;
    this.values.set(key, value);
    this.moved.set(key, expiresAt);
    return value;
  }
}

export const addOn = (sheet: Sheet, changes: readonly Change[]): readonly number[] => changes.map((change) => sheet.add(change));

/** All claims are judged before any counter moves. */
export function reserveOn(sheet: Sheet, claims: readonly Claim[]): Reserved {
  for (const [index, claim] of claims.entries()) {
    const value = sheet.value(claim.key) + claimedBefore(claims, index);
    if (!fits(claim, value)) return { granted: false, refused: index, value: sheet.value(claim.key) };
  }
  return { granted: true, values: claims.map((claim) => (claim.by === 0 ? sheet.value(claim.key) : sheet.add(claim))) };
}

/** With `by: 0` the claim only asks whether there is room. */
const fits = ({ by, limit }: Claim, value: number): boolean => (by === 0 ? value < limit : value + by <= limit);

/** What earlier claims of the same reservation take from the same counter. */
function claimedBefore(claims: readonly Claim[], index: number): number {
  let taken = 0;
  for (let before = 0; before < index; before += 1) if (claims[before]?.key === claims[index]?.key) taken += claims[before]?.by ?? 0;
  return taken;
}
