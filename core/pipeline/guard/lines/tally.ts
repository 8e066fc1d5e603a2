import type { GuardrailResult } from "#contract";
import type { Guarded } from "../../call/guardrail-report.ts";

/** What guardrails said of all lines of a file: of each of them the first result that did not pass, else the last. */
export class Tally {
  private readonly failures = new Map<string, GuardrailResult>();
  /** Lines that pass are many: only of the last are the results read. */
  private last: { readonly guarded: Guarded; readonly line: number } | undefined;
  private besides: Promise<void> = Promise.resolve();

  add(guarded: Guarded, line: number): void {
    if (guarded.failed) this.fail(guarded.results, line);
    else if (line > (this.last?.line ?? 0)) this.last = { guarded, line };
    const { pending } = guarded;
    if (pending) this.besides = this.besides.then(async () => this.fail(await pending, line));
  }
  private fail(results: readonly GuardrailResult[], line: number): void {
    for (const result of results)
      if (!result.verdict && (this.failures.get(result.id)?.line ?? Infinity) > line) this.failures.set(result.id, { ...result, line });
  }
  get waited(): readonly GuardrailResult[] {
    const { guarded, line = 0 } = this.last ?? {};
    const passed = (guarded?.results ?? []).filter(({ id }) => !this.failures.has(id)).map((result) => ({ ...result, line }));
    return [...[...this.failures.values()].filter(({ async: beside }) => !beside), ...passed];
  }
  /** All of them, once those that run beside the lines are done. */
  async all(): Promise<readonly GuardrailResult[]> {
    await this.besides;
    return [...this.waited, ...[...this.failures.values()].filter(({ async: beside }) => beside)];
  }
}
