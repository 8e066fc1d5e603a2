import { clearInterval, setInterval } from "node:timers";
import type { KeyValue } from "#contract";

/** How long a lease outlives the process that held it. */
export const LEASE_MS = 10_000;
const RENEW_MS = LEASE_MS / 3;

/** The right to do something in one process of the deployment, renewed for as long as it is held. */
export interface Lease {
  /** Fires when another process may have it. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** `undefined` when another process holds it. */
export async function takeLease(kv: KeyValue, key: string): Promise<Lease | undefined> {
  const holder = new TextEncoder().encode(crypto.randomUUID());
  const askedAt = performance.now();
  return (await kv.add(key, holder, LEASE_MS)) ? new HeldLease(kv, key, holder, askedAt) : undefined;
}

class HeldLease implements Lease {
  readonly #cut = new AbortController();
  readonly #timer = setInterval(() => void this.#renew(), RENEW_MS);

  constructor(
    private readonly kv: KeyValue,
    private readonly key: string,
    private readonly holder: Uint8Array,
    /** When the last renewal that came through was asked for. */
    private renewedAt: number,
  ) {
    this.#timer.unref();
  }
  get lost(): AbortSignal {
    return this.#cut.signal;
  }
  async #renew(): Promise<void> {
    const askedAt = performance.now();
    const held = await this.kv.renew(this.key, this.holder, LEASE_MS).catch(() => undefined); // not known while the store is away
    if (held) this.renewedAt = askedAt;
    else if (held === false || !this.#lastsUntilNext()) this.#lose();
  }
  #lastsUntilNext(): boolean {
    return performance.now() - this.renewedAt + RENEW_MS < LEASE_MS;
  }
  #lose(): void {
    clearInterval(this.#timer);
    this.#cut.abort(new Error("another process may hold the lease"));
  }
  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.kv.renew(this.key, this.holder, 0).catch(() => undefined); // it ends by itself
  }
}
