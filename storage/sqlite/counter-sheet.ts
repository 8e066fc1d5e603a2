import type { Change, Claim, Reserved } from "#contract";

/** A counter as it is stored, and when it may be forgotten. */
export interface StoredCounter {
  readonly value: number;
  readonly expires_at: number;
}
/** A counter as one transaction sees it. */
export interface Counter {
  readonly key: string;
  value: number;
  /** When what is stored may be forgotten; `undefined` when nothing is. */
  readonly keptUntil: number | undefined;
  /** What has to be written may be forgotten then; `undefined` when it has not moved. */
  expiresAt: number | undefined;
}

/** Counters as one transaction sees them: read once, moved in memory, written once. */
export class Sheet {
  private readonly counters = new Map<string, Counter>();
  readonly moved: Counter[] = [];
  constructor(private readonly stored: (key: string) => StoredCounter | null) {}

  value(key: string): number {
    return this.of(key).value;
  }
  add({ key, by, expiresAt }: Change): number {
    const counter = this.of(key);
    if (counter.expiresAt === undefined) this.moved.push(counter);
    counter.value += by;
    counter.expiresAt = expiresAt;
    return counter.value;
  }
  private of(key: string): Counter {
    const cached = this.counters.get(key);
    if (cached !== undefined) return cached;
    const stored = this.stored(key);
    const counter = { key, value: stored?.value ?? 0, keptUntil: stored?.expires_at, expiresAt: undefined };
    this.counters.set(key, counter);
    return counter;
  }
}

export function addOn(sheet: Sheet, changes: readonly Change[]): readonly number[] {
  const values: number[] = [];
  for (const change of changes) values.push(sheet.add(change));
  return values;
}

/** All claims are judged before any counter moves. */
export function reserveOn(sheet: Sheet, claims: readonly Claim[]): Reserved {
  const refused = firstRefused(sheet, claims);
  if (refused !== undefined) return { granted: false, refused, value: sheet.value(claims[refused]?.key ?? "") };
  const values: number[] = [];
  for (const claim of claims) values.push(claim.by === 0 ? sheet.value(claim.key) : sheet.add(claim));
  return { granted: true, values };
}

function firstRefused(sheet: Sheet, claims: readonly Claim[]): number | undefined {
  let index = 0;
  for (const claim of claims) {
    if (!fits(claim, sheet.value(claim.key) + claimedBefore(claims, index))) return index;
    index += 1;
  }
  return undefined;
}

/** With `by: 0` the claim only asks whether there is room. */
const fits = ({ by, limit }: Claim, value: number): boolean => (by === 0 ? value < limit : value + by <= limit);

/** What earlier claims of the same reservation take from the same counter. */
function claimedBefore(claims: readonly Claim[], index: number): number {
  let taken = 0;
  for (let before = 0; before < index; before += 1) if (claims[before]?.key === claims[index]?.key) taken += claims[before]?.by ?? 0;
  return taken;
}
