import { clearTimeout, setTimeout } from "node:timers";
import { GatewayError, type Health, type Job, type KeyValue, type Logger, messageOf } from "#contract";
import { entering, whileOpen } from "../process/watchdog/marks.ts";
import { LEASE_MS, takeLease } from "./lease.ts";

/** A job, whose it is, and what its runs work with. */
export interface JobParts {
  /** `kind/id` of its plugin; `gateway` for its own. */
  readonly plugin: string;
  /** What stands for the plugin where the watchdog looks. */
  readonly mark: number;
  readonly job: Job;
  readonly kv: KeyValue;
  readonly log: Logger;
  readonly redact: (text: string) => string;
  readonly now: () => number;
}

/** The first run comes shortly after the start, so that a process that is restarted often does its work too. */
const FIRST_MS = 1_000;
/** The longest pause after a failed run. */
const RETRY_MS = 60_000;

/** Runs one job by the clock, from `start` to `stop`. */
export class JobRunner {
  readonly #stopped = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> = Promise.resolve();
  #failure: string | null = null;
  /** The store that says whose turn it is cannot be asked; it is told as what does not work, and not each of its jobs. */
  #waits = false;
  #isRunning = false;
  #runs = 0;
  #endedAt: number | null = null;

  constructor(private readonly parts: JobParts) {}

  get name(): string {
    return `${this.parts.plugin}:${this.parts.job.id}`;
  }
  start(): void {
    this.#after(Math.min(FIRST_MS, this.parts.job.everyMs));
  }
  /** Nothing new begins; resolves when what runs has ended. */
  stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#stopped.abort(new Error("the process or its configuration ends"));
    return this.#turn;
  }
  health(): Health {
    const { runs, everyMs } = this.parts.job;
    const ended = this.#endedAt === null ? null : new Date(this.#endedAt).toISOString();
    return {
      degraded: this.#failure === null ? [] : [`The job ${this.name} fails, and is tried again within a minute: ${this.#failure}`],
      detail: {
        runs,
        every_seconds: everyMs / 1_000,
        running: this.#isRunning,
        runs_here: this.#runs,
        last_ended_at: ended,
        waits_for_store: this.#waits,
      },
    };
  }

  #after(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#turn = this.#takeTurn();
    }, ms);
    this.#timer.unref();
  }
  async #takeTurn(): Promise<void> {
    const { everyMs, runs } = this.parts.job;
    let pauseMs = Math.min(everyMs, RETRY_MS);
    try {
      pauseMs = runs === "one" ? await this.#inOneProcess() : await this.#run(this.#stopped.signal);
    } catch (thrown) {
      this.#failed(thrown);
    }
    if (!this.#stopped.signal.aborted) this.#after(pauseMs);
  }
  /** Answers how long to wait: until the next run is due, or another process may have lost its lease. */
  async #inOneProcess(): Promise<number> {
    const { kv, now, job } = this.parts;
    const lease = await takeLease(kv, `job:${this.name}`).catch(storeAway);
    this.#waits = lease === AWAY;
    if (lease === AWAY || !lease) return Math.min(LEASE_MS, job.everyMs);
    try {
      const dueMs = await this.#dueIn();
      if (dueMs > 0) return dueMs;
      const pauseMs = await this.#run(AbortSignal.any([this.#stopped.signal, lease.lost]));
      await kv.set(this.#ranKey, new TextEncoder().encode(String(now())), 2 * job.everyMs);
      return pauseMs;
    } finally {
      await lease.release();
    }
  }
  /** Milliseconds until the interval since the last run, in whichever process, is over. */
  async #dueIn(): Promise<number> {
    const { kv, now, job } = this.parts;
    const ran = await kv.get(this.#ranKey);
    if (ran === undefined) return 0;
    return Math.min(Number(new TextDecoder().decode(ran)) + job.everyMs - now(), job.everyMs);
  }
  get #ranKey(): string {
    return `job:${this.name}:ran`;
  }

  async #run(signal: AbortSignal): Promise<number> {
    const { job, mark, now } = this.parts;
    this.#isRunning = true;
    try {
      entering(mark);
      await whileOpen(mark, Promise.resolve(job.run(signal)));
      signal.throwIfAborted(); // a run that was stopped is not a run that was done
      this.#succeeded();
      return job.everyMs;
    } finally {
      this.#isRunning = false;
      this.#endedAt = now();
    }
  }
  #succeeded(): void {
    this.#runs += 1;
    if (this.#failure !== null) this.parts.log("info", "job.recovered", { job: this.name });
    this.#failure = null;
  }
  /** Said when it begins to fail, not every time. */
  #failed(thrown: unknown): void {
    if (this.#stopped.signal.aborted) return;
    if (this.#failure === null) this.parts.log("warn", "job.failed", { job: this.name, why: thrown });
    this.#failure = this.parts.redact(messageOf(thrown));
  }
}

const AWAY = "away";
function storeAway(thrown: unknown): typeof AWAY {
  if (GatewayError.is(thrown) && thrown.code === "STORAGE_UNAVAILABLE") return AWAY;
  throw thrown;
}
