/** How much may wait. */
export interface QueueLimits {
  readonly jobs: number;
  /** Characters of all waiting texts together. */
  readonly chars: number;
  /** The part of either that one tenant may take. */
  readonly share: number;
}
export const QUEUE_LIMITS: QueueLimits = { jobs: 400, chars: 256_000_000, share: 0.25 };

export interface Waiting {
  readonly tenant: string;
  readonly chars: number;
}

/** What waits for a process. Tenants take turns, so that the queue of one is not the wait of another. */
export class FairQueue<T extends Waiting> {
  private readonly byTenant = new Map<string, T[]>();
  private chars = 0;
  length = 0;

  constructor(private readonly limits = QUEUE_LIMITS) {}

  /** Is there a place for it? Even a text of more than a whole share has one when nothing else of its tenant waits. */
  add(item: T): boolean {
    const own = this.byTenant.get(item.tenant) ?? [];
    if (!this.fits(item, own)) return false;
    own.push(item);
    this.byTenant.set(item.tenant, own);
    this.count(item, 1);
    return true;
  }

  /** The next item of the tenant whose turn it is, among those that may. That tenant's next turn comes after all others'. */
  take(may: (tenant: string) => boolean): T | undefined {
    for (const [tenant, own] of this.byTenant) {
      if (!may(tenant)) continue;
      const [item] = own.splice(0, 1);
      this.byTenant.delete(tenant);
      if (own.length > 0) this.byTenant.set(tenant, own);
      if (item) this.count(item, -1);
      return item;
    }
    return undefined;
  }

  remove(item: T): void {
    const own = this.byTenant.get(item.tenant) ?? [];
    const at = own.indexOf(item);
    if (at < 0) return;
    own.splice(at, 1);
    if (own.length === 0) this.byTenant.delete(item.tenant);
    this.count(item, -1);
  }

  /** Everything that waits; afterwards nothing does. */
  drain(): readonly T[] {
    const all = [...this.byTenant.values()].flat();
    this.byTenant.clear();
    this.chars = this.length = 0;
    return all;
  }

  private fits({ chars }: T, own: readonly T[]): boolean {
    const { limits } = this;
    if (this.length >= limits.jobs || (this.length > 0 && this.chars + chars > limits.chars)) return false;
    const ownChars = own.reduce((sum, job) => sum + job.chars, 0);
    return own.length < Math.max(1, limits.jobs * limits.share) && (own.length === 0 || ownChars + chars <= limits.chars * limits.share);
  }
  private count({ chars }: T, sign: 1 | -1): void {
    this.length += sign;
    this.chars += sign * chars;
  }
}
