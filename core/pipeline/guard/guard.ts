import { after, all, type Call, GatewayError, type GuardrailResult, isJson, type Json, type MaybePromise } from "#contract";
import { withFields } from "./form.ts";
import { refuseOtherSpellings } from "./other-spellings.ts";
import { type GuardedCall, NO_RESULTS, type Pending, Results } from "../call/guardrail-report.ts";
import { passed, resultOf, shownResult, textOf } from "./result.ts";
import { type JudgedBody, type Ran, applied, changes, runGuardrail } from "./run.ts";
import { Subject, bodyOf } from "./subject.ts";
import type { ActiveGuardrail, GuardDeps, GuardView, GuardedAnswer } from "./types.ts";

export { activeGuardrails } from "./bind.ts";
export type { ActiveGuardrail, GuardDeps, GuardView, GuardedAnswer } from "./types.ts";

/** Judges a request before it is sent, and gives it back as the guardrails changed it. */
export function guardInput(list: readonly ActiveGuardrail[], call: Call, view: GuardView, deps: GuardDeps): MaybePromise<GuardedCall> {
  const body = bodyOf(call) ?? {};
  if (list.length === 0) return new JudgedCall(call, unjudged(body));
  const { names, within } = call.row.content;
  if (names) refuseOtherSpellings(body, names, within);
  refuseTokens(list, body, call);
  const subject = new Subject("input", body, { call, headers: deps.headers, view, status: null });
  return after(guarded(list, subject, deps), (judgement) =>
    after(withBody(call, body, judgement.body), (changed) => new JudgedCall(changed, judgement)),
  );
}

/** What no check can read, no guardrail lets by that could stop or change a text. */
function refuseTokens(list: readonly ActiveGuardrail[], body: Json, { row }: Call): void {
  const param = row.content.tokens?.(body);
  if (param === undefined || !list.some(weighsText)) return;
  const what = `A guardrail of this request reads its texts, and ${param} holds numbers of tokens, which it cannot read: send the text itself.`;
  throw new GatewayError("REQUEST_INVALID", { what }, { param });
}
const weighsText = ({ deny, async: beside, checks }: ActiveGuardrail): boolean =>
  !beside && checks.some(({ wants, loaded }) => wants.size > 0 && (deny || loaded?.check.transforms === true));

/** Judges a whole answer before the client gets it. Only good answers of operations with content are judged. */
export function guardOutput(
  list: readonly ActiveGuardrail[],
  body: Json,
  { call, status, view }: { readonly call: Call; readonly status: number; readonly view: GuardView },
  deps: GuardDeps,
): MaybePromise<GuardedAnswer> {
  if (list.length === 0 || !isGood(status) || !call.row.content.output) return unjudged(body);
  return guarded(list, new Subject("output", body, { call, headers: deps.headers, view, status }), deps);
}

/** Every 2xx: an answer does not leave its guardrails behind by being "created". */
export const isGood = (status: number): boolean => status >= 200 && status < 300;

type GuardOutcome = "passed" | "failed" | "denied";
/** What guardrails say of a body, and the body as they changed it. */
class GuardVerdict implements GuardedAnswer {
  constructor(
    readonly body: Json,
    readonly written: Results,
    readonly pending: Pending,
    readonly outcome: GuardOutcome,
  ) {}
  get denied(): boolean {
    return this.outcome === "denied";
  }
  get failed(): boolean {
    return this.outcome !== "passed";
  }
  get results(): readonly GuardrailResult[] {
    return this.written.list;
  }
}
class JudgedCall extends GuardVerdict implements GuardedCall {
  constructor(
    readonly call: Call,
    { body, written, pending, outcome }: GuardVerdict,
  ) {
    super(body, written, pending, outcome);
  }
}
const unjudged = (body: Json): GuardVerdict => new GuardVerdict(body, NO_RESULTS, null, "passed");

/** All guardrails at once; the patches of those that were waited for, in their order. */
function guarded(list: readonly ActiveGuardrail[], subject: Subject, deps: GuardDeps): MaybePromise<GuardVerdict> {
  const pending = list.some(isBeside) ? beside(list.filter(isBeside), subject, deps) : null;
  const running: MaybePromise<Ran>[] = [];
  for (const guardrail of list) if (!guardrail.async) running.push(runGuardrail(guardrail, subject, deps));
  const ran = all(running);
  return after(ran, (list) => foldRuns(list, subject, pending, deps));
}
const isBeside = (guardrail: ActiveGuardrail): boolean => guardrail.async;

/** Folds what ran into a body and results. */
export function foldRuns(list: readonly Ran[], { body, content, isFixed }: JudgedBody, pending: Pending, deps: GuardDeps): GuardVerdict {
  let changed = body;
  const results: GuardrailResult[] = [];
  for (const guardrailRun of list) {
    const patched = guardrailRun.judged.some(changes) ? patchedBy(guardrailRun, { body: changed, content, isFixed }) : null;
    const ran = patched?.ran ?? guardrailRun;
    changed = patched?.body ?? changed;
    results.push(shownResult(ran, passed(ran), deps));
  }
  return new GuardVerdict(changed, writtenResults(results), pending, outcomeOf(results));
}
function outcomeOf(results: readonly GuardrailResult[]): GuardOutcome {
  if (results.some(isDenial)) return "denied";
  return results.every(isPassed) ? "passed" : "failed";
}
const writtenResults = (results: readonly GuardrailResult[]): Results => (results.length === 0 ? NO_RESULTS : new Results(textOf(results)));
const isDenial = ({ deny }: GuardrailResult): boolean => deny;
const isPassed = ({ verdict }: GuardrailResult): boolean => verdict;

function patchedBy(ran: Ran, { body: before, content, isFixed }: JudgedBody): { readonly ran: Ran; readonly body: Json } {
  let body = before;
  const judged = ran.judged.map((outcome) => {
    const step = applied({ body, content, isFixed }, outcome);
    body = step.body;
    return step.judged;
  });
  return { ran: { ...ran, judged }, body };
}

/** Runs asynchronous guardrails after the request has gone on. They change nothing and a failure of ours stays here. */
export function beside(list: readonly ActiveGuardrail[], subject: Subject, deps: GuardDeps): Promise<readonly GuardrailResult[]> {
  if (list.length === 0) return NOTHING;
  const calm = subject.untied();
  const run = async (guardrail: ActiveGuardrail): Promise<GuardrailResult> => resultOf(await runGuardrail(guardrail, calm, deps), deps);
  return NOTHING.then(() => Promise.all(list.map(run))).catch((thrown: unknown) => {
    deps.log?.("error", "guardrail.async_failed", { why: String(thrown) });
    return [];
  });
}
const NOTHING: Promise<readonly GuardrailResult[]> = Promise.resolve([]);

function withBody(call: Call, before: Json, after: Json): MaybePromise<Call> {
  if (after === before) return call;
  if (call.body.kind === "json") return { ...call, body: { kind: "json", value: after, text: null } };
  if (call.body.kind !== "form-read") return call;
  return withFields(call.body, textsOf(after)).then((body) => ({ ...call, body }));
}
const textsOf = (fields: Json): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === "string" ? value : isJson(value) ? JSON.stringify(value) : String(value),
    ]),
  );

/** The guardrails that denied, as `HOOKS_FAILED` names them. */
export const deniedBy = (results: readonly GuardrailResult[]): string =>
  results
    .filter(({ deny, async: beside }) => deny && !beside)
    .map(({ id }) => id)
    .join(", ");
