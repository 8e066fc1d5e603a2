import { type Health, messageOf, RECORDS, type Storage } from "#contract";
import { runStep } from "../life.ts";

/** Asks the stores, off the request path, whether they can be read and written; whoever looks is shown what was last heard. */
export interface StoreHealth {
  /** By the handle's name, as `store/records`. */
  parts(): ReadonlyMap<string, Health>;
  /** Asks now. */
  probe(): Promise<void>;
  close(): void;
}
export interface Pauses {
  /** Between two questions to a store that answers. */
  readonly wellMs: number;
  /** After a failure; doubles up to the most. */
  readonly firstMs: number;
  readonly mostMs: number;
}
const PAUSES: Pauses = { wellMs: 3_000, firstMs: 2_000, mostMs: 15_000 };
const LIMIT_MS = 2_000;
const TTL_MS = 60_000;
const [ANY_RECORDS] = RECORDS;
const NOBODY = "00000000-0000-4000-8000-000000000000";
/** Large enough to need room that small changes would still find on a disk that is full. */
const PAGE = new Uint8Array(16_384);

type Probe = (stores: Storage, key: string, now: number) => readonly (() => Promise<unknown> | undefined)[];
/** For each handle a read, and a write that is harmless; log records are written all the time, and their queue tells. */
const PROBES: Readonly<Record<string, Probe>> = {
  records: ({ records }) => [() => records?.in(ANY_RECORDS).get(NOBODY), () => records?.probe?.()],
  logs: ({ logs }) => [() => logs?.get(NOBODY)],
  counters: ({ counters }, key, now) => [() => counters?.read([key]), () => counters?.add([{ key, by: 1, expiresAt: now + TTL_MS }])],
  kv: ({ kv }, key) => [() => kv?.get(key), () => kv?.set(key, PAGE, TTL_MS)],
};

export interface StoreHealthParts {
  readonly stores: Storage;
  /** Takes known secrets out of what a driver says: its message may quote a connection string. */
  readonly redact: (text: string) => string;
  readonly now: () => number;
  readonly pauses?: Pauses;
}

export function watchStores(parts: StoreHealthParts): StoreHealth {
  const watches = Object.keys(PROBES).map((handle) => new Watch(handle, parts));
  return {
    parts: () => new Map(watches.map((watch) => [`store/${watch.handle}`, { degraded: watch.problem === null ? [] : [watch.problem] }])),
    probe: async () => void (await Promise.all(watches.map((watch) => watch.ask()))),
    close: () => watches.forEach((watch) => watch.close()),
  };
}

/** One handle and what was last heard of it. What does not answer is asked less and less often. */
class Watch {
  problem: string | null = null;
  private readonly key = `health:${crypto.randomUUID()}`;
  private readonly pauses: Pauses;
  private pauseMs: number;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private closed = false;

  constructor(
    readonly handle: string,
    private readonly parts: StoreHealthParts,
  ) {
    this.pauses = parts.pauses ?? PAUSES;
    this.pauseMs = this.pauses.firstMs;
    this.again(this.pauses.wellMs);
  }

  async ask(): Promise<void> {
    const [read, write] = PROBES[this.handle]?.(this.parts.stores, this.key, this.parts.now()) ?? [];
    const problem = (await this.failureOf("cannot be reached", read)) ?? (await this.failureOf("can be read and not written", write));
    this.problem = problem;
  }
  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  private async failureOf(what: string, step: (() => Promise<unknown> | undefined) | undefined): Promise<string | null> {
    try {
      if (step) await runStep(LIMIT_MS, step);
      return null;
    } catch (thrown) {
      return this.parts.redact(`The ${this.handle} storage ${what}: ${causeOf(thrown)}`);
    }
  }
  private again(ms: number): void {
    if (this.closed) return;
    this.timer = setTimeout(() => void this.ask().then(() => this.again(this.nextMs())), ms);
    this.timer.unref?.();
  }
  private nextMs(): number {
    const { wellMs, firstMs, mostMs } = this.pauses;
    const pauseMs = this.problem === null ? wellMs : this.pauseMs;
    this.pauseMs = this.problem === null ? firstMs : Math.min(mostMs, 2 * this.pauseMs);
    return pauseMs;
  }
}

/** What the driver said, rather than what a request would be told. */
const causeOf = (thrown: unknown): string => messageOf(thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown);
