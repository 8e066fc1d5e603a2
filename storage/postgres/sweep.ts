import { type Logger, messageOf } from "#contract";
import type { Link } from "./link.ts";

const EVERY_MS = 60_000;
const BATCH = 1000;
/** Each with all of its parts. */
const BODIES = 10;

/** Forgets expired counters, keys and bodies, a thousand at a time, every minute. Answers the function that stops it. */
export function sweepExpired(link: Link, now: () => number, log: Logger): () => void {
  const missed = (error: unknown): void => log("debug", "postgres.sweep", { why: messageOf(error) });
  const timer = setInterval(() => void sweep(link, now()).catch(missed), EVERY_MS);
  timer.unref?.();
  return () => clearInterval(timer);
}

export async function sweep(link: Link, now: number): Promise<void> {
  for (const [table, handle, id, batch] of [
    ["_counters", "counters", "key", BATCH],
    ["_kv", "kv", "key", BATCH],
    ["_blobs", "blobs", "id", BODIES],
  ] as const) {
    // Rows that a request is just writing are left for the next time.
    const expired = `select ${id} from "${table}" where expires_at <= $1 limit ${batch} for update skip locked`;
    const text = `delete from "${table}" where ${id} in (${expired})`;
    while ((await link.run(handle, ({ main }) => main.unsafe(text, [now]))).count === batch);
  }
}
