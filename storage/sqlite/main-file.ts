import { type Connection, connectionTo, openAndRead } from "./database.ts";
import { type Loss, rescue } from "./rescue.ts";
import { type Watch, watchFile } from "./watch.ts";

/** main.db, as this process has it open: twice on this thread, and watched once. */
export interface MainFile {
  /** Records and blobs: what is acknowledged survives a loss of power. */
  readonly durable: Connection;
  /** Counters, keys with a lifetime and the feed: on the path of requests; a loss of power may take the last of them. */
  readonly quick: Connection;
  readonly watch: Watch;
  close(): void;
}

/** Requests wait for counters on this thread, and all others with them: a lock that is held longer is another program's. */
const QUICK_WAIT_MS = 100;

/** No transaction of either connection gives way to other code, so that neither ever waits for the other. */
export function openMain(path: string, busyTimeoutMs: number, onLoss: (loss: Loss) => void): MainFile {
  const db = openAndRead(path, busyTimeoutMs, "full");
  const quickDb = openAndRead(path, busyTimeoutMs, "normal"); // others may be starting too, and no request waits yet
  quickDb.run(`pragma busy_timeout = ${Math.min(busyTimeoutMs, QUICK_WAIT_MS)}`);
  const watch = watchFile(path, (why) => {
    const loss = rescue(db, path, why);
    onLoss(loss);
    return loss.sentence;
  });
  const durable = connectionTo(db, "full", watch);
  const quick = connectionTo(quickDb, "normal", watch);
  const close = (): void => {
    watch.close();
    quick.close();
    durable.close();
  };
  return { durable, quick, watch, close };
}
