import { AT, MAX_PLUGINS } from "./marks.ts";

/** What is said of a main thread that stands still, or has just gone on. */
export interface StallReport {
  readonly event: "event_loop.stalled" | "event_loop.recovered";
  readonly ms: number;
  /** The plugin whose code was entered last. */
  readonly plugin: string;
  /** Calls to plugins that are not answered yet, by plugin. */
  readonly open: Readonly<Record<string, number>>;
}
export interface StallLimits {
  /** How late the heartbeat may be. */
  readonly lateMs: number;
}

/**
 * Follows the heartbeat of the main thread. A stall is told when it is noticed, again each time it has lasted twice as
 * long, and when it is over. When the watch itself was not called for as long, the whole process stood still, which is
 * nobody's fault.
 */
export class StallWatch {
  private lastTick: number;
  private lastBeatAt: number;
  private lastBeat: number;
  private nextAtMs: number;

  constructor(
    private readonly marks: Int32Array,
    private readonly names: ReadonlyMap<number, string>,
    private readonly limits: StallLimits,
    now: number,
  ) {
    this.lastTick = this.lastBeatAt = now;
    this.lastBeat = this.read(AT.beat);
    this.nextAtMs = limits.lateMs;
  }

  /** `at` is the wall clock's time in seconds. */
  tick(now: number, at: number): StallReport | undefined {
    const frozen = now - this.lastTick >= this.limits.lateMs;
    this.lastTick = now;
    const beat = this.read(AT.beat);
    const ms = Math.round(now - this.lastBeatAt);
    if (beat !== this.lastBeat || frozen) return this.goesOn(beat, now, ms);
    return ms >= this.nextAtMs ? this.stands(ms, at) : undefined;
  }

  private goesOn(beat: number, now: number, ms: number): StallReport | undefined {
    const stood = this.nextAtMs > this.limits.lateMs;
    this.lastBeat = beat;
    this.lastBeatAt = now;
    this.nextAtMs = this.limits.lateMs;
    if (!stood) return undefined;
    Atomics.store(this.marks, AT.lastMs, ms);
    Atomics.add(this.marks, AT.stalledMs, ms);
    return { ...this.report("event_loop.recovered", ms), plugin: this.name(this.read(AT.lastPlugin)) };
  }

  private stands(ms: number, at: number): StallReport {
    if (this.nextAtMs === this.limits.lateMs) Atomics.add(this.marks, AT.stalls, 1);
    this.nextAtMs *= 2;
    Atomics.store(this.marks, AT.lastPlugin, this.read(AT.entered));
    Atomics.store(this.marks, AT.lastMs, ms);
    Atomics.store(this.marks, AT.lastAt, at);
    return this.report("event_loop.stalled", ms);
  }

  private report(event: StallReport["event"], ms: number): StallReport {
    const open: Record<string, number> = {};
    for (let number = 0; number < MAX_PLUGINS; number += 1) {
      const count = this.read(AT.open + number);
      if (count > 0) open[this.name(number)] = count;
    }
    return { event, ms, plugin: this.name(this.read(AT.entered)), open };
  }
  private read(place: number): number {
    return Atomics.load(this.marks, place);
  }
  private name(number: number): string {
    return this.names.get(number) ?? `plugin ${number}`;
  }
}
