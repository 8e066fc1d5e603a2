import { CheckFault, type CheckInput } from "#contract";
import type { Waiting } from "../queue.ts";
import { type OfTenant, TENANT } from "../tenant.ts";
import type { PackProcess } from "./pack-process.ts";

/** What a job asks for. */
export type Question =
  | { readonly ask: "verdict"; readonly check: string; readonly input: CheckInput<unknown> }
  | { readonly ask: "problems"; readonly check: string; readonly params: unknown; readonly tenant: string };

/** Hears of what becomes of a job, apart from its answer. */
export interface JobWatch {
  /** Nobody waits for it any more. */
  left(job: PackJob): void;
  /** Its time is almost up. */
  overdue(job: PackJob): void;
}

/** A question from when it is asked until it is answered. */
export class PackJob implements Waiting {
  readonly tenant: string;
  readonly chars: number;
  readonly startedAt = performance.now();
  readonly answered: Promise<unknown>;
  /** Its time is up. */
  isOver = false;
  process: PackProcess | undefined;
  /** It has a process to itself, so that it is known whose fault it is when that must be killed. */
  isAlone = false;
  /** It was seen to wait for something once, and shared its process from then on. */
  hasShared = false;
  private resolve: (answer: unknown) => void = () => undefined;
  private reject: (thrown: Error) => void = () => undefined;
  private readonly timer: ReturnType<typeof setTimeout>;
  private readonly signal: AbortSignal | undefined;

  constructor(
    readonly id: number,
    readonly question: Question,
    private readonly watch: JobWatch,
    /** Its tenant was at fault a short while ago: it shares its process with that tenant's alone. */
    public isSuspect: boolean,
  ) {
    this.tenant = tenantOf(question);
    const { input } = question.ask === "verdict" ? question : { input: undefined };
    this.chars = input?.text.length ?? 0;
    this.answered = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.timer = setTimeout(() => watch.overdue(this), Math.max(1, (input?.timeoutMs ?? PROBLEMS_MS) - EARLIER_MS));
    this.signal = input?.signal;
    this.signal?.addEventListener("abort", this.leave, { once: true });
  }
  /** Not everybody may be judged beside it. */
  get isApart(): boolean {
    return this.isAlone || this.isSuspect;
  }
  get hasLeft(): boolean {
    return this.signal?.aborted === true;
  }
  settle(answer: unknown): void {
    this.done();
    this.resolve(answer);
  }
  fail(thrown: Error): void {
    this.done();
    this.reject(thrown);
  }
  private readonly leave = (): void => {
    this.watch.left(this);
    this.fail(new CheckFault("timeout", "nobody waits for it any more"));
  };
  private done(): void {
    this.isOver = true;
    clearTimeout(this.timer);
    this.signal?.removeEventListener("abort", this.leave);
  }
}
export const tenantOf = (question: Question): string =>
  question.ask === "problems" ? question.tenant : ((question.input as OfTenant)[TENANT] ?? ""); // the engine's own input has it

/** Before the engine says that there was no answer, we say why. */
const EARLIER_MS = 5;
/** For parameters, whose judging nobody else bounds. */
const PROBLEMS_MS = 5_000;
