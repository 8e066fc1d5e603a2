import type { ComputeProcess } from "./process.ts";
import type { Waiting } from "./queue.ts";
import { type Answer, failed, type Work } from "./work.ts";

/** Work from when it is asked for until it is answered: by a process, by having waited too long, or by its client leaving. */
export class Job implements Waiting {
  readonly answered: Promise<Answer>;
  private answer: (answer: Answer) => void = () => undefined;
  private by: ComputeProcess | undefined;
  private readonly timer: ReturnType<typeof setTimeout>;

  /** `dropped` hears that it waits no more although no process took it. */
  constructor(
    readonly work: Work,
    waitMs: number,
    private readonly dropped: (job: Job) => void,
  ) {
    this.answered = new Promise((resolve) => {
      this.answer = resolve;
    });
    this.timer = setTimeout(() => this.drop(failed("busy", `no process was free within ${waitMs} ms`)), waitMs);
    if (work.signal?.aborted) this.left();
    else work.signal?.addEventListener("abort", this.left, { once: true });
  }
  get tenant(): string {
    return this.work.tenant;
  }
  get chars(): number {
    return this.work.text.length;
  }

  /** A process works on it from now on. */
  async doneBy(process: ComputeProcess): Promise<void> {
    clearTimeout(this.timer);
    this.by = process;
    this.settle(await process.ask(this.work));
  }
  /** It will not be done. */
  refuse(why: string): void {
    this.settle(failed("busy", why));
  }

  private readonly left = (): void => {
    this.by?.hurry();
    this.drop(failed("unavailable", "the client left before it had answered"));
  };
  private drop(answer: Answer): void {
    this.dropped(this);
    this.settle(answer);
  }
  private settle(answer: Answer): void {
    clearTimeout(this.timer);
    this.work.signal?.removeEventListener("abort", this.left);
    this.answer(answer);
  }
}
