import type { Call, GuardrailResult, GuardrailResults } from "#contract";

/** Results of guardrails, as the JSON text of their list: most go out without anybody looking inside. */
export class Results {
  private read: readonly GuardrailResult[] | undefined;
  constructor(readonly text: string) {}

  get none(): boolean {
    return this.text === "[]";
  }
  get list(): readonly GuardrailResult[] {
    return (this.read ??= JSON.parse(this.text) as readonly GuardrailResult[]); // written by `textOf`
  }
}
export const NO_RESULTS = new Results("[]");

export type Pending = Promise<readonly GuardrailResult[]> | null;
/** Results of guardrails that run beside the request; ask once the answer has ended. */
export interface Beside {
  readonly input: Pending;
  readonly output: Pending;
}

/** What is reported of the guardrails of a request and its answer. */
export interface GuardrailReport {
  /** Of those that were waited for; complete once the answer has ended. */
  results(): GuardrailResults;
  /** `null` when none runs beside the request. */
  readonly pending: Beside | null;
}

/** A report that is complete: written as it is, its lists are read when somebody asks for them. */
export class WholeReport implements GuardrailReport, GuardrailResults {
  private hooks: string | undefined;
  constructor(
    private readonly before: Results,
    private readonly after: Results,
    readonly pending: Beside | null,
  ) {}
  get input(): readonly GuardrailResult[] {
    return this.before.list;
  }
  get output(): readonly GuardrailResult[] {
    return this.after.list;
  }
  get text(): string | null {
    if (this.before.none && this.after.none) return null;
    return (this.hooks ??= `{"before_request_hooks":${this.before.text},"after_request_hooks":${this.after.text}}`);
  }
  results(): GuardrailResults {
    return this;
  }
  toJSON(): GuardrailResults {
    return { input: this.input, output: this.output, text: this.text };
  }
}
export const NO_REPORT: GuardrailReport = new WholeReport(NO_RESULTS, NO_RESULTS, null);

/** The report of an answer that is judged while it streams. */
export class StreamReport implements GuardrailReport {
  constructor(
    private readonly before: Results,
    private readonly beside: Pending,
    private readonly after: { results(): readonly GuardrailResult[]; pending(): Pending },
  ) {}
  results(): GuardrailResults {
    return { input: this.before.list, output: this.after.results(), text: null };
  }
  /** What runs beside a stream judges the whole answer: it is asked for when the stream has ended. */
  get pending(): Beside | null {
    return besideOf(this.beside, this.after.pending());
  }
}

/** What runs beside a request and beside its answer. */
export const besideOf = (input: Pending, output: Pending): Beside | null => (input === null && output === null ? null : { input, output });

/** What came of the guardrails of one hook point. */
export interface Guarded {
  /** Of the guardrails that were waited for, as text; and the same with its members. */
  readonly written: Results;
  readonly results: readonly GuardrailResult[];
  /** Answer 446. */
  readonly denied: boolean;
  /** Of a denial: answer 200, where the client's form has texts. */
  readonly softly: boolean;
  /** Answer 246, unless denied. */
  readonly failed: boolean;
  /** Of the asynchronous guardrails, if there are any; never rejects. */
  readonly pending: Pending;
}
export interface GuardedCall extends Guarded {
  readonly call: Call;
}
