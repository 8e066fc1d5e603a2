/** The disk may have been busy, or files too many: it is tried again, but not for every request. */
const RETRY_MS = 5_000;

/**
 * Loads at the first call and keeps what was loaded. Who asks meanwhile waits for the same attempt, and hears of it when it
 * fails; for a few seconds after that there is nothing, and then the next who asks tries again.
 */
export function loadedOnce<T>(load: () => Promise<T>, now: () => number): () => T | Promise<T> | undefined {
  let loaded: T | undefined;
  let loading: Promise<T> | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  const keep = (value: T): T => (loaded = value);
  const forget = (why: unknown): never => {
    failedAt = now();
    loading = undefined;
    throw why;
  };
  return () => loaded ?? loading ?? (now() - failedAt < RETRY_MS ? undefined : (loading = load().then(keep, forget)));
}
