import {
  type ByteSource,
  type Dialect,
  ERRORS,
  GatewayError,
  type GuardrailResult,
  type GuardrailResults,
  isJson,
  type Json,
  type Leaf,
  type MaybePromise,
  nextTurn,
  type Source,
  type StreamEvent,
  tenantOf,
  UpstreamFailure,
  type WireError,
} from "#contract";
import { nothingSpent } from "../../compute/allowance.ts";
import type { ClientForm, RoutedRequest, Try } from "../call/try.ts";
import { type Judgeable, readWhole } from "./no-json.ts";
import { type GuardDeps, guardOutput, type GuardView, isGood } from "./guard.ts";
import type { ActiveGuardrail } from "../plan/guardrails/active.ts";
import { type GuardedStream, guardStream, rewritten } from "./stream.ts";
import { actingOn } from "./rollout.ts";
import { guardAnswers } from "./lines/answers.ts";
import { collect } from "../stream/fold.ts";
import { InTurns } from "../stream/in-turns.ts";
import type { Reading } from "../call/interpret.ts";
import { failed } from "../call/refusal.ts";
import type { Chunk } from "../stream/chunks.ts";
import { decoded } from "../stream/arriving-chunks.ts";
import { errorOf } from "../stream/live.ts";
import { NotedChunks } from "./noted-chunks.ts";
import { besideOf, type Guarded, type GuardrailReport, NO_RESULTS, StreamReport, WholeReport } from "../call/guardrail-report.ts";
import { isLong } from "../../json/long-json.ts";
import { written } from "../../json/written.ts";
import { ownReply, type Reply } from "../call/reply.ts";
import { type Secrets, redactedError } from "../../kernel/secrets/redaction.ts";
import type { Spent } from "../stream/spent.ts";
import type { Content, GoodStream } from "../stream/content.ts";
import { errorBodyOf } from "../stream/error-response.ts";

/** Some check failed and nothing was denied. */
export const FAILED_NOT_DENIED = 246;

const hookResults = ({ input, output }: GuardrailResults): Json => ({ before_request_hooks: input, after_request_hooks: output });

/** What guardrails may know of where the request goes. */
export const viewOf = (to: Try["to"], request: RoutedRequest): GuardView & { readonly provider: string } => ({
  provider: to.id,
  model: to.target.model || null,
  metadata: request.plan.metadata,
  spending: (request.spending ??= nothingSpent()),
  tenant: tenantOf(request.caller),
  tenantIds: request.caller,
  caller: request.caller,
});

/** What is denied, and to whom it is told. */
interface Denial {
  readonly report: GuardrailReport;
  readonly leaf: Leaf;
  readonly to: Try["to"];
  readonly form: ClientForm;
  /** As the model's text, where the client's form has texts; as an error otherwise. */
  readonly softly: boolean;
  readonly streamed: boolean;
}

/** A request that its input guardrails deny: nothing is sent. */
export const deniedReply = ({ written, pending, softly }: Guarded, of: Pick<Denial, "leaf" | "to" | "form" | "streamed">): Reply =>
  denial({ ...of, report: new WholeReport(written, NO_RESULTS, besideOf(pending, null)), softly });

function denial(denied: Denial): Reply {
  const { report, leaf, to, form, softly } = denied;
  const results = report.results();
  const denying = [...results.input, ...results.output].filter((result) => result.deny && !result.async);
  const { message } = new GatewayError("HOOKS_FAILED", { failed: denying.map(({ id }) => id).join(", ") });
  const shared = { leaf, from: to, model: to.target.model || null, gatewayMade: false, guardrails: report };
  if (softly && form.dialect) return { ...softDenial(`${message} ${reasonsOf(denying)}`.trimEnd(), denied, form.dialect), ...shared };
  const error: WireError = { message, type: ERRORS.HOOKS_FAILED.type, param: null, code: null };
  const body = errorBodyOf(form.row, ERRORS.HOOKS_FAILED.status, error, { hook_results: hookResults(results) });
  return { ...ownReply(ERRORS.HOOKS_FAILED.status, JSON.stringify(body), body, error), ...shared };
}

/** What the checks that denied say of it, each once; empty where none of them says anything. */
function reasonsOf(denying: readonly GuardrailResult[]): string {
  const failed = denying.flatMap(({ checks }) => checks.filter(({ verdict, error }) => !verdict && error === null));
  const reasons = failed.map(({ data }) => (isJson(data) ? data["explanation"] : undefined)).filter((reason) => typeof reason === "string");
  return [...new Set(reasons)].join(" ").slice(0, MAX_REASONS);
}
const MAX_REASONS = 2_000;

/** A denial as an answer whose text is the reason. */
function softDenial(message: string, { report, form, to, streamed }: Denial, dialect: Dialect): Reply {
  const events: readonly StreamEvent[] = [
    { type: "start", id: form.encode.id, model: form.encode.model, created: form.encode.created },
    { type: "text", text: message },
    { type: "finish", reason: "stop" },
  ];
  const body = dialect.write(collect(events), form.encode);
  const whole = ownReply(200, JSON.stringify(body), body);
  if (!streamed) return withReport(whole, report, false, form);
  const encoder = dialect.encode(form.encode);
  const chunks: Source<Chunk> = new InTurns(rewritten(events, encoder).values());
  const content: Content = { kind: "stream", stream: { kind: "chunks", chunks, encoder, provider: to.id } };
  return withReport({ ...whole, headers: { "content-type": "text/event-stream" }, content }, report, false, form);
}

/** The answer that was denied was paid for all the same. */
function paid(denial: Reply, { sent, upstreamMs, retries, begun }: Reply, denied: Spent): Reply {
  return { ...denial, sent, upstreamMs, retries, ...(begun && { begun }), denied };
}

/** Runs the target's output guardrails on its answer and writes the results of both sides into it. */
export function guardReply(reply: Reply, it: Try, deps: GuardDeps): MaybePromise<Reply> {
  if (it.leaf.outputGuardrails.length > 0 && isGood(reply.status)) return guardedReply(reply, it, deps);
  return it.guarded ? withResults(reply, it.guarded, it.form) : reply;
}

async function guardedReply(reply: Reply, it: Try, deps: GuardDeps): Promise<Reply> {
  const active = await it.request.prepared.guardrails(it.leaf.outputGuardrails);
  const { content } = reply;
  if (content.kind === "stream") return guardedStream({ reply, active, it }, content.stream, deps);
  if (content.kind === "whole") return guardedWhole({ reply, active, it }, content, deps);
  if (content.kind === "socket") return reply; // its messages are judged one by one
  if (it.call.row.content.answers && content.bytes) return guardedFile({ reply, active, it }, content.bytes, deps);
  const read = await readWhole(content, reply.headers, it).catch((thrown: unknown) => brokenReading(thrown, it, reply.sent?.secrets ?? []));
  if (read?.kind === "broken") return { ...reply, ...read.reading };
  return read ? guardedWhole({ reply: { ...reply, model: read.model ?? reply.model }, active, it }, read, deps) : reply;
}

/** A file of answers, each of which is judged. */
async function guardedFile({ reply, active, it }: AnswerToGuard, upstream: ByteSource, deps: GuardDeps): Promise<Reply> {
  const { guarded, leaf, to, form, call, request } = it;
  const judge = {
    list: actingOn(active, call.traceId),
    call,
    view: viewOf(to, request),
    operations: [...deps.operations.values()].map(({ row }) => row),
    deps,
    held: request.held,
  };
  const { bytes, ...judged } = await guardAnswers(upstream, judge);
  const report = new WholeReport(guarded?.written ?? NO_RESULTS, judged.written, besideOf(guarded?.pending ?? null, judged.pending));
  if (judged.denied) return paid(denial({ report, leaf, to, form, softly: false, streamed: false }), reply, NOTHING_SPENT);
  const { "content-length": _, ...headers } = reply.headers; // a line may have been changed
  const answered: Reply = { ...reply, headers, content: { kind: "bytes", bytes } };
  return withReport(answered, report, (guarded?.failed ?? false) || judged.failed, form);
}
const NOTHING_SPENT: Spent = { usage: null, model: null, isComplete: false, received: "" };

/** An answer, and the guardrails that judge it. */
interface AnswerToGuard {
  readonly reply: Reply;
  readonly active: readonly ActiveGuardrail[];
  readonly it: Try;
}
async function guardedWhole({ reply, active, it }: AnswerToGuard, content: Judgeable, deps: GuardDeps): Promise<Reply> {
  if (!isJson(content.body)) return reply;
  if (isLong(content.text)) await nextTurn(); // it was read, and may have been made into another
  const { guarded, leaf, to, form } = it;
  const of = { call: it.call, status: reply.status, view: viewOf(to, it.request) };
  const judged = await guardOutput(active, content.body, of, deps);
  const report = new WholeReport(guarded?.written ?? NO_RESULTS, judged.written, besideOf(guarded?.pending ?? null, judged.pending));
  if (judged.denied)
    return paid(denial({ report, leaf, to, form, softly: judged.softly, streamed: false }), reply, {
      usage: content.usage,
      model: reply.model,
      isComplete: true,
      received: { body: content.body, text: content.text },
    });
  const { write, ...whole } = content;
  const text = judged.body === content.body ? content.text : write ? await write(judged.body) : await written(judged.body, content.text);
  const answered: Reply = { ...reply, content: { ...whole, body: write ? null : judged.body, text } };
  return withReport(answered, report, (guarded?.failed ?? false) || judged.failed, form);
}

const withResults = (reply: Reply, { written, pending, failed }: Guarded, form: ClientForm): Reply =>
  withReport(reply, new WholeReport(written, NO_RESULTS, besideOf(pending, null)), failed, form);

/** An answer of the gateway's own behind input guardrails that let the request pass. */
export function judgedReply(reply: Reply, { written, pending }: Guarded): Reply {
  const report = new WholeReport(written, NO_RESULTS, besideOf(pending, null));
  const { content } = reply;
  return { ...reply, guardrails: report, content: content.kind === "whole" ? withHooks(content, report) : content };
}

/** `hook_results` stands in whole bodies; in streams only when the client does not insist on the strict form. */
function withReport(reply: Reply, report: GuardrailReport, failed: boolean, form: ClientForm): Reply {
  const status = failed && isGood(reply.status) ? FAILED_NOT_DENIED : reply.status;
  const { content } = reply;
  if (content.kind === "whole") return { ...reply, status, guardrails: report, content: withHooks(content, report) };
  if (content.kind === "stream" && !form.encode.strict)
    return { ...reply, status, guardrails: report, content: { kind: "stream", stream: withHookFrames(content.stream, report, form) } };
  return { ...reply, status, guardrails: report };
}

function withHooks(content: Whole, report: GuardrailReport): Whole {
  const hooks = isJson(content.body) ? report.results().text : null;
  return hooks === null ? content : { ...content, hooks };
}
type Whole = Extract<Content, { kind: "whole" }>;

async function guardedStream({ reply, active, it }: AnswerToGuard, stream: GoodStream, deps: GuardDeps): Promise<Reply> {
  const { form, guarded, leaf, to, request, call } = it;
  const { dialect } = form;
  if (!dialect) return reply;
  const encoder = dialect.encode(form.encode);
  const outcome = await guardStream(active, call, chunksOf(stream), {
    ...deps,
    view: viewOf(to, request),
    encoder: () => dialect.encode(form.encode),
    judged: dialect.judged,
    held: request.held,
  }).catch((thrown: unknown) => brokenReading(thrown, it, reply.sent?.secrets ?? []));
  if (outcome.kind === "broken")
    return guarded ? withResults({ ...reply, ...outcome.reading }, guarded, form) : { ...reply, ...outcome.reading };
  const report = streamReport(outcome, guarded);
  if (outcome.kind === "denied")
    return paid(denial({ report, leaf, to, form, softly: outcome.softly, streamed: true }), reply, outcome.spent);
  const { chunks, spent } = outcome;
  const answered: Reply = { ...reply, spent, content: { kind: "stream", stream: { kind: "chunks", chunks, encoder, provider: to.id } } };
  return withReport(answered, report, (guarded?.failed ?? false) || outcome.failed, form);
}

function streamReport(outcome: GuardedStream, guarded: Guarded | null): GuardrailReport {
  const after = outcome.kind === "denied" ? { ...outcome, results: () => outcome.results } : outcome;
  return new StreamReport(guarded?.written ?? NO_RESULTS, guarded?.pending ?? null, after);
}

/** A stream that broke while it was held back: nothing has been sent, so it is a failed answer and another target may be tried. */
function brokenReading(thrown: unknown, it: Try, secrets: Secrets): { readonly kind: "broken"; readonly reading: Reading } {
  if (it.request.call.signal.aborted) throw new GatewayError("CLIENT_LEFT", {}, { cause: thrown });
  if (GatewayError.is(thrown) && (thrown.code === "MEMORY_FULL" || (thrown.status < 500 && thrown.code !== "TIMEOUT"))) throw thrown;
  const status = GatewayError.is(thrown) || UpstreamFailure.is(thrown) ? thrown.status : 502;
  return { kind: "broken", reading: failed(status >= 400 ? status : 502, redactedError(errorOf(thrown, it.to.id), secrets), it) };
}

const chunksOf = (stream: GoodStream): Source<Chunk> => (stream.kind === "chunks" ? stream.chunks : decoded(stream.passing));

function withHookFrames(stream: GoodStream, report: GuardrailReport, { dialect, encode }: ClientForm): GoodStream {
  if (!dialect) return stream;
  const encoder = dialect.encode(encode);
  const { provider } = stream.kind === "chunks" ? stream : stream.passing;
  const chunks = new NotedChunks(chunksOf(stream), report, encoder, dialect.notesBehindStart);
  return { kind: "chunks", chunks, encoder: stream.kind === "chunks" ? stream.encoder : encoder, provider };
}
