import { CheckFault, type CheckInput, type Health, type Json, messageOf, type Verdict } from "#contract";
import type { PipedChild } from "../../platform.ts";
import { FairQueue, type QueueLimits } from "../queue.ts";
import type { PackSource } from "../work.ts";
import type { CheckWork } from "./described.ts";
import type { PackHost } from "./host-calls.ts";
import { type JobWatch, PackJob, type Question, tenantOf } from "./pack-job.ts";
import { detailOf, type PackCounts } from "./pack-counts.ts";
import { type End, type EndReason, type PackLimits, PackProcess } from "./pack-process.ts";
import { Suspects } from "./suspects.ts";
import type { DescribedPack, DescribedPlugin } from "./wire.ts";

export interface PackOptions extends PackLimits {
  readonly processes: number;
  readonly start: () => PipedChild;
}
/** The processes of one isolated pack: started when there is work for them, killed when they misbehave, replaced after a while. */
export class PackPool implements CheckWork, JobWatch {
  private readonly alive = new Set<PackProcess>();
  private readonly queue = new FairQueue<PackJob>(LIMITS);
  /** Jobs that each get a process to themselves: those whose process was killed while it had others. */
  private readonly exclusive = new FairQueue<PackJob>(LIMITS);
  /** Jobs of suspects, who share no process but with themselves. */
  private readonly suspected = new FairQueue<PackJob>(LIMITS);
  private readonly suspects = new Suspects();
  private first: PackProcess | undefined;
  private setup: { readonly host: PackHost; readonly config: Json } | undefined;
  private starting = 0;
  private jobs = 0;
  /** Processes that ended one after the other without an answer in between. */
  private failures = 0;
  private retryAt = 0;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private cannotStart: string | undefined;
  private isClosed = false;

  constructor(
    private readonly source: PackSource,
    private readonly options: PackOptions,
    private readonly counts: PackCounts,
  ) {}

  /** Loads the pack in its first process, and tells what it is. */
  async load(): Promise<DescribedPlugin> {
    this.first = this.spawned();
    const unused = setTimeout(() => this.setup === undefined && void this.first?.close(), this.options.startMs);
    unused.unref?.();
    return this.first.loaded;
  }
  /** Sets it up there, and from now on in every other. */
  async start(host: PackHost, config: Json): Promise<DescribedPack> {
    this.setup = { host, config };
    const process = this.first?.isOver === false ? this.first : this.spawned();
    this.first = undefined;
    return process.setUp(host, config);
  }

  judge(check: string, input: CheckInput<unknown>): Promise<Verdict> {
    return this.asked({ ask: "verdict", check, input }) as Promise<Verdict>; // the engine judges whatever came
  }
  problems(check: string, params: unknown, tenant: string): Promise<readonly string[]> {
    return this.asked({ ask: "problems", check, params, tenant }) as Promise<readonly string[]>; // of the pack's own check
  }
  health(): Health {
    const { cannotStart, counts } = this;
    const degraded = cannotStart === undefined ? [] : [`No process for it can be started: ${cannotStart}.`];
    return { degraded, detail: { isolate: "process", waiting: this.waiting, ...detailOf(counts) } };
  }
  /** Waits for what is under way. */
  async drain(deadline: AbortSignal): Promise<void> {
    const jobs = [...this.alive].flatMap((process) => [...process.jobs.values()]); // requests were waited for before: this is what they left
    const over = new Promise((resolve) => deadline.addEventListener("abort", resolve, { once: true }));
    await Promise.race([over, Promise.allSettled(jobs.map(({ answered }) => answered))]);
  }
  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.retry);
    this.refuseWaiting("the pack is being stopped");
    await Promise.all([...this.alive].map((process) => process.close()));
  }

  /* ── jobs ────────────────────────────────────────────────────────────────────────────────────────────────── */

  private get waiting(): number {
    return this.queue.length + this.exclusive.length + this.suspected.length;
  }
  private asked(question: Question): Promise<unknown> {
    if (this.isClosed) return Promise.reject(new CheckFault("busy", `${question.check}: the pack is being stopped`));
    this.jobs += 1;
    const job = new PackJob(this.jobs, question, this, this.suspects.has(tenantOf(question)));
    if (!this.queueOf(job).add(job)) job.fail(new CheckFault("busy", `${question.check}: too much work waits for its pack's processes`));
    else this.dispatch();
    return job.answered;
  }
  left(job: PackJob): void {
    this.unqueue(job);
    job.process?.stop(job);
  }
  overdue(job: PackJob): void {
    const { process, question } = job;
    const who = question.check;
    if (process === undefined) {
      this.unqueue(job);
      job.fail(new CheckFault("busy", `${who}: no process of its pack was free in time`));
    } else if (process.seemsStuck || question.ask === "problems") {
      this.blame(job, "it kept its process busy until its time was up");
      process.kill("time", "a check kept it busy until its time was up");
    } // else it waits for something, and the engine says that its time is up
  }
  private unqueue(job: PackJob): void {
    this.queueOf(job).remove(job);
  }
  private refuseWaiting(why: string): void {
    for (const queue of [this.queue, this.exclusive, this.suspected])
      for (const job of queue.drain()) job.fail(new CheckFault("busy", `${job.question.check}: ${why}`));
  }
  private readonly onAnswer = (job: PackJob): void => {
    this.failures = 0;
    this.counts.judged += 1;
    this.counts.judgedMs += performance.now() - job.startedAt;
    const { process } = job;
    if (process?.jobs.size === 0 && process.isWorn) void process.close();
    queueMicrotask(() => this.dispatch());
  };

  /** Gives waiting jobs to processes that have room, and starts another process when all have work. */
  private dispatch(): void {
    if (this.isClosed) return;
    this.giveFrom(this.exclusive, (tenant) => this.placeAlone(tenant));
    this.giveFrom(this.suspected, (tenant) => this.placeAmongOwn(tenant));
    this.giveFrom(this.queue, () => this.leastBusy(MAX_JOBS));
    const isCrowded = this.waiting > 0 || !this.leastBusy(CROWDED_JOBS);
    if (isCrowded && this.starting === 0 && this.alive.size < this.options.processes) this.startAnother();
  }
  private giveFrom(queue: FairQueue<PackJob>, placeFor: (tenant: string) => PackProcess | undefined): void {
    let place: PackProcess | undefined;
    for (let job = next(); job; job = next()) {
      place?.give(job);
      if (job.isApart && !job.hasShared) this.watchCalm(job);
    }
    function next(): PackJob | undefined {
      return queue.take((tenant) => (place = placeFor(tenant)) !== undefined);
    }
  }
  private watchCalm(job: PackJob): void {
    const { process } = job;
    if (process) setTimeout(() => this.shareWhereCalm(job, process), CALM_MS).unref?.();
  }
  /** A job that only waits for something, and lets its process take turns, keeps it from nobody; once, for its fault may come later. */
  private shareWhereCalm(job: PackJob, process: PackProcess): void {
    if (job.isOver || job.process !== process || process.isOver || process.seemsStuck) return;
    job.hasShared = true;
    job.isAlone = job.isSuspect = false;
    this.dispatch();
  }
  private placeAlone(tenant: string): PackProcess | undefined {
    return this.mayKeepAnother(tenant) ? this.leastBusy(1) : undefined;
  }
  private placeAmongOwn(tenant: string): PackProcess | undefined {
    return this.leastBusy(MAX_JOBS, (process) => isKeptFor(process, tenant)) ?? this.placeAlone(tenant);
  }
  /** One process is always left to the others. */
  private mayKeepAnother(tenant: string): boolean {
    const own = [...this.alive].filter(({ jobs }) => [...jobs.values()].some((job) => job.isApart && job.tenant === tenant));
    return own.length < Math.max(1, this.options.processes - 1);
  }
  private queueOf({ isAlone, isSuspect }: PackJob): FairQueue<PackJob> {
    return isAlone ? this.exclusive : isSuspect ? this.suspected : this.queue;
  }
  /** Of those with fewer jobs than that; unless it is said which, of those that nobody has for himself. */
  private leastBusy(jobs: number, may: (process: PackProcess) => boolean = isForAll): PackProcess | undefined {
    let found: PackProcess | undefined;
    for (const process of this.alive) {
      const hasRoom = process.isReady && !process.isOver && process.jobs.size < jobs && !process.isWorn && may(process);
      if (hasRoom && process.jobs.size < (found?.jobs.size ?? jobs)) found = process;
    }
    return found;
  }

  /* ── processes ───────────────────────────────────────────────────────────────────────────────────────────── */

  private spawned(): PackProcess {
    const process = new PackProcess(this.options.start, this.source, this.options, this.onAnswer);
    this.alive.add(process);
    this.counts.started += 1;
    this.counts.processes += 1;
    void process.ended.then((end) => this.gone(process, end));
    return process;
  }
  private startAnother(): void {
    const waitMs = this.retryAt - performance.now();
    if (waitMs <= 0) return void this.startNow();
    this.retry ??= setTimeout(() => {
      this.retry = undefined;
      this.dispatch();
    }, waitMs);
    this.retry.unref?.();
  }
  private async startNow(): Promise<void> {
    const { setup } = this;
    if (!setup) return;
    this.starting += 1;
    const process = this.spawned();
    try {
      await process.setUp(setup.host, setup.config);
      this.cannotStart = undefined;
    } catch (thrown) {
      this.cannotStart = messageOf(thrown);
      process.kill("exit", this.cannotStart);
      setup.host.log("error", "isolated.not_started", { why: this.cannotStart });
    } finally {
      this.starting -= 1;
    }
    this.dispatch();
  }
  private gone(process: PackProcess, { reason, why }: End): void {
    this.alive.delete(process);
    this.counts.processes -= 1;
    this.counts.ended[reason] += 1;
    if (reason !== "closed") this.backOff(reason, why);
    for (const job of process.jobs.values()) {
      if (job.isOver) continue;
      job.process = undefined;
      if (process.jobs.size === 1 || job.isAlone) this.blame(job, why);
      else {
        job.isAlone = true;
        if (!this.exclusive.add(job)) job.fail(new CheckFault("busy", `${job.question.check}: ${why}, and too much waits already`));
      }
    }
    this.dispatch();
  }
  private blame(job: PackJob, why: string): void {
    this.suspects.add(job.tenant);
    job.fail(new CheckFault("budget", `${job.question.check}: ${why}, and was stopped`));
  }
  /** At once after the first, later and later after further ones: a pack that cannot live must not take the machine. */
  private backOff(reason: EndReason, why: string): void {
    const waitMs = this.failures === 0 ? 0 : Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (this.failures - 1));
    this.failures += 1;
    this.retryAt = performance.now() + waitMs;
    this.setup?.host.log("warn", "isolated.ended", { reason, why, next_in_ms: waitMs });
  }
}
/** What may wait, and the part of it that one tenant may take. */
const LIMITS: QueueLimits = { jobs: 400, chars: 64_000_000, share: 0.25 };
const MAX_JOBS = 16;
/** Another process is started when each has so many. */
const CROWDED_JOBS = 4;
/** After so many milliseconds a check that keeps its process busy has missed several beats. */
const CALM_MS = 300;
const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;

const isForAll = ({ jobs }: PackProcess): boolean => ![...jobs.values()].some((job) => job.isApart);
/** Suspects of that tenant, and nobody else, are judged there. */
const isKeptFor = ({ jobs }: PackProcess, tenant: string): boolean =>
  jobs.size > 0 && [...jobs.values()].every((job) => job.isSuspect && !job.isAlone && job.tenant === tenant);
