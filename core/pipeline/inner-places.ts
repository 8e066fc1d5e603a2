import { GatewayError } from "#contract";

/**
 * Calls within requests that are under way at once: of all tenants, and of one. And all that may be asked: while one body is
 * judged, and in a request that has many of them, lines of a file or messages of a session.
 */
const MOST = { all: 256, tenant: 64, judged: 32, request: 10_000 } as const;

/** How many were asked before: while the same body was judged, and within the same request. */
export interface AskedBefore {
  readonly judged: number;
  readonly request: number;
}

/** A request waits while it is judged, and each call that its checks ask is a request as well: together they have an end. */
export class InnerPlaces {
  #all = 0;
  readonly #byTenant = new Map<string, number>();

  /** Gives the place back when it is called. */
  take(tenant: string, by: string, asked: AskedBefore): () => void {
    const mine = this.#byTenant.get(tenant) ?? 0;
    if (asked.judged >= MOST.judged) throw busy(by, MOST.judged, "or were asked by this request");
    if (asked.request >= MOST.request) throw busy(by, MOST.request, "or were asked by all lines or messages of this request");
    if (mine >= MOST.tenant) throw busy(by, MOST.tenant, "for this workspace");
    if (this.#all >= MOST.all) throw busy(by, MOST.all, "in this process");
    this.#all += 1;
    this.#byTenant.set(tenant, mine + 1);
    return () => this.#leave(tenant);
  }
  #leave(tenant: string): void {
    this.#all -= 1;
    const left = (this.#byTenant.get(tenant) ?? 1) - 1;
    if (left > 0) this.#byTenant.set(tenant, left);
    else this.#byTenant.delete(tenant);
  }
}

const busy = (by: string, limit: number, where: string): GatewayError => new GatewayError("INNER_BUSY", { by, limit, where });
