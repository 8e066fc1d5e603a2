import { after, all, type GuardrailTarget, isPromise, type MaybePromise } from "#contract";
import { type Json, messageOf } from "#contract";
import { closed, entering, opened } from "../../kernel/process/watchdog/marks.ts";
import { Elsewhere, judgedBy } from "./elsewhere.ts";
import { Input } from "./input.ts";
import type { Subject } from "./subject.ts";
import type { ActiveGuardrail, BoundCheck } from "../plan/guardrails/active.ts";
import type { GuardDeps, CheckOutcome } from "./types.ts";
import { type EngineVerdict, error, fromThrown, judgedOf } from "./verdict.ts";
import { isOfHeader, patchedHeaders } from "./header-patch.ts";
import { type BodyPatch, isOfBody, PatchRefused, patched } from "./patch.ts";

/** What came of the checks of one guardrail. */
export interface Ran {
  readonly guardrail: ActiveGuardrail;
  readonly judged: readonly CheckOutcome[];
  readonly tookMs: number;
}

/** Runs the checks of a guardrail, side by side or in order. Throws only where calls cannot be read; a promise only when a check answers one. */
export function runGuardrail(guardrail: ActiveGuardrail, subject: Subject, deps: GuardDeps): MaybePromise<Ran> {
  const startedAt = deps.now();
  const judged = guardrail.sequential ? inOrder(suited(guardrail, subject), subject, deps, []) : sideBySide(guardrail, subject, deps);
  return after(judged, (done) => ({ guardrail, judged: done, tookMs: deps.now() - startedAt }));
}

const suited = ({ checks }: ActiveGuardrail, subject: Subject): readonly BoundCheck[] => checks.filter((check) => subject.suits(check));

function sideBySide({ checks }: ActiveGuardrail, subject: Subject, deps: GuardDeps): MaybePromise<readonly CheckOutcome[]> {
  const running: MaybePromise<CheckOutcome>[] = [];
  for (const check of checks) if (subject.suits(check)) running.push(runCheck(check, subject, deps));
  return all(running);
}

/** Each check sees what the ones before it changed. */
function inOrder(
  checks: readonly BoundCheck[],
  subject: Subject,
  deps: GuardDeps,
  done: readonly CheckOutcome[],
): MaybePromise<readonly CheckOutcome[]> {
  const [check, ...rest] = checks;
  if (check === undefined) return done;
  return after(runCheck(check, subject, deps), (outcome) => {
    const { body, headers, judged } = applied(subject, outcome);
    return inOrder(rest, subject.with(body, headers), deps, [...done, judged]);
  });
}

/** What patches may change, and what says how. */
export type Judged = Pick<Subject, "side" | "body" | "headers" | "headerClasses" | "content" | "isFixed">;
/** As a check's patches left it. */
interface Applied extends Pick<Judged, "body" | "headers"> {
  readonly judged: CheckOutcome;
}

/** The body and the headers after a check's patches. Patches that do not fit are the check's failure, never a pass. */
export function applied(it: Judged, judged: CheckOutcome): Applied {
  const { body, headers } = it;
  if (!changes(judged)) return { body, headers, judged };
  try {
    const after = { body: bodyAfter(it, judged.patches.filter(isOfBody)), headers: patchedHeaders(it, judged.patches.filter(isOfHeader)) };
    return { ...after, judged };
  } catch (thrown) {
    return { body, headers, judged: { ...judged, kind: "error", failure: "bad_transform", message: messageOf(thrown), patches: [] } };
  }
}
function bodyAfter({ body, content, isFixed }: Judged, patches: readonly BodyPatch[]): Json {
  if (patches.length === 0) return body;
  if (isFixed) throw new PatchRefused("the request passes to its provider as it came");
  return patched(body, patches, content);
}

/** Does it say what to change? */
export const changes = ({ kind }: CheckOutcome): boolean => kind === "transform";

/* ── one check ───────────────────────────────────────────────────────────────────────────────────────────────── */

/** Runs one check. Where parameters of it are kept elsewhere, they are read first; the check that is told of is the one without them. */
export function runCheck(check: BoundCheck, subject: Subject, deps: GuardDeps): MaybePromise<CheckOutcome> {
  if (check.whole === undefined || misfit(check, subject)) return runWhole(check, subject, deps);
  const startedAt = deps.now();
  const unread = (thrown: unknown): CheckOutcome => judgedOf(fromThrown(thrown), check, startedAt, deps);
  try {
    const whole = check.whole(subject.asked.view.tenantIds);
    if (!isPromise(whole)) return toldOf(check, runWhole(whole, subject, deps));
    return whole.then((read) => toldOf(check, runWhole(read, subject, deps)), unread);
  } catch (thrown) {
    return unread(thrown);
  }
}
const toldOf = (check: BoundCheck, outcome: MaybePromise<CheckOutcome>): MaybePromise<CheckOutcome> =>
  after(outcome, (judged) => ({ ...judged, check }));

/** Runs one check. Whatever it does (throws, hangs, nonsense), the answer is a judgement; throws only where what it judges cannot be read. */
function runWhole(check: BoundCheck, subject: Subject, deps: GuardDeps): MaybePromise<CheckOutcome> {
  const startedAt = deps.now();
  const input = new Input(check, subject, startedAt);
  subject.readFor(check);
  try {
    const answer = misfit(check, subject) ?? answerOf(check, subject, input, deps);
    if (answer instanceof Elsewhere) return judgedElsewhere(answer, check, input, deps);
    const verdict = isPromise(answer) ? withinTime(answer, check, subject, input) : (answer as EngineVerdict); // judgedOf validates it
    return after(verdict, (given) => judgedOf(given, check, startedAt, deps));
  } catch (thrown) {
    return judgedOf(fromThrown(thrown), check, startedAt, deps);
  }
}
/** Here when it is cheap, or when it does not say what it costs; else in another process, whose bounds are not the check's to pass. */
function answerOf(bound: BoundCheck, subject: Subject, input: Input, deps: GuardDeps): unknown {
  const check = bound.loaded?.check;
  entering(bound.loaded?.mark);
  if (check?.cost === undefined || isCheap(check.cost(bound.params as never, input.text.length), subject, input, deps))
    return check?.run(input);
  return new Elsewhere(judgedBy(bound, subject, input, deps));
}
const isCheap = (ms: number, subject: Subject, { now }: Input, { compute }: GuardDeps): boolean =>
  compute.takesHere(ms, subject.asked.view.spending, now);
const judgedElsewhere = async ({ verdict }: Elsewhere, check: BoundCheck, input: Input, deps: GuardDeps): Promise<CheckOutcome> =>
  judgedOf(await verdict, check, input.now, deps);
function misfit({ id, loaded }: BoundCheck, { side, target }: Subject): EngineVerdict | undefined {
  if (loaded === null) return error("not_running", `The plugin that provides ${id} is not running.`);
  if (!loaded.check.on.includes(side)) return error("config", `${id} does not run on the ${side} side.`);
  if (!(loaded.check.targets ?? DEFAULT_TARGETS).includes(target)) return error("config", `${id} does not check model traffic.`);
  return undefined;
}
const DEFAULT_TARGETS: readonly GuardrailTarget[] = ["llm"];

/** The first of: the check's answer, its deadline, the client leaving. The last two abort the check. */
function withinTime(
  answer: PromiseLike<unknown>,
  { id, loaded, timeoutMs }: BoundCheck,
  { signal }: Subject,
  input: Input,
): Promise<EngineVerdict> {
  const mark = loaded?.mark ?? 0;
  opened(mark);
  return new Promise((resolve) => {
    const settle = (verdict: EngineVerdict): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", left);
      resolve(verdict);
    };
    const stop = (verdict: EngineVerdict): void => {
      input.stop();
      settle(verdict);
    };
    const left = (): void => stop(error("unavailable", `The client left before ${id} had answered.`));
    const timer = setTimeout(() => stop(error("timeout", `${id} did not answer within ${timeoutMs} ms.`)), timeoutMs);
    if (signal.aborted) left();
    signal.addEventListener("abort", left, { once: true });
    Promise.resolve(answer).then(
      (answer) => {
        closed(mark);
        settle(answer as EngineVerdict);
      },
      (thrown: unknown) => {
        closed(mark);
        settle(fromThrown(thrown));
      },
    ); // judgedOf validates it; a `then` of its own that throws is a rejection here
  });
}
