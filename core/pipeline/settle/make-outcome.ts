import {
  type Bodies,
  type Call,
  GatewayError,
  isJson,
  type Json,
  type JsonText,
  MAX_JSON_LEVELS,
  type MaybePromise,
  nestsDeeper,
  type Outcome,
  outputTokens,
  type PlacedSegment,
  type Usage,
  type WireError,
} from "#contract";
import { callerKey } from "../../kernel/secrets/caller-key.ts";
import { type Ending, NOTHING_READ } from "../stream/deliver.ts";
import type { EstimateUsage } from "./estimate.ts";
import type { CostOf } from "./cost.ts";
import { fieldsText, logged, type LoggedText, shortened } from "./logged-text.ts";
import type { Reply } from "../call/reply.ts";
import type { Served } from "./settle.ts";
import {
  MIN_LENGTH,
  type Secrets,
  longestFirst,
  redactedError,
  withoutBegunSecret,
  withoutLongSecrets,
} from "../../kernel/secrets/redaction.ts";

interface At {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly loggedBytes: number;
  readonly costOf: CostOf;
  readonly estimate: EstimateUsage;
}

/** What came of a request, as policies and exporters are told it. */
export const outcomeOf = async (ended: Ended, at: At): Promise<Outcome> => makeOutcome(ended, at, await findingsOf(ended, at));

/** A request and how it ended. */
export interface Ended {
  readonly reply: Reply;
  readonly served: Served;
  readonly ending: Ending;
}
function makeOutcome({ reply, served: { call, caller, plan }, ending }: Ended, at: At, found: Findings): Outcome {
  const secrets = secretsOf(reply, call);
  return {
    call,
    caller,
    plan,
    status: reply.status,
    ended: ending.ended,
    error: shortError(ending.error ?? reply.error, secrets),
    provider: reply.from?.id ?? null,
    providerSlug: reply.from?.slug ?? null,
    model: shortName(hidden(modelOf(reply, ending), secrets)),
    lastUsedOption: reply.leaf?.path ?? null,
    retries: reply.retries,
    cacheStatus: reply.cacheStatus,
    streamed: ending.streamed === true,
    usage: found.usage,
    costCents: found.costCents,
    guardrails: quoting(found.guardrails, secrets),
    timing: timingOf(reply, ending, at.now - call.startedAt),
    bodies: call.control.debug === false ? null : bodiesOf({ reply, call, ending, secrets }, at.loggedBytes),
  };
}

/** An outcome that needs nothing of the answer: where the whole one could not be made, the request is still told of. */
export const bareOutcome = ({ reply, served, ending }: Ended, at: At): Outcome => ({
  ...makeOutcome({ reply, served, ending: { ...NOTHING_READ, ended: ending.ended } }, at, NOTHING_FOUND),
  bodies: null,
});
const NOTHING_FOUND: Findings = { usage: null, costCents: null, guardrails: { input: [], output: [], text: null } };

/** A provider may call its model and its errors anything, at any length; columns and indexes have an end. */
const MAX_NAME = 256;
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

/** No price and no tokenizer knows a longer name, and looking for it would hold up every request. */
const isAskable = (model: string): boolean => model !== "" && model.length <= MAX_NAME;
const shortName = (name: string | null): string | null => name && shortened(name, MAX_NAME);

const modelOf = (reply: Reply, ending: Ending): string | null => ending.model ?? reply.model;

/* ── what is not in the answer itself ────────────────────────────────────────────────────────────────────────── */

interface Findings {
  readonly usage: Usage | null;
  readonly costCents: number | null;
  readonly guardrails: Outcome["guardrails"];
}

/** Usage may have to be estimated, a guardrail may still run, and a source of prices may have to look its price up. */
async function findingsOf(ended: Ended, { costOf, estimate }: At): Promise<Findings> {
  const { reply, served, ending } = ended;
  const judging = guardrailsOf(reply);
  const usage = await usageOf(ended, estimate);
  return {
    usage,
    costCents: usage && (await costFor({ reply, served, usage, costOf }, modelOf(reply, ending))),
    guardrails: await judging,
  };
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

/* ── usage and cost ──────────────────────────────────────────────────────────────────────────────────────────── */

/** What the provider reported, if the answer came to its end; else no less than what was received. */
function usageOf(ended: Ended, estimate: EstimateUsage): MaybePromise<Usage | null> {
  const { ending } = ended;
  const reported = ending.usage;
  return reported && (ending.ended === "ok" || !ending.streamed) ? reported : usageReceived(ended, estimate);
}

async function usageReceived(ended: Ended, estimate: EstimateUsage): Promise<Usage | null> {
  const reported = ended.ending.usage;
  const estimated = await estimateOf(ended, estimate);
  if (!reported || !estimated) return reported ?? estimated;
  const missing = outputTokens(estimated) - outputTokens(reported);
  return missing > 0 ? { ...reported, output: (reported.output ?? 0) + missing, estimated: true } : reported;
}

/** Only answers that cost something are estimated: those a model began to give. */
async function estimateOf({ reply, served, ending }: Ended, estimate: EstimateUsage): Promise<Usage | null> {
  const call = served.prepared ?? served.call;
  const { input, output } = call.row.content;
  if (!input || !output || reply.from === null || reply.status >= 300 || call.body.kind !== "json") return null;
  const { content } = reply;
  const whole = content.kind === "whole" && isJson(content.body) ? textRead(output, content.body, content.text) : "";
  const { text, times } = ending.answerText?.() ?? { text: whole, times: 1 };
  const model = modelOf(reply, ending) ?? reply.from.target.model;
  const of = { providerId: reply.from.id, model: shortened(model, MAX_NAME) };
  const asked = textRead(input, call.body.value, served.call.body.kind === "json" ? served.call.body.text : null);
  const usage = await estimate(asked, text, of);
  return { ...usage, output: Math.round((usage.output ?? 0) * times) };
}

/** The texts of a body; all of its JSON where they are too many to be read. */
function textRead(read: (body: Json) => readonly PlacedSegment[], body: Json, json: JsonText | null): string {
  try {
    return textIn(read(body));
  } catch (thrown) {
    if (!GatewayError.is(thrown)) throw thrown;
    return typeof json === "string" ? json : Buffer.from(json ?? []).toString("latin1");
  }
}
/** What of a body counts as tokens of text. */
const textIn = (segments: readonly PlacedSegment[]): string =>
  segments
    .filter(({ kind }) => !MEDIA.has(kind))
    .map((segment) => segment.raw ?? segment.text)
    .join("\n");
const MEDIA: ReadonlySet<PlacedSegment["kind"]> = new Set(["image", "audio", "file"]);

/** By the model that answered, or by the one that was asked when nobody knows the other's price. */
async function costFor(used: Used, model: string | null): Promise<number | null> {
  if (!used.reply.from) return null;
  const { id: providerId, slug: providerSlug, provider, target } = used.reply.from;
  const asked = target.model;
  const of = model ?? asked;
  const { usage, costOf, served } = used;
  const cost = isAskable(of) ? await costOf({ providerId, providerSlug, model: of, usage, caller: served.caller }, provider) : null;
  return cost === null && of !== asked ? costFor(used, null) : cost;
}
/** What an answer used, and who can say what that costs. */
interface Used extends Pick<Ended, "reply" | "served"> {
  readonly usage: Usage;
  readonly costOf: CostOf;
}

/* ── nothing that is told of a request holds the credentials that went with it ───────────────────────────────── */

/** Those of its targets, and the key of who asked. */
function secretsOf({ sent }: Reply, call: Call): Secrets {
  const key = callerKey(call.headers, call.control.apiKey);
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

function bodiesOf({ reply, call, ending, secrets }: Told, limit: number): Bodies {
  const request = logged(requestText(call, limit), limit);
  const response = logged(call.row.content.vectors ? null : ending.response, limit);
  return {
    request: kept(request, secrets),
    upstreamUrl: hidden(reply.sent?.url ?? null, secrets),
    upstreamRequest: kept(logged(reply.sent?.body ?? null, limit), secrets),
    response: kept(response, secrets),
    truncated: request.isCut || response.isCut,
  };
}
interface Told extends Pick<Ended, "reply" | "ending"> {
  readonly call: Call;
  readonly secrets: Secrets;
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
