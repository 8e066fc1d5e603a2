import type { Segment } from "#contract";
import type { How } from "./stream-mode.ts";
import type { ActiveGuardrail, BoundCheck } from "../plan/guardrails/active.ts";
import type { CheckOutcome } from "./types.ts";

/** The text of one kind in one choice, as far as it has come and as far as it is still needed. */
export class Lane {
  /** Characters already dropped from the front. */
  private dropped = 0;
  private text = "";
  readonly watches: Watch[] = [];
  constructor(
    readonly choice: number,
    readonly kind: "text" | "reasoning",
    readonly path: string,
    /** Its text stands beside what the model wrote. */
    readonly isBeside = false,
  ) {}

  get length(): number {
    return this.dropped + this.text.length;
  }
  add(text: string): void {
    this.text += text;
  }
  segment(from: number, to: number): Segment {
    return { path: this.path, role: "assistant", kind: this.kind, text: this.text.slice(from - this.dropped, to - this.dropped) };
  }
  /** Text up to here has passed every window that could show a part of it. */
  get free(): number {
    return this.watches.reduce((least, { free }) => Math.min(least, free), Infinity);
  }
  forget(): void {
    const needed = this.watches.reduce((least, { from }) => Math.min(least, from), this.length);
    this.text = this.text.slice(needed - this.dropped);
    this.dropped = needed;
  }
}

/**
 * One check over one lane. Windows lie at fixed places (each begins `overlap` before the last one's end), so the
 * verdict does not depend on how the text was cut into chunks. The overlap of the last passed window stays held:
 * a pattern of up to overlap + 1 characters is then never released even in part.
 */
export class Watch {
  from = 0;
  private judged = 0;
  private ended = false;
  constructor(
    readonly part: Part,
    readonly lane: Lane,
    private readonly chars: number,
    private readonly overlap: number,
  ) {}

  get free(): number {
    return this.ended ? this.lane.length : Math.max(0, this.judged - this.overlap);
  }
  /** The next window's segment, when it is full, or at the end when it says something new. */
  next(atEnd: boolean): Segment | undefined {
    const full = this.from + this.chars <= this.lane.length;
    if (full) return this.take(this.from + this.chars);
    this.ended = atEnd;
    return atEnd && this.lane.length > this.judged ? this.take(this.lane.length) : undefined;
  }
  private take(to: number): Segment {
    const segment = this.lane.segment(this.from, to);
    this.judged = to;
    this.from = Math.max(0, to - this.overlap);
    return segment;
  }
}

/** One check of one guardrail, and its judgement so far. */
export interface Part {
  readonly guardrail: ActiveGuardrail;
  readonly check: BoundCheck;
  readonly how: How;
  judged: CheckOutcome | undefined;
}

/** A check watches the lanes of its kinds; with the documented scope only those of the first answer. */
export function watch(part: Part, lane: Lane): void {
  const { how, check } = part;
  const mode = check.loaded?.check.stream;
  if (check.measures && lane.isBeside) return;
  if (how !== "window" || typeof mode !== "object" || !check.wants.has(lane.kind) || (check.scope === "last_message" && lane.choice !== 0))
    return;
  const chars = Math.max(1, mode.window.chars);
  lane.watches.push(new Watch(part, lane, chars, Math.min(Math.max(0, mode.window.overlap), chars - 1)));
}
