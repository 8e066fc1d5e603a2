import type { HeaderRecord, Leaf } from "#contract";

const BACKOFF_MS = [1_000, 2_000, 4_000, 8_000, 16_000] as const;
/** All waiting of one target together. */
const MAX_WAIT_MS = 60_000;

/** Counts the tries of one target and says how long to wait before the next. */
export class Tries {
  used = 0;
  private waitedMs = 0;
  constructor(
    private readonly retry: Leaf["retry"],
    private readonly now: number,
    private readonly random: () => number = Math.random,
  ) {}

  /** Milliseconds to wait before trying again, or `null` to give up. */
  next(status: number, headers: Readonly<HeaderRecord> | null): number | null {
    const { attempts, onStatusCodes, useRetryAfter } = this.retry;
    if (this.used >= attempts || !onStatusCodes.includes(status)) return null;
    const wait =
      (useRetryAfter || status === 429 ? retryAfterMs(headers, this.now) : null) ?? jittered(BACKOFF_MS[this.used] ?? 16_000, this.random);
    if (this.waitedMs + wait > MAX_WAIT_MS) return null;
    this.waitedMs += wait;
    this.used += 1;
    return wait;
  }

  /** It was tried again, and this is what came of it all the same. */
  isExhausted(status: number): boolean {
    return this.used > 0 && this.retry.onStatusCodes.includes(status);
  }
}

/** Between half and all of the step, so that clients that failed together do not return together. */
const jittered = (step: number, random: () => number): number => step / 2 + (random() * step) / 2;

/** `retry-after-ms`, `x-ms-retry-after-ms`, or `retry-after` in seconds or as a date. */
export function retryAfterMs(headers: Readonly<HeaderRecord> | null, now: number): number | null {
  const ms = Number(headers?.["retry-after-ms"] ?? headers?.["x-ms-retry-after-ms"] ?? Number.NaN);
  if (Number.isFinite(ms)) return Math.max(0, ms);
  const text = headers?.["retry-after"] ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** Waits, unless the signal fires first; then it throws the signal's reason. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}
