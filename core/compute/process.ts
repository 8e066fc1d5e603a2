import { messageOf, nextTurn } from "#contract";
import type { PipedChild } from "../platform.ts";
import { chunksOf, type Frame, FrameReader, jsonFrame, textFrames, textOf } from "./frames.ts";
import { cpuMs, niced, residentBytes } from "./usage.ts";
import { type Answer, failed, type JobHead, type ReplyHead, type Work } from "./work.ts";

export interface ProcessLimits {
  readonly deadlineMs: number;
  readonly memoryBytes: number;
  /** Milliseconds from its start until it must be able to work. */
  readonly startMs: number;
}

/** One compute process, as the gateway sees it: it takes one piece of work at a time, and is killed when that takes too much. */
export class ComputeProcess {
  /** Resolves when it can take work; rejects when it cannot be started. */
  readonly ready: Promise<void>;
  /** Resolves when it has ended, whoever ended it. */
  readonly ended: Promise<void>;
  private readonly child: PipedChild;
  private job: Running | undefined;
  private over = false;
  private becameReady: () => void = () => undefined;

  constructor(
    start: () => PipedChild,
    private readonly limits: ProcessLimits,
  ) {
    this.child = start();
    niced(this.child.pid, NICER_BY);
    this.ready = this.startedInTime();
    this.ended = this.child.exited.then((code) => this.end(`it ended by itself (code ${code})`));
    void this.listen();
  }

  /** Asks, and answers whatever happens. Nobody asks while it works. */
  ask(work: Work): Promise<Answer> {
    return new Promise((answer) => {
      this.job = new Running(this.child.pid, Math.min(work.deadlineMs, this.limits.deadlineMs), this.limits.memoryBytes, {
        answer,
        stop: (why) => this.stop(why),
      });
      void this.send(work).catch((thrown: unknown) => this.stop(`the work could not be handed over: ${messageOf(thrown)}`));
    });
  }
  /** Nobody waits for the answer any more: it may go on for a moment, since killing costs more than finishing. */
  hurry(): void {
    this.job?.endAfter(GRACE_MS);
  }
  /** Ends it. What it was working on was too much for it. */
  stop(why: string): void {
    this.child.kill("SIGKILL");
    this.end(why);
  }
  /** Has it ended, or is it about to? It takes no work any more. */
  get isOver(): boolean {
    return this.over;
  }
  /** Has it grown so much that the next work would pay for the last? */
  get worn(): boolean {
    return this.over || (residentBytes(this.child.pid) ?? 0) > this.limits.memoryBytes / 2;
  }

  private async send({ pack, check, ask, side, now, params, text, pieces }: Work): Promise<void> {
    const head: JobHead = { pack, check, ask, side, now, ...(pieces && { pieces }), chunks: chunksOf(text) };
    await this.child.write(jsonFrame(JSON.stringify(head)));
    await this.child.write(paramsFrame(params));
    for (const frame of textFrames(text)) {
      await this.child.write(frame);
      await nextTurn(); // a long text is many milliseconds of copying
    }
  }

  private async listen(): Promise<void> {
    const frames = new FrameReader();
    const answers = new Answers();
    try {
      for await (const piece of this.child.output)
        for (const frame of frames.push(piece)) {
          const answer = answers.add(frame);
          if (answer === "ready") this.becameReady();
          else if (answer === "begun") this.job?.begin();
          else if (answer) this.settle(answer);
        }
    } catch (thrown) {
      this.stop(messageOf(thrown));
    }
  }

  private settle(answer: Answer): void {
    this.job?.settle(answer);
    this.job = undefined;
  }
  private end(why: string): void {
    this.over = true;
    this.settle(failed("budget", `${why}, and was stopped.`));
  }

  private startedInTime(): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = (why: string) => () => {
        clearTimeout(timer);
        reject(new Error(why));
      };
      const timer = setTimeout(() => {
        this.stop("it did not start");
        late(`it was not ready within ${this.limits.startMs} ms`)();
      }, this.limits.startMs);
      this.becameReady = () => {
        clearTimeout(timer);
        resolve();
      };
      void this.child.exited.then((code) => late(`it ended while it started (code ${code})`)());
    });
  }
}

const NICER_BY = 5;
const GRACE_MS = 100;
const WATCH_MS = 20;

/**
 * One piece of work while it is under way: the time and the memory it takes. Where the system tells, its time is that of
 * the processor, so that a busy machine does not turn a harmless text into one that takes too long; it waits for that a
 * few times as long at most.
 */
class Running {
  private timer: ReturnType<typeof setTimeout>;
  private readonly watch: ReturnType<typeof setInterval>;
  private begunAtCpuMs: number | null = null;

  constructor(
    private readonly pid: number,
    private readonly deadlineMs: number,
    private readonly memoryBytes: number,
    private readonly tell: { answer(answer: Answer): void; stop(why: string): void },
  ) {
    this.timer = setTimeout(() => tell.stop("it did not take its work"), HANDOVER_MS);
    this.watch = setInterval(() => this.look(), WATCH_MS);
  }
  /** From now on its time counts. */
  begin(): void {
    this.begunAtCpuMs = cpuMs(this.pid);
    this.endAfter(this.deadlineMs * (this.begunAtCpuMs === null ? 1 : PATIENCE));
  }
  /** It ends within so many milliseconds by the clock. */
  endAfter(ms: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.late(), ms);
  }
  settle(answer: Answer): void {
    clearTimeout(this.timer);
    clearInterval(this.watch);
    this.tell.answer(answer);
  }

  private look(): void {
    if ((residentBytes(this.pid) ?? 0) > this.memoryBytes)
      this.tell.stop(`it took more than ${Math.round(this.memoryBytes / MB)} MB of memory`);
    else if (this.begunAtCpuMs !== null && (cpuMs(this.pid) ?? 0) - this.begunAtCpuMs > this.deadlineMs) this.late();
  }
  private late(): void {
    this.tell.stop(`it took longer than ${this.deadlineMs} ms`);
  }
}
const MB = 1024 * 1024;
/** A text of any size the gateway takes is through the pipe by then, and the pack's code is loaded. */
const HANDOVER_MS = 10_000;
/** How many times its deadline a piece of work may take by the clock. */
const PATIENCE = 20;

/** Puts answers together from their frames. */
class Answers {
  private verdict: Extract<ReplyHead, { kind: "verdict" }> | undefined;

  add(frame: Frame): Answer | "ready" | "begun" | undefined {
    const { verdict } = this;
    this.verdict = undefined;
    if (verdict) return { kind: "verdict", verdict: verdict.verdict, dataText: textOf(frame) };
    const head = JSON.parse(textOf(frame)) as ReplyHead; // written by our own other side
    if (head.kind === "ready" || head.kind === "begun") return head.kind;
    if (head.kind === "problems") return head;
    if (head.kind === "thrown") return failed(head.class, head.message);
    if (!head.data) return { kind: "verdict", verdict: head.verdict, dataText: null };
    this.verdict = head;
    return undefined;
  }
}

/** Parameters live as long as the guardrail that is bound to them, and are written once. */
const written = new WeakMap<object, Buffer>();
function paramsFrame(params: unknown): Buffer {
  if (typeof params !== "object" || params === null) return jsonFrame(JSON.stringify(params ?? null));
  const frame = written.get(params) ?? jsonFrame(JSON.stringify(params));
  written.set(params, frame);
  return frame;
}
