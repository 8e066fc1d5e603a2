import { GatewayError } from "#contract";

/** Each may run a hundred checks, and hold megabytes while they ask their services. */
export const MOST_UNDER_WAY = 8;

/** Evaluations that are under way, by organisation: one that asks for too many keeps nobody else from asking. */
export class UnderWay {
  private readonly counts = new Map<string, number>();

  async run<T>(organisationId: string, work: () => Promise<T>): Promise<T> {
    const before = this.counts.get(organisationId) ?? 0;
    if (before >= MOST_UNDER_WAY) throw new GatewayError("EVALUATIONS_BUSY", { most: MOST_UNDER_WAY });
    this.counts.set(organisationId, before + 1);
    try {
      return await work();
    } finally {
      this.leave(organisationId);
    }
  }
  private leave(organisationId: string): void {
    const left = (this.counts.get(organisationId) ?? 1) - 1;
    if (left > 0) this.counts.set(organisationId, left);
    else this.counts.delete(organisationId);
  }
}
