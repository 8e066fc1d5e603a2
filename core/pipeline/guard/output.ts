import {
  type Call,
  ERRORS,
  GatewayError,
  type GuardrailResults,
  isJson,
  type Json,
  type Leaf,
  type MaybePromise,
  type MountedOperation,
  nextTurn,
  type Source,
  tenantOf,
  UpstreamFailure,
  type WireError,
} from "#contract";
import { nothingSpent } from "../../compute/allowance.ts";
import type { ClientForm, RoutedRequest, Try } from "../call/try.ts";
import { type Judgeable, readWhole } from "./no-json.ts";
import { type ActiveGuardrail, activeGuardrails, type GuardDeps, guardOutput, type GuardView, isGood } from "./guard.ts";
import { type GuardedStream, guardStream } from "./stream.ts";
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
import type { Content, GoodStream } from "../stream/content.ts";
import { errorBodyOf } from "../stream/error-response.ts";

/** Some check failed and nothing was denied. */
const FAILED_NOT_DENIED = 246;

const hookResults = ({ input, output }: GuardrailResults): Json => ({ before_request_hooks: input, after_request_hooks: output });

/** What guardrails may know of where the request goes. */
export const viewOf = (to: Try["to"], request: RoutedRequest): GuardView & { readonly provider: string } => ({
  provider: to.id,
  model: to.target.model || null,
  metadata: request.plan.metadata,
  spending: (request.spending ??= nothingSpent()),
  tenant: tenantOf(request.caller),
});

/** 446: a guardrail refused the request or the answer. */
export const deniedReply = ({ written, pending }: Pick<Guarded, "written" | "pending">, leaf: Leaf, to: Try["to"], { row }: Call): Reply =>
  denial(new WholeReport(written, NO_RESULTS, besideOf(pending, null)), leaf, to, row);

function denial(report: GuardrailReport, leaf: Leaf, to: Try["to"], row: MountedOperation): Reply {
  const results = report.results();
  const failed = [...results.input, ...results.output]
    .filter((result) => result.deny)
    .map((result) => result.id)
    .join(", ");
  const error: WireError = {
    message: new GatewayError("HOOKS_FAILED", { failed }).message,
    type: ERRORS.HOOKS_FAILED.type,
    param: null,
    code: null,
  };
  const body = errorBodyOf(row, ERRORS.HOOKS_FAILED.status, error, { hook_results: hookResults(results) });
  return {
    ...ownReply(ERRORS.HOOKS_FAILED.status, JSON.stringify(body), body, error),
    leaf,
    from: to,
    model: to.target.model || null,
    gatewayMade: false,
    guardrails: report,
  };
}

/** Runs the target's output guardrails on its answer and writes the results of both sides into it. */
export function guardReply(reply: Reply, it: Try, deps: GuardDeps): MaybePromise<Reply> {
  if (it.leaf.outputGuardrails.length > 0 && isGood(reply.status)) return guardedReply(reply, it, deps);
  return it.guarded ? withResults(reply, it.guarded, it.form) : reply;
}

async function guardedReply(reply: Reply, it: Try, deps: GuardDeps): Promise<Reply> {
  const active = await activeGuardrails(it.leaf.outputGuardrails, it.request.caller, deps);
  const { content } = reply;
  if (content.kind === "stream") return guardedStream({ reply, active, it }, content.stream, deps);
  if (content.kind === "whole") return guardedWhole({ reply, active, it }, content, deps);
  if (content.kind === "socket") return reply; // its messages are judged one by one
  const read = await readWhole(content, reply.headers, it).catch((thrown: unknown) => brokenReading(thrown, it, reply.sent?.secrets ?? []));
  if (read?.kind === "broken") return { ...reply, ...read.reading };
  return read ? guardedWhole({ reply: { ...reply, model: read.model ?? reply.model }, active, it }, read, deps) : reply;
}

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
  const of = { call: it.request.call, status: reply.status, view: viewOf(to, it.request) };
  const judged = await guardOutput(active, content.body, of, deps);
  const report = new WholeReport(guarded?.written ?? NO_RESULTS, judged.written, besideOf(guarded?.pending ?? null, judged.pending));
  if (judged.denied) return { ...denial(report, leaf, to, it.call.row), sent: reply.sent, upstreamMs: reply.upstreamMs };
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
  const { form, guarded, leaf, to, request } = it;
  const { dialect } = form;
  if (!dialect) return reply;
  const encoder = dialect.encode(form.encode);
  const outcome = await guardStream(active, request.call, chunksOf(stream), {
    ...deps,
    view: viewOf(to, request),
    encoder: () => dialect.encode(form.encode),
    judged: dialect.judged,
    held: request.held,
  }).catch((thrown: unknown) => brokenReading(thrown, it, reply.sent?.secrets ?? []));
  if (outcome.kind === "broken")
    return guarded ? withResults({ ...reply, ...outcome.reading }, guarded, form) : { ...reply, ...outcome.reading };
  const report = streamReport(outcome, guarded);
  if (outcome.kind === "denied") return { ...denial(report, leaf, to, it.call.row), sent: reply.sent, upstreamMs: reply.upstreamMs };
  const { chunks } = outcome;
  const answered: Reply = { ...reply, content: { kind: "stream", stream: { kind: "chunks", chunks, encoder, provider: to.id } } };
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
