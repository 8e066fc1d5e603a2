import type { Health } from "#contract";
import { startWorker } from "../../../platform.ts";
import { AT, sharedMarks } from "./marks.ts";
import type { WatchdogMessage } from "./watchdog.worker.ts";

/** What the watchdog has seen since the process started. */
export interface Stalls {
  readonly count: number;
  readonly totalMs: number;
  /** Of the last one: the plugin entered last, how long it took or has taken so far, and when it was noticed. */
  readonly last: { readonly plugin: string; readonly ms: number; readonly at: number } | null;
}

/** How late the heartbeat of the main thread may be before that is told. */
const LATE_MS = 1_000;
const BEAT_MS = 100;
/** A stall makes the gateway degraded for so long. */
const FRESH_MS = 300_000;

/** Watches the main thread from a thread of its own for as long as the process lives. `of` are members of every line. */
export function startWatchdog(of: Readonly<Record<string, unknown>>): void {
  const worker = startWorker("core/kernel/process/watchdog/watchdog.worker.ts");
  const tell = (message: WatchdogMessage): void => worker.postMessage(message);
  for (const [number, name] of sharedMarks.names.entries()) tell({ kind: "name", number, name });
  sharedMarks.onName((name, number) => tell({ kind: "name", number, name }));
  tell({ kind: "begin", memory: sharedMarks.memory, of, lateMs: LATE_MS });
  setInterval(() => Atomics.add(sharedMarks.marks, AT.beat, 1), BEAT_MS).unref?.();
}

export function stalls(): Stalls {
  const { marks, names } = sharedMarks;
  const read = (place: number): number => Atomics.load(marks, place);
  const count = read(AT.stalls);
  const last = { plugin: names[read(AT.lastPlugin)] ?? "", ms: read(AT.lastMs), at: read(AT.lastAt) * 1_000 };
  return { count, totalMs: read(AT.stalledMs), last: count === 0 ? null : last };
}

/** The event loop, as a part of the process that tells how it is doing. */
export function eventLoopHealth(now: number): Health {
  const { count, totalMs, last } = stalls();
  const fresh = last !== null && now - last.at < FRESH_MS;
  const degraded = fresh
    ? [`The process stood still for ${last.ms} ms at ${new Date(last.at).toISOString()}; the plugin entered last was ${last.plugin}.`]
    : [];
  return { degraded, detail: { stalls: count, stalled_ms: totalMs, last_plugin: last?.plugin ?? null, last_ms: last?.ms ?? null } };
}
