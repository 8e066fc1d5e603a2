import type { CheckInput } from "#contract";
import { type Json, messageOf } from "#contract";
import type { Subject } from "./guardrail-subject.ts";
import type { ActiveGuardrail, BoundCheck, GuardDeps, Judged } from "./guardrail-types.ts";
import { type Said, error, fromThrown, judgedOf } from "./guardrail-verdict.ts";
import { type MaybePromise, after, all, isPromise } from "./maybe-promise.ts";
import { patched } from "./segments.ts";

/** What came of the checks of one guardrail. */
export interface Ran {
  readonly guardrail: ActiveGuardrail;
  readonly judged: readonly Judged[];
  readonly tookMs: number;
}

/** Runs the checks of a guardrail, side by side or in order. Never throws; a promise only when a check answers one. */
export function runGuardrail(guardrail: ActiveGuardrail, subject: Subject, deps: GuardDeps): MaybePromise<Ran> {
  const startedAt = deps.now();
  const checks = guardrail.checks.filter((check) => subject.suits(check));
  const ran = (judged: readonly Judged[]): Ran => ({ guardrail, judged, tookMs: deps.now() - startedAt });
  return after(guardrail.sequential ? inOrder(checks, subject, deps, []) : all(checks.map((check) => runCheck(check, subject, deps))), ran);
}

/** Each check sees what the ones before it changed. */
function inOrder(
  checks: readonly BoundCheck[],
  subject: Subject,
  deps: GuardDeps,
  done: readonly Judged[],
): MaybePromise<readonly Judged[]> {
  const [check, ...rest] = checks;
  if (check === undefined) return done;
  return after(runCheck(check, subject, deps), (said) => {
    const { body, judged } = applied(subject.body, said);
    return inOrder(rest, subject.with(body), deps, [...done, judged]);
  });
}

/** The body after a check's patches. Patches that do not fit are the check's failure, never a pass. */
export function applied(body: Json, judged: Judged): { readonly body: Json; readonly judged: Judged } {
  if (judged.kind !== "transform") return { body, judged };
  try {
    return { body: patched(body, judged.patches), judged };
  } catch (thrown) {
    return { body, judged: { ...judged, kind: "error", failure: "bad_transform", message: messageOf(thrown), patches: [] } };
  }
}

/* ── one check ───────────────────────────────────────────────────────────────────────────────────────────────── */

/** Runs one check. Whatever it does (throws, hangs, answers nonsense), the answer is a judgement. */
export function runCheck(check: BoundCheck, subject: Subject, deps: GuardDeps): MaybePromise<Judged> {
  const startedAt = deps.now();
  const judge = (said: Said): Judged => judgedOf(said, check, startedAt, deps);
  const abort = new LazyAbort();
  try {
    const said = misfit(check, subject) ?? check.loaded?.check.run(inputFor(check, subject, abort, deps));
    return isPromise(said) ? withinTime(said, check, subject, abort).then(judge) : judge(said as Said); // judgedOf validates it
  } catch (thrown) {
    return judge(fromThrown(thrown));
  }
}

function misfit({ id, loaded }: BoundCheck, { side, target }: Subject): Said | undefined {
  if (loaded === null) return error("not_running", `The plugin that provides ${id} is not running.`);
  if (!loaded.check.on.includes(side)) return error("config", `${id} does not run on the ${side} side.`);
  if (!(loaded.check.targets ?? ["llm"]).includes(target)) return error("config", `${id} does not check model traffic.`);
  return undefined;
}

/** Segments, text and signal are made when the check asks for them. */
function inputFor(check: BoundCheck, subject: Subject, abort: LazyAbort, deps: GuardDeps): CheckInput<never> {
  return {
    params: check.params as never, // accepted by the check's own schema when the guardrail was bound
    side: subject.side,
    get segments() {
      return subject.segmentsFor(check);
    },
    get text() {
      return subject.textFor(check);
    },
    get call() {
      return subject.call;
    },
    now: deps.now(),
    get signal() {
      return abort.signal;
    },
  };
}

/** Most checks never look at their signal; those pay for no controller. */
class LazyAbort {
  private controller: AbortController | undefined;
  private aborted = false;
  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.aborted) this.controller.abort();
    return this.controller.signal;
  }
  abort(): void {
    this.aborted = true;
    this.controller?.abort();
  }
}

/** The first of: the check's answer, its deadline, the client leaving. The last two abort the check. */
function withinTime(answer: PromiseLike<unknown>, { id, timeoutMs }: BoundCheck, { signal }: Subject, abort: LazyAbort): Promise<Said> {
  return new Promise((resolve) => {
    const settle = (said: Said): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", left);
      resolve(said);
    };
    const stop = (said: Said): void => {
      abort.abort();
      settle(said);
    };
    const left = (): void => stop(error("unavailable", `The client left before ${id} had answered.`));
    const timer = setTimeout(() => stop(error("timeout", `${id} did not answer within ${timeoutMs} ms.`)), timeoutMs);
    if (signal.aborted) left();
    signal.addEventListener("abort", left, { once: true });
    Promise.resolve(answer).then(
      (said) => settle(said as Said),
      (thrown: unknown) => settle(fromThrown(thrown)),
    ); // judgedOf validates it; a \`then\` of its own that throws is a rejection here
  });
}
