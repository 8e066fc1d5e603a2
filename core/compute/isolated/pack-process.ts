import { messageOf, type Json } from "#contract";
import type { PipedChild } from "../../platform.ts";
import { type Frame, textOf } from "../frames.ts";
import { niced } from "../usage.ts";
import { MAX_DATA_CHARS, type PackSource } from "../work.ts";
import { HostCalls, type PackHost } from "./host-calls.ts";
import { judgeMessage } from "./judge-message.ts";
import { type Message, MessageReader, MessageWriter } from "./messages.ts";
import { PackLog } from "./log-lines.ts";
import type { PackJob } from "./pack-job.ts";
import { ProcessWatch, type WatchLimits } from "./process-watch.ts";
import { errorFrom } from "./thrown.ts";
import { type DescribedPack, type DescribedPlugin, type FromPack, MAX_FRAME_BYTES, MAX_MESSAGE_BYTES, type ToPack } from "./wire.ts";

export interface PackLimits extends WatchLimits {
  /** Milliseconds from its start until it must be able to work. */
  readonly startMs: number;
}
/** Why a process was ended, or that it ended by itself. */
export type EndReason = "time" | "memory" | "output" | "silence" | "exit" | "closed";
export interface End {
  readonly reason: EndReason;
  readonly why: string;
}

/** One process of an isolated pack, as the gateway sees it: several jobs at a time, and none after it was killed. */
export class PackProcess {
  readonly jobs = new Map<number, PackJob>();
  readonly loaded: Promise<DescribedPlugin>;
  readonly ended: Promise<End>;
  isReady = false;
  /** Jobs that were stopped, and may have left something behind. */
  stopped = 0;
  private readonly child: PipedChild;
  private readonly writer: MessageWriter<ToPack>;
  private readonly watch: ProcessWatch;
  private end: End | undefined;
  private calls: HostCalls | undefined;
  private host: PackHost | undefined;
  private readonly log = new PackLog();
  private told: { readonly [K in "loaded" | "ready" | "failed"]: (value: never) => void };
  private readonly ready: Promise<DescribedPack>;

  constructor(
    start: () => PipedChild,
    source: PackSource,
    limits: PackLimits,
    private readonly onAnswer: (job: PackJob) => void,
  ) {
    this.child = start();
    niced(this.child.pid, NICER_BY);
    this.writer = new MessageWriter((bytes) => this.child.write(bytes));
    const loaded = Promise.withResolvers<DescribedPlugin>();
    const ready = Promise.withResolvers<DescribedPack>();
    this.loaded = loaded.promise;
    this.ready = ready.promise;
    const failed = (thrown: Error): void => {
      loaded.reject(thrown);
      ready.reject(thrown);
    };
    for (const promise of [loaded.promise, ready.promise]) promise.catch(() => undefined); // whoever asks for it is told
    this.told = { loaded: loaded.resolve, ready: ready.resolve, failed };
    this.watch = new ProcessWatch(this.child.pid, limits, this.jobs, (reason, why) => this.kill(reason, why));
    const late = setTimeout(() => !this.isReady && this.kill("time", `it was not ready within ${limits.startMs} ms`), limits.startMs);
    late.unref?.();
    this.ended = this.child.exited.then((code) => {
      clearTimeout(late);
      return this.over({ reason: "exit", why: `its process ended (code ${code})` });
    });
    void this.send({ kind: "load", pack: source });
    void this.listen();
  }
  get pid(): number {
    return this.child.pid;
  }
  get isOver(): boolean {
    return this.end !== undefined;
  }
  /** Does it look as if it were inside a check that gives no turns? For one whose time is up anyway. */
  get seemsStuck(): boolean {
    return this.watch.seemsStuck;
  }
  /** It takes no more work: it has grown, or holds too much that was stopped. */
  get isWorn(): boolean {
    return this.stopped > MAX_STOPPED || this.watch.hasGrown;
  }

  async setUp(host: PackHost, config: Json): Promise<DescribedPack> {
    await this.loaded;
    this.host = host;
    this.calls = new HostCalls(
      host,
      (job) => this.credentialsOf(job),
      (head, attached) => this.send(head, attached),
    );
    void this.send({ kind: "setup", config });
    const pack = await this.ready;
    this.isReady = true;
    return pack;
  }
  give(job: PackJob): void {
    job.process = this;
    if (this.jobs.size === 0) this.watch.hear(); // it has nothing to tell while it has no work
    this.jobs.set(job.id, job);
    void this.hand(job).catch((thrown: unknown) => this.kill("silence", `a job could not be handed over: ${messageOf(thrown)}`));
  }
  /** Nobody waits for it any more. What does not hear that is killed. */
  stop(job: PackJob): void {
    this.stopped += 1;
    void this.send({ kind: "stop", job: job.id });
    const late = setTimeout(() => this.jobs.has(job.id) && this.kill("silence", "a check did not stop when it was told to"), STOP_MS);
    late.unref?.();
  }
  kill(reason: EndReason, why: string): void {
    this.over({ reason, why });
    this.child.kill("SIGKILL");
  }
  /** Ends it when it has let go of what it holds. */
  async close(): Promise<void> {
    this.over({ reason: "closed", why: "it is not needed any more" });
    void this.send({ kind: "end" });
    const late = setTimeout(() => this.child.kill("SIGKILL"), CLOSE_MS);
    await this.ended;
    clearTimeout(late);
  }

  private over(end: End): End {
    this.end ??= end;
    this.watch.stop();
    this.calls?.close();
    this.told.failed(new Error(this.end.why) as never);
    return this.end;
  }
  private send(head: ToPack, attached?: Parameters<MessageWriter<ToPack>["send"]>[1]): Promise<void> {
    return this.writer.send(head, attached).catch(() => undefined); // its end is told elsewhere
  }
  private async hand(job: PackJob): Promise<void> {
    const { question, id } = job;
    if (question.ask === "problems") return this.writer.send({ kind: "problems", job: id, check: question.check, params: question.params });
    const { head, attached } = await judgeMessage(id, question.check, question.input);
    if (!job.isOver) await this.writer.send(head, attached);
    return undefined;
  }
  private credentialsOf(id: number): Promise<Json> | Json {
    const question = this.jobs.get(id)?.question;
    if (question?.ask !== "verdict") throw new Error("an account is for a check that is judging");
    return question.input.credentials();
  }

  private async listen(): Promise<void> {
    const reader = new MessageReader<FromPack>(MAX_FRAME_BYTES, MAX_MESSAGE_BYTES);
    try {
      for await (const bytes of this.child.output) {
        this.watch.hear(bytes.length);
        for (const message of reader.push(bytes)) this.take(message);
      }
    } catch (thrown) {
      this.kill("output", `it wrote to its standard output what is no answer: ${messageOf(thrown)}`);
    }
  }
  private take({ head, attached, weight }: Message<FromPack>): void {
    if (head.kind === "loaded") this.told.loaded(head.plugin as never);
    if (head.kind === "ready") this.told.ready(head.pack as never);
    if (head.kind === "failed") this.told.failed(new Error(head.message) as never);
    if (head.kind === "call") this.calls?.serve(head.call, head.to, attached[0] ?? [], weight);
    if (head.kind === "dropped") this.calls?.drop(head.call);
    if (head.kind === "log") this.log.take(head, weight, this.host);
    if (head.kind === "verdict") this.settled(head.job)?.settle(verdictOf(head.verdict, attached[0]?.[0]));
    if (head.kind === "problems") this.settled(head.job)?.settle(head.problems);
    if (head.kind === "thrown") this.settled(head.job)?.fail(errorFrom(head.thrown));
  }
  private settled(id: number): PackJob | undefined {
    const job = this.jobs.get(id);
    if (!this.jobs.delete(id) || !job) return undefined;
    this.onAnswer(job);
    return job;
  }
}
/** Its code is somebody else's, and may do what it likes with the processor until it is killed. */
const NICER_BY = 10;
const MAX_STOPPED = 100;
const STOP_MS = 250;
const CLOSE_MS = 1_500;

/** Its data is bounded where it is made; a longer one is not ours. */
function verdictOf(verdict: unknown, frame: Frame | undefined): unknown {
  if (frame === undefined || frame.bytes.length > MAX_DATA_CHARS * 4) return verdict;
  return { ...(verdict as object), data: JSON.parse(textOf(frame)) as unknown }; // the engine judges all of it
}
