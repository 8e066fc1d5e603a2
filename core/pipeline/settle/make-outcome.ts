import {
  type Bodies,
  type Call,
  type InnerCalls,
  type JsonText,
  MAX_JSON_LEVELS,
  nestsDeeper,
  type Outcome,
  type WireError,
} from "#contract";
import { callerKey, type KeyHeaders } from "../../kernel/secrets/caller-key.ts";
import { type Ending, NOTHING_READ } from "../stream/deliver.ts";
import { type Counted, countedOnce, type CountingOnce, endedWork, together } from "./ended-work.ts";
import { fieldsText, logged, type LoggedText, shortened } from "./logged-text.ts";
import type { LeftBehind } from "../call/left-behind.ts";
import type { Reply } from "../call/reply.ts";
import type { Served } from "./settle.ts";
import { costFor, MAX_NAME, modelOf, usageOf } from "./used.ts";
import {
  MIN_LENGTH,
  type Secrets,
  longestFirst,
  redactedError,
  withoutBegunSecret,
  withoutLongSecrets,
} from "../../kernel/secrets/redaction.ts";

interface At extends CountingOnce {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly loggedBytes: number;
  /** Where a client may have said the key it came with. */
  readonly keyHeaders: KeyHeaders;
}

/** What came of a request, as policies and exporters are told it. */
export async function outcomeOf(ended: Ended, at: At): Promise<Outcome> {
  const found = await findingsOf(ended, at);
  const { spending, routed } = ended.served;
  const costs = (spending ?? routed?.spending)?.innerCosts ?? [];
  return makeOutcome(ended, at, costs.length === 0 ? found : { ...found, innerCalls: await innerCallsOf(costs) });
}

/** A request and how it ended. */
export interface Ended {
  readonly reply: Reply;
  readonly served: Served;
  readonly ending: Ending;
}
function makeOutcome({ reply, served: { call, caller, plan }, ending }: Ended, at: At, found: Findings): Outcome {
  const secrets = secretsOf(reply, call, at.keyHeaders);
  return {
    call,
    caller,
    plan,
    status: reply.status,
    ended: ending.ended,
    error: shortError(ending.error ?? reply.error, secrets),
    provider: reply.from?.id ?? null,
    providerSlug: reply.from?.slug ?? null,
    model: shortName(hidden(found.model, secrets)),
    lastUsedOption: reply.leaf?.path ?? null,
    retries: reply.retries,
    cacheStatus: reply.cacheStatus,
    streamed: ending.streamed === true,
    usage: found.usage,
    costCents: found.costCents,
    innerCalls: found.innerCalls,
    guardrails: quoting(found.guardrails, secrets),
    timing: timingOf(reply, ending, at.now - call.startedAt),
    bodies: call.control.debug === false ? null : bodiesOf({ reply, call, ending, secrets, guardrails: found.guardrails }, at.loggedBytes),
  };
}

/** An outcome that needs nothing of the answer: where the whole one could not be made, the request is still told of. */
export const bareOutcome = ({ reply, served, ending }: Ended, at: At): Outcome => ({
  ...makeOutcome({ reply, served, ending: { ...NOTHING_READ, ended: ending.ended } }, at, { ...NOTHING_FOUND, model: reply.model }),
  bodies: null,
});
const NOTHING_FOUND: Omit<Findings, "model"> = { usage: null, costCents: null, guardrails: { input: [], output: [], text: null } };

/** A provider may say anything of its errors, at any length; columns have an end. */
const MAX_MESSAGE = 4_096;
function shortError(error: WireError | null, secrets: Secrets): WireError | null {
  if (error === null) return null;
  const { message, type, param, code } = redactedError(error, secrets);
  return {
    message: shortened(message, MAX_MESSAGE),
    type: shortened(type, MAX_NAME),
    param: shortName(param),
    code: shortName(code),
  };
}

const shortName = (name: string | null): string | null => name && shortened(name, MAX_NAME);

/* ── what is not in the answer itself ────────────────────────────────────────────────────────────────────────── */

interface Findings extends Counted {
  readonly innerCalls?: InnerCalls | undefined;
  readonly guardrails: Outcome["guardrails"];
}

/** Usage may have to be estimated, a guardrail may still run, and a source of prices may have to look its price up. */
async function findingsOf(ended: Ended, at: At): Promise<Findings> {
  const judging = guardrailsOf(ended.reply);
  const leftBehind = ended.served.routed?.leftBehind;
  const counted = await countedOf(ended, at);
  return { ...(leftBehind ? await withLeftBehind(counted, leftBehind, ended, at) : counted), guardrails: await judging };
}

/** What one answer used, which was given or not. */
async function countedOf(ended: Ended, at: At): Promise<Counted> {
  const { reply, served } = ended;
  const work = endedWork(ended);
  if (work !== undefined) return countedOnce(work, ended, at);
  const [usage, model] = [await usageOf(ended, at.estimate), modelOf(ended)];
  return { usage, model, costCents: usage && (await costFor({ reply, served, usage, costOf: at.costOf }, model)) };
}
/** Each at the price of whoever gave it. */
async function withLeftBehind(last: Counted, leftBehind: readonly LeftBehind[], ended: Ended, at: At): Promise<Counted> {
  let counted = last;
  for (const left of leftBehind) counted = together(counted, await countedOf({ ...ended, reply: { ...ended.reply, ...left } }, at));
  return counted;
}

/** Asked when its guardrails are done: none is asked after that. */
async function innerCallsOf(costs: readonly Promise<number | null>[]): Promise<InnerCalls> {
  const known = (await Promise.all(costs)).filter((cents) => cents !== null);
  return { calls: costs.length, costCents: known.length === 0 ? null : known.reduce((all, cents) => all + cents, 0) };
}

/** Those that were waited for, and those that ran beside the request. */
async function guardrailsOf({ guardrails }: Reply): Promise<Outcome["guardrails"]> {
  const { pending } = guardrails;
  if (pending === null) return guardrails.results();
  const later = { input: (await pending.input) ?? [], output: (await pending.output) ?? [] };
  const waited = guardrails.results();
  if (later.input.length + later.output.length === 0) return waited;
  return { input: [...waited.input, ...later.input], output: [...waited.output, ...later.output], text: null };
}

const timingOf = ({ upstreamMs }: Reply, { streamed, firstMs, readyMs }: Ending, totalMs: number): Outcome["timing"] =>
  streamed
    ? { totalMs, upstreamMs: totalMs, gatewayMs: 0, timeToFirstTokenMs: firstMs }
    : { totalMs, upstreamMs, gatewayMs: Math.max(0, (readyMs ?? totalMs) - upstreamMs), timeToFirstTokenMs: null };

/* ── nothing that is told of a request holds the credentials that went with it ───────────────────────────────── */

/** Those of its targets, and the key of who asked. */
function secretsOf({ sent }: Reply, call: Call, keyHeaders: KeyHeaders): Secrets {
  const key = callerKey(call.headers, call.control.apiKey, keyHeaders);
  const secrets = sent?.secrets ?? NONE;
  return key.length < MIN_LENGTH ? secrets : longestFirst([...secrets, key]);
}
const NONE: Secrets = [];
const hidden = <T extends string | null>(text: T, secrets: Secrets): T | string => text && withoutLongSecrets(text, secrets);

/** Checks may quote what they saw. A credential of the client's own may be any text: only values are looked at, not the form around them. */
function quoting(results: Outcome["guardrails"], secrets: Secrets): Outcome["guardrails"] {
  if (secrets.length === 0) return results;
  const text = results.text ?? writtenOut(results);
  if (text === null || hidden(text, secrets) === text) return results;
  const masked = (_name: string, value: unknown): unknown => (typeof value === "string" ? hidden(value, secrets) : value);
  const { before_request_hooks: input, after_request_hooks: output } = JSON.parse(text, masked);
  const masking = results.text === null ? null : JSON.stringify({ before_request_hooks: input, after_request_hooks: output });
  return { input, output, text: masking };
}
/** What nests too deeply to be written is not written by exporters either. */
function writtenOut({ input, output }: Outcome["guardrails"]): string | null {
  if ((input.length === 0 && output.length === 0) || nestsDeeper([input, output], MAX_JSON_LEVELS)) return null;
  return JSON.stringify({ before_request_hooks: input, after_request_hooks: output });
}

/* ── bodies for the log ──────────────────────────────────────────────────────────────────────────────────────── */

function bodiesOf({ reply, call, ending, secrets, guardrails }: Told, limit: number): Bodies {
  const request = logged(isReplaced(guardrails) ? (reply.sent?.body ?? null) : requestText(call, limit), limit);
  const response = logged(call.row.content.vectors ? null : ending.response, limit);
  return {
    request: kept(request, secrets),
    upstreamUrl: hidden(reply.sent?.url ?? null, secrets),
    upstreamRequest: kept(logged(reply.sent?.body ?? null, limit), secrets),
    response: kept(response, secrets),
    truncated: request.isCut || response.isCut,
  };
}
/** What a guardrail took out of a request is in no log either: what is kept of it then is what was sent. */
function isReplaced({ input, text }: Outcome["guardrails"]): boolean {
  return text?.includes('"transformed":true') !== false && input.some(({ transformed }) => transformed);
}
interface Told extends Pick<Ended, "reply" | "ending"> {
  readonly call: Call;
  readonly secrets: Secrets;
  readonly guardrails: Outcome["guardrails"];
}
function kept({ text, isCut }: LoggedText, secrets: Secrets): string | null {
  const redacted = hidden(text, secrets);
  return redacted !== null && isCut ? withoutBegunSecret(redacted, secrets) : redacted;
}

/** What waits to be exported must not hold the whole of a long body: what is logged of it is in the bodies. */
export function withoutLongBody(outcome: Outcome, limit: number): Outcome {
  const { body } = outcome.call;
  const long = body.kind === "form-read" || (body.kind === "json" && (body.text?.length ?? 0) > limit);
  return long ? { ...outcome, call: { ...outcome.call, body: NO_BODY } } : outcome;
}
const NO_BODY: Call["body"] = Object.freeze({ kind: "none" });

function requestText({ body }: Call, limit: number): JsonText | null {
  if (body.kind === "json") return body.text;
  return body.kind === "form-read" ? fieldsText(body.fields, limit) : null;
}
