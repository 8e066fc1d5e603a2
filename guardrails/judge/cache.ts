import type { Asker } from "#contract";
import type { Judgement } from "./judgement.ts";

export interface Kept {
  readonly judgement: Judgement;
  readonly expiresAt: number;
}

/** Verdicts that are kept, of all workspaces and of one. */
const MOST = { all: 10_000, tenant: 1_000 } as const;

/** Verdicts on texts that were judged before: each workspace has its own, and those asked for longest ago go first. */
export class VerdictCache {
  /** By workspace and question, those used last behind. */
  private readonly tenants = new Map<string, Map<string, Kept>>();
  size = 0;

  constructor(private readonly most: { readonly all: number; readonly tenant: number } = MOST) {}

  get(asker: Asker, key: string, now: number): Judgement | undefined {
    const tenant = nameOf(asker);
    const own = this.tenants.get(tenant);
    const kept = own?.get(key);
    if (own === undefined || kept === undefined) return undefined;
    this.remove(own, key);
    if (kept.expiresAt <= now) return undefined;
    this.add(own, key, kept);
    this.tenants.delete(tenant);
    this.tenants.set(tenant, own);
    return kept.judgement;
  }
  put(asker: Asker, key: string, kept: Kept): void {
    const tenant = nameOf(asker);
    const own = this.tenants.get(tenant) ?? new Map<string, Kept>();
    this.tenants.delete(tenant);
    this.tenants.set(tenant, own);
    this.remove(own, key);
    this.add(own, key, kept);
    if (own.size > this.most.tenant) this.removeOldest(own);
    if (this.size > this.most.all) this.removeFromIdlest();
  }
  private add(own: Map<string, Kept>, key: string, kept: Kept): void {
    own.set(key, kept);
    this.size += 1;
  }
  private remove(own: Map<string, Kept>, key: string): void {
    if (own.delete(key)) this.size -= 1;
  }
  private removeOldest(own: Map<string, Kept>): void {
    for (const key of own.keys()) return this.remove(own, key);
  }
  /** Of the workspace that was asked for longest ago. */
  private removeFromIdlest(): void {
    for (const [tenant, own] of this.tenants) {
      this.removeOldest(own);
      if (own.size === 0) this.tenants.delete(tenant);
      return;
    }
  }
}

const nameOf = ({ organisationId, workspaceId }: Asker): string => `${organisationId} ${workspaceId ?? ""}`;
