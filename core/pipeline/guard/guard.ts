import {
  after,
  all,
  type Call,
  GatewayError,
  type GuardrailResult,
  isJson,
  type Json,
  type MaybePromise,
  type RequestHeaders,
} from "#contract";
import { withFields } from "./form.ts";
import { refuseOtherSpellings } from "./other-spellings.ts";
import { type GuardedCall, NO_RESULTS, type Pending, Results } from "../call/guardrail-report.ts";
import { withoutWritten } from "./header-patch.ts";
import { actingOn } from "./rollout.ts";
import { type Texts, withoutQuotes } from "./quotes.ts";
import { passed, plainly, resultOf, shownResult, textOf } from "./result.ts";
import { type Composed, composed } from "./compose.ts";
import { isLeading, runLeadersFirst } from "./leading-guardrails.ts";
import { type Ran, runGuardrail } from "./run.ts";
import { Subject, bodyOf } from "./subject.ts";
import type { ActiveGuardrail } from "../plan/guardrails/active.ts";
import type { GuardDeps, GuardView, GuardedAnswer } from "./types.ts";

export type { GuardDeps, GuardView, GuardedAnswer } from "./types.ts";

/** Judges a request before it is sent, and gives it back as the guardrails changed it. */
export function guardInput(all: readonly ActiveGuardrail[], asked: Call, view: GuardView, deps: GuardDeps): MaybePromise<GuardedCall> {
  const call = all.some(writesHeaders)
    ? {
        ...asked,
        headers: withoutWritten(
          asked.headers,
          all.flatMap(({ writes }) => writes),
        ),
      }
    : asked;
  const body = bodyOf(call) ?? {};
  const list = actingOn(all, call.traceId);
  if (list.length === 0) return new JudgedCall(call, unjudged(body));
  const { names, namesInside } = call.row.content;
  if (names) refuseOtherSpellings(body, names, namesInside);
  refuseTokens(list, body, call);
  const subject = new Subject("input", body, { call, headers: deps.headers, keyHeaders: deps.keyHeaders, view, status: null });
  return after(guarded(list, subject, deps), (judgement) =>
    after(withBody(call, body, judgement.body), (changed) => new JudgedCall(withHeaders(changed, judgement.changed), judgement)),
  );
}

const writesHeaders = ({ writes }: ActiveGuardrail): boolean => writes.length > 0;

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
  return guarded(
    actingOn(list, call.traceId),
    new Subject("output", body, { call, headers: deps.headers, keyHeaders: deps.keyHeaders, view, status }),
    deps,
  );
}

/** Every 2xx: an answer does not leave its guardrails behind by being "created". */
export const isGood = (status: number): boolean => status >= 200 && status < 300;

type GuardOutcome = "passed" | "failed" | "denied" | "denied-softly";
/** A request's body, or an answer's, as guardrails left it; its headers are `null` where no check has changed them. */
interface Changed {
  readonly body: Json;
  readonly headers: RequestHeaders | null;
}
/** What guardrails say of a body, and what they changed. */
export class GuardVerdict implements GuardedAnswer {
  constructor(
    readonly changed: Changed,
    readonly written: Results,
    readonly pending: Pending,
    readonly outcome: GuardOutcome,
  ) {}
  get body(): Json {
    return this.changed.body;
  }
  get denied(): boolean {
    return this.outcome === "denied" || this.softly;
  }
  get softly(): boolean {
    return this.outcome === "denied-softly";
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
    { changed, written, pending, outcome }: GuardVerdict,
  ) {
    super(changed, written, pending, outcome);
  }
}
const unjudged = (body: Json): GuardVerdict => new GuardVerdict({ body, headers: null }, NO_RESULTS, null, "passed");

/** All guardrails at once, behind defaults that change texts; the patches of those that were waited for, in their order. */
function guarded(list: readonly ActiveGuardrail[], subject: Subject, deps: GuardDeps): MaybePromise<GuardVerdict> {
  if (list.some(isLeading)) return guardedBehind(list, subject, deps);
  const pending = list.some(isBeside) ? beside(list.filter(isBeside), subject, deps) : null;
  const running: MaybePromise<Ran>[] = [];
  for (const guardrail of list) if (!guardrail.async) running.push(runGuardrail(guardrail, subject, deps));
  const ran = all(running);
  return after(ran, (list) => foldRuns(list, subject, pending, deps));
}
function guardedBehind(list: readonly ActiveGuardrail[], subject: Subject, deps: GuardDeps): MaybePromise<GuardVerdict> {
  const asynchronous = list.filter(isBeside);
  const waited = list.filter((guardrail) => !isBeside(guardrail));
  let pending: Pending = null;
  const begin = (left: Subject): void => {
    if (asynchronous.length > 0) pending = beside(asynchronous, left, deps);
  };
  return after(runLeadersFirst(waited, subject, deps, begin), (composed) => verdictOf(composed, subject, pending, deps));
}
const isBeside = (guardrail: ActiveGuardrail): boolean => guardrail.async;

/** What ran, as a body, headers and results. */
export const foldRuns = (ran: readonly Ran[], subject: Subject, pending: Pending, deps: GuardDeps): MaybePromise<GuardVerdict> =>
  after(composed(ran, subject, deps), (composed) => verdictOf(composed, subject, pending, deps));
export function verdictOf({ runs, left }: Composed, subject: Subject, pending: Pending, deps: GuardDeps): GuardVerdict {
  const results = runs.map((run) => shownResult(run, passed(run), deps));
  const headers = left.headers === subject.headers ? null : left.headers;
  const outcome = outcomeOf(runs, results);
  const hidden = hiddenOf(subject, left, outcome);
  const shown = hidden === null ? results : withoutQuotes(results.map(plainly), runs, hidden);
  return new GuardVerdict({ body: left.body, headers }, writtenResults(shown), pending, outcome);
}
/** What results may not quote: an answer that is denied, and what was taken out of a text. */
function hiddenOf(subject: Subject, left: Subject, outcome: GuardOutcome): Texts | null {
  if (subject.side === "output" && outcome.startsWith("denied")) return { before: subject.said, after: "" };
  return left.body === subject.body ? null : { before: subject.said, after: left.said };
}
function outcomeOf(ran: readonly Ran[], results: readonly GuardrailResult[]): GuardOutcome {
  if (results.some(isDenial)) return isSoft(ran, results) ? "denied-softly" : "denied";
  return results.every(isPassed) ? "passed" : "failed";
}
const writtenResults = (results: readonly GuardrailResult[]): Results => (results.length === 0 ? NO_RESULTS : new Results(textOf(results)));
const isSoft = (ran: readonly Ran[], results: readonly GuardrailResult[]): boolean =>
  ran.every(({ guardrail: { softDeny } }, at) => softDeny || results[at]?.deny !== true);
const isDenial = ({ deny }: GuardrailResult): boolean => deny;
const isPassed = ({ verdict }: GuardrailResult): boolean => verdict;

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
const withHeaders = (call: Call, { headers }: Changed): Call => (headers === null ? call : { ...call, headers });
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
