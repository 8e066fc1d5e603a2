import type { Asker, CheckCall, CheckInput, Json, MaybePromise, Segment, Side } from "#contract";
import { TENANT } from "../../compute/tenant.ts";
import { withoutCredentials } from "../../kernel/credentials.ts";
import { CheckAsker } from "./asker.ts";
import type { Subject } from "./subject.ts";
import type { BoundCheck } from "../plan/guardrails/active.ts";

/**
 * What a check is given. Segments, text, call and signal are made when it asks for them: most checks never look at their
 * signal, and those pay for no controller. Truly private members: a check is shown its view of the request, never the request.
 */
export class Input implements CheckInput<never> {
  readonly #check: BoundCheck;
  readonly #subject: Subject;
  #controller: AbortController | undefined;
  #stopped = false;
  readonly params: never;
  readonly side: Side;
  readonly now: number;

  constructor(check: BoundCheck, subject: Subject, now: number) {
    this.#check = check;
    this.#subject = subject;
    this.params = check.params as never; // accepted by the check's own schema when the guardrail was bound
    this.side = subject.side;
    this.now = now;
  }
  get segments(): readonly Segment[] {
    return this.#subject.segmentsFor(this.#check);
  }
  get text(): string {
    return this.#subject.textFor(this.#check);
  }
  get call(): CheckCall {
    return this.#subject.call;
  }
  get [TENANT](): string {
    return this.#subject.asked.view.tenant;
  }
  get timeoutMs(): number {
    return this.#check.timeoutMs;
  }
  get credential(): string | null {
    const name = this.#check.loaded?.check.judgesCredential?.(this.params);
    return name === undefined ? null : this.#subject.credential(name);
  }
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#stopped) this.#controller.abort();
    return this.#controller.signal;
  }
  credentials(): MaybePromise<Json> {
    const find = this.#check.loaded?.credentials ?? withoutCredentials(this.#check.id);
    return find(this.#subject.asked.view.tenantIds);
  }
  get asker(): Asker {
    return new CheckAsker(this.#subject.asked);
  }
  /** Nobody waits for the answer any more. */
  stop(): void {
    this.#stopped = true;
    this.#controller?.abort();
  }
}
