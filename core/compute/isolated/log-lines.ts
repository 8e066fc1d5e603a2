import { type HostBase, isJson } from "#contract";
import type { FromPack } from "./wire.ts";

type LogHead = Extract<FromPack, { kind: "log" }>;

export const MAX_LINE_CHARS = 20_000;
export const MAX_EVENT_CHARS = 200;
export const LINES_PER_SECOND = 50;

/** Lines that a pack may write to the log: what is more is a flood. */
export class LogBudget {
  private second = 0;
  private lines = 0;

  constructor(private readonly perSecond: number) {}

  take(): boolean {
    const second = Math.floor(performance.now() / 1_000);
    if (second !== this.second) [this.second, this.lines] = [second, 0];
    this.lines += 1;
    return this.lines <= this.perSecond;
  }
}

/** Lines that a process sends. It should keep to its budget by itself; what does not is left out here. */
export class PackLog {
  /** The process's seconds begin at other times than ours. */
  private readonly budget = new LogBudget(2 * LINES_PER_SECOND);

  take({ level, event, fields }: LogHead, weight: number, host: Pick<HostBase, "log"> | undefined): void {
    const isLine = weight <= MAX_LINE_BYTES && LEVELS.has(level) && typeof event === "string" && isJson(fields);
    if (isLine && this.budget.take()) host?.log(level, event.slice(0, MAX_EVENT_CHARS), fields);
  }
}
/** A line with everything about it, as it comes through the pipe: three bytes for a character, and a little more. */
const MAX_LINE_BYTES = 64 * 1024;
const LEVELS: ReadonlySet<unknown> = new Set<LogHead["level"]>(["debug", "info", "warn", "error"]);
