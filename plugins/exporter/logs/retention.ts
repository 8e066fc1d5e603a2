import { clearInterval, setInterval } from "node:timers";
import type { KeyValue, Logger, LogStore } from "#contract";

export interface RetentionParts {
  readonly logs: Pick<LogStore, "prune">;
  readonly kv: Pick<KeyValue, "add">;
  readonly log: Logger;
  readonly now: () => number;
  readonly days: number;
  readonly maxBytes: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** A little less than the pause, so that a deployment of one takes its own lease again in time. */
const LEASE_MS = HOUR_MS - 60_000;
export const LEASE = "lease:log-retention";

/**
 * Deletes old records once an hour, in one process of the deployment: whoever takes the lease. The lease is not given
 * back, so that restarts do not prune again and again; a process that dies loses its hour, not the retention.
 */
export function retention({ logs, kv, log, now, days, maxBytes }: RetentionParts) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  async function prune(): Promise<void> {
    try {
      if (!(await kv.add(LEASE, new Uint8Array([1]), LEASE_MS))) return;
      const gone = await logs.prune({ newerThan: now() - days * DAY_MS, maxBytes });
      if (gone > 0) log("info", "old log records deleted", { records: gone, days, maxBytes });
    } catch (error) {
      log("warn", "log retention failed, it is tried again in an hour", { why: error });
    }
  }
  const next = (): void => {
    running = running.then(prune);
  };
  return {
    start(): void {
      timer = setInterval(next, HOUR_MS);
      timer.unref();
      next();
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      await running;
    },
    prune,
  };
}
