import { type Change, type Claim, type RateLimit, WINDOW_MS } from "#contract";

/** One limit that applies to requests; its counter begins with the tenant and ends with the window. */
export class Limiter implements RateLimit {
  readonly type: RateLimit["type"];
  readonly unit: RateLimit["unit"];
  readonly value: number;
  /** What every request claims in the window that was last asked for. */
  private last: Claim | undefined;
  constructor(
    { type, unit, value }: RateLimit,
    /** What a refused caller is told: the key's or the policy's name. */
    readonly name: string,
    /** Without its window. */
    readonly counter: string,
  ) {
    this.type = type;
    this.unit = unit;
    this.value = value;
  }
  claim(now: number): Claim {
    if (this.last !== undefined && windowEnd(this.unit, now) === this.last.expiresAt) return this.last;
    this.last = { ...this.change(this.type === "requests" ? 1 : 0, now), limit: this.value };
    return this.last;
  }
  change(by: number, now: number): Change {
    const { startsAt, endsAt } = windowAt(this.unit, now);
    return { key: `${this.counter}:${startsAt}`, by, expiresAt: endsAt };
  }
}
/** The window a moment falls into: from the clock alone, so that there is nothing to reset. */
export function windowAt(unit: RateLimit["unit"], now: number): { readonly startsAt: number; readonly endsAt: number } {
  const endsAt = windowEnd(unit, now);
  return { startsAt: endsAt - WINDOW_MS[unit], endsAt };
}
const windowEnd = (unit: RateLimit["unit"], now: number): number => now - (now % WINDOW_MS[unit]) + WINDOW_MS[unit];

/** Of several limits over the same thing and window, the lowest: they share a counter. */
export function lowestOf(limits: readonly RateLimit[], name: string, counter: string): readonly Limiter[] {
  const lowest = new Map<string, RateLimit>();
  for (const limit of limits) {
    const what = `${limit.type}:${limit.unit}`;
    if (limit.value < (lowest.get(what)?.value ?? Number.POSITIVE_INFINITY)) lowest.set(what, limit);
  }
  return [...lowest].map(([what, limit]) => new Limiter(limit, name, `${counter}:${what}`));
}
