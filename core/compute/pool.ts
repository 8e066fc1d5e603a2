import { type Health, type Logger, messageOf } from "#contract";
import type { PipedChild } from "../platform.ts";
import { Allowance, type Spending } from "./allowance.ts";
import { Job } from "./job.ts";
import { spawnGroup } from "./process-group.ts";
import { ComputeProcess, type ProcessLimits } from "./process.ts";
import { FairQueue } from "./queue.ts";
import { type Answer, failed, type Work } from "./work.ts";

/** Where the work of checks is done: here when it is cheap, else in processes of their own. */
export interface Compute {
  /** May so many milliseconds be taken of this thread, here and now? They count when they may. */
  takesHere(ms: number, spending: Spending, now: number): boolean;
  /** Has it done in another process. Never rejects. */
  elsewhere(work: Work): Promise<Answer>;
  /** Since the start of the gateway. */
  counts(): PoolCounts;
}

export interface PoolOptions extends Partial<ProcessLimits> {
  readonly processes: number;
  readonly log: Logger;
  readonly start?: () => PipedChild;
  /** Milliseconds without work after which a process ends. */
  readonly idleMs?: number;
  /** Milliseconds that work may wait for a process. */
  readonly waitMs?: number;
}

/** Work that was done, that was stopped for its budget, and that was refused a place; and processes started. */
export interface PoolCounts {
  readonly done: number;
  readonly budget: number;
  readonly busy: number;
  readonly started: number;
}

/** Processes for work that may be dear: started when there is some, bounded, shared fairly by tenants, ended when idle. */
export class ComputePool implements Compute {
  private readonly allowance = new Allowance();
  private readonly queue = new FairQueue<Job>();
  private readonly idle = new Map<ComputeProcess, ReturnType<typeof setTimeout>>();
  private readonly alive = new Set<ComputeProcess>();
  /** Processes at work, by whose work it is. */
  private readonly working = new Map<string, number>();
  private starting = 0;
  private closed = false;
  /** Until a process may be started again. */
  private retry: ReturnType<typeof setTimeout> | undefined;
  private cannotStart: { readonly why: string; readonly at: number } | undefined;
  private readonly counted: { -readonly [C in keyof PoolCounts]: number } = { done: 0, budget: 0, busy: 0, started: 0 };
  private readonly limits: ProcessLimits;

  constructor(private readonly options: PoolOptions) {
    const { deadlineMs = 1_000, memoryBytes = 256 * 1024 * 1024, startMs = 10_000 } = options;
    this.limits = { deadlineMs, memoryBytes, startMs };
  }

  takesHere(ms: number, spending: Spending, now: number): boolean {
    return this.allowance.take(ms, spending, now);
  }

  async elsewhere(work: Work): Promise<Answer> {
    const answer = await this.answered(work);
    if (answer.kind !== "failed") this.counted.done += 1;
    else if (answer.class === "budget" || answer.class === "busy") this.counted[answer.class] += 1;
    return answer;
  }

  counts(): PoolCounts {
    return this.counted;
  }
  get state(): { readonly processes: number; readonly waiting: number } {
    return { processes: this.alive.size, waiting: this.queue.length };
  }
  health(): Health {
    const { cannotStart } = this;
    const degraded = cannotStart
      ? [
          `No process for checks that take long can be started: ${cannotStart.why}. Guardrails that deny refuse what such checks would judge.`,
        ]
      : [];
    return { degraded, detail: { ...this.state, ...this.counted } };
  }

  /** Ends every process; what waits is refused. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.retry);
    this.refuseAll("the gateway is stopping");
    const ending = [...this.alive];
    for (const process of ending) process.stop("the gateway is stopping");
    await Promise.all(ending.map(({ ended }) => ended));
  }

  private answered(work: Work): Promise<Answer> {
    const refusal = this.refusal();
    if (refusal !== undefined) return Promise.resolve(failed("busy", refusal));
    const job = new Job(work, this.options.waitMs ?? WAIT_MS, (dropped) => this.queue.remove(dropped));
    if (!work.signal?.aborted && !this.queue.add(job)) job.refuse("too much work waits already");
    this.dispatch();
    return job.answered;
  }

  /** Why nothing can be taken on just now. */
  private refusal(): string | undefined {
    if (this.closed) return "the gateway is stopping";
    const { cannotStart } = this;
    return cannotStart && this.retryInMs > 0 && this.isDeserted ? `no process could be started: ${cannotStart.why}` : undefined;
  }
  /** Nobody is left who does the work, or may soon. */
  private get isDeserted(): boolean {
    return [...this.alive].every(({ isOver }) => isOver);
  }
  private get retryInMs(): number {
    return this.cannotStart ? this.cannotStart.at + RETRY_START_MS - performance.now() : 0;
  }
  private refuseAll(why: string): void {
    for (const job of this.queue.drain()) job.refuse(why);
  }

  /** Gives waiting work to idle processes, and starts another when there is more work than they are. */
  private dispatch(): void {
    for (const [process, timer] of this.idle) {
      if (process.isOver) continue; // its end is on the way
      const job = this.queue.take((tenant) => this.mayHaveAnother(tenant));
      if (!job) return;
      clearTimeout(timer);
      this.idle.delete(process);
      void this.give(job, process);
    }
    if (this.queue.length > this.starting && this.alive.size < this.options.processes && !this.closed) this.startAnother();
  }

  /** One process is always left to the others. */
  private mayHaveAnother(tenant: string): boolean {
    return (this.working.get(tenant) ?? 0) < Math.max(1, this.options.processes - 1);
  }

  private async give(job: Job, process: ComputeProcess): Promise<void> {
    const { tenant } = job;
    this.working.set(tenant, (this.working.get(tenant) ?? 0) + 1);
    await job.doneBy(process);
    const left = (this.working.get(tenant) ?? 1) - 1;
    if (left > 0) this.working.set(tenant, left);
    else this.working.delete(tenant);
    if (process.worn) process.stop("it has grown large");
    else this.rest(process);
    this.dispatch();
  }

  private rest(process: ComputeProcess): void {
    const timer = setTimeout(() => {
      this.idle.delete(process); // it ends a moment later
      process.stop("it had nothing to do");
    }, this.options.idleMs ?? IDLE_MS);
    timer.unref?.();
    this.idle.set(process, timer);
  }

  /** Now, or a while after the last time that it could not be done. */
  private startAnother(): void {
    if (this.retryInMs <= 0) return void this.start();
    this.retry ??= setTimeout(() => {
      this.retry = undefined;
      this.dispatch();
    }, this.retryInMs);
    this.retry.unref?.();
  }
  private async start(): Promise<void> {
    this.starting += 1;
    try {
      const process = new ComputeProcess(this.options.start ?? (() => spawnGroup(["compute"])), this.limits);
      this.alive.add(process);
      void process.ended.then(() => this.gone(process));
      await process.ready;
      this.cannotStart = undefined;
      this.counted.started += 1;
      this.rest(process);
    } catch (thrown) {
      this.notStarted(messageOf(thrown));
    } finally {
      this.starting -= 1;
    }
    this.dispatch();
  }

  /** Whoever waits is told at once when nobody is left to do the work; later work tries again. */
  private notStarted(why: string): void {
    if (this.closed) return;
    if (!this.cannotStart) this.options.log("error", "compute.not_started", { why });
    this.cannotStart = { why, at: performance.now() };
    if (this.isDeserted) this.refuseAll(`no process could be started: ${why}`);
  }

  private gone(process: ComputeProcess): void {
    clearTimeout(this.idle.get(process));
    this.idle.delete(process);
    this.alive.delete(process);
    if (!this.closed) this.dispatch();
  }
}

const WAIT_MS = 10_000;
const IDLE_MS = 60_000;
const RETRY_START_MS = 1_000;
