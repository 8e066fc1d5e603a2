import { cpuMs, residentBytes } from "../usage.ts";
import { BEAT_MS } from "./wire.ts";

export interface WatchLimits {
  /** Milliseconds of the processor that a check may take without giving its process a turn. */
  readonly busyMs: number;
  readonly memoryBytes: number;
}
type Kill = (reason: "memory" | "output" | "time", why: string) => void;

/** Looks after a process's memory, its output, and whether it still takes turns. */
export class ProcessWatch {
  private readonly timer: ReturnType<typeof setInterval>;
  private heardAt = performance.now();
  /** What it had taken of the processor when it was last heard. */
  private heardAtCpuMs: number | null = null;
  private outputBytes = 0;
  private memoryBytes = 0;

  constructor(
    private readonly pid: number,
    private readonly limits: WatchLimits,
    /** What it is working on. */
    private readonly jobs: { readonly size: number },
    private readonly kill: Kill,
  ) {
    this.timer = setInterval(() => this.look(), WATCH_MS);
    this.timer.unref?.();
  }
  stop(): void {
    clearInterval(this.timer);
  }
  /** It has written so many bytes, or needs to say nothing. */
  hear(bytes = 0): void {
    this.heardAt = performance.now();
    this.heardAtCpuMs = null;
    this.outputBytes += bytes;
  }
  get seemsStuck(): boolean {
    return this.silentMs > LONG_SILENCE_MS || (this.silentMs > 2 * BEAT_MS && this.busyMs > BEAT_MS);
  }
  /** Its memory comes near its limit. */
  get hasGrown(): boolean {
    return this.memoryBytes > this.limits.memoryBytes * GROWN_AT;
  }

  private get silentMs(): number {
    return performance.now() - this.heardAt;
  }
  /** Milliseconds of the processor that it has taken since it was last heard; by the clock where the system does not tell. */
  private get busyMs(): number {
    const cpu = cpuMs(this.pid);
    this.heardAtCpuMs ??= cpu;
    return cpu === null || this.heardAtCpuMs === null ? this.silentMs : cpu - this.heardAtCpuMs;
  }
  private look(): void {
    const { busyMs, memoryBytes } = this.limits;
    this.memoryBytes = residentBytes(this.pid) ?? 0;
    if (this.memoryBytes > memoryBytes)
      return this.kill("memory", `its process took more than ${Math.round(memoryBytes / MB)} MB of memory`);
    if (this.outputBytes > MAX_OUTPUT_PER_LOOK) return this.kill("output", "its process flooded its standard output");
    this.outputBytes = 0;
    if (this.jobs.size === 0) return undefined;
    const busy = this.busyMs;
    const isStuck = this.silentMs > SILENT_MS && busy > SILENT_MS - 2 * WATCH_MS;
    if (isStuck && (this.jobs.size > 1 || busy > busyMs)) this.kill("time", `it kept its process busy for ${Math.round(busy)} ms`);
    return undefined;
  }
}
const MB = 1024 * 1024;
const WATCH_MS = 50;
/** A process that says nothing for so long while it has work is inside a check that gives no turns: it beats. */
const SILENT_MS = 300;
const LONG_SILENCE_MS = 250;
const MAX_OUTPUT_PER_LOOK = 128 * MB;
const GROWN_AT = 0.75;
