/** Tenants of whom a job was at fault a short while ago. */
export class Suspects {
  private readonly until = new Map<string, number>();

  add(tenant: string): void {
    this.until.set(tenant, performance.now() + SUSPECT_MS);
  }
  has(tenant: string): boolean {
    const until = this.until.get(tenant);
    if (until !== undefined && until <= performance.now()) this.until.delete(tenant);
    return this.until.has(tenant);
  }
}
const SUSPECT_MS = 10_000;
