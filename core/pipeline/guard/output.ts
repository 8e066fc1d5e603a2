import {
  ERRORS,
  GatewayError,
  type GuardrailResults,
  isJson,
  type Json,
  type Leaf,
  tenantOf,
  UpstreamFailure,
  type WireError,
} from "#contract";
import { nothingSpent } from "../../compute/allowance.ts";
import type { Asking } from "../target.ts";
import { closing } from "../stream/closing.ts";
import type { Gateway } from "../gateway.ts";
import { type ActiveGuardrail, activeGuardrails, type Guarded, type GuardView, guardOutput, isGood } from "./guard.ts";
import { type GuardedStream, guardStream } from "./stream.ts";
import type { ClientForm, Reading } from "../call/interpret.ts";
import { failed } from "../call/refusal.ts";
import { type Secrets, toldError } from "../call/secrets-sent.ts";
import { type Chunk, decoded } from "../stream/chunks.ts";
import { errorOf } from "../stream/live.ts";
import { besideOf, type GuardrailReport, NO_RESULTS, StreamReport, WholeReport } from "./report.ts";
import type { MaybePromise } from "../../kernel/process/maybe-promise.ts";
import { type Content, errorBody, ownReply, type Reply, type Source } from "../reply.ts";
import type { Resolved } from "../plan/targets.ts";

/** Some check failed and nothing was denied (data-plane fact sheet 4). */
const FAILED_NOT_DENIED = 246;

const hookResults = ({ input, output }: GuardrailResults): Json => ({ before_request_hooks: input, after_request_hooks: output });

/** What guardrails may know of where the request goes. */
export const viewOf = (to: Resolved, asking: Asking): GuardView & { readonly provider: string } => ({
  provider: to.id,
  model: to.target.model || null,
  metadata: asking.plan.metadata,
  spending: (asking.spending ??= nothingSpent()),
  tenant: tenantOf(asking.caller),
});

/** 446: a guardrail refused the request or the answer. */
export const deniedReply = ({ written, pending }: Pick<Guarded, "written" | "pending">, leaf: Leaf, to: Resolved): Reply =>
  denial(new WholeReport(written, NO_RESULTS, besideOf(pending, null)), leaf, to);

function denial(report: GuardrailReport, leaf: Leaf, to: Resolved): Reply {
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
  const body = errorBody(error, { hook_results: hookResults(results) });
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
export function guardReply(reply: Reply, guarded: Guarded | null, asking: Asking, form: ClientForm, gw: Gateway): MaybePromise<Reply> {
  if (reply.leaf === null || reply.leaf.outputGuardrails.length === 0 || !isGood(reply.status))
    return guarded ? withResults(reply, guarded, form) : reply;
  return guardedReply(reply, reply.leaf.outputGuardrails, guarded, asking, form, gw);
}

async function guardedReply(
  reply: Reply,
  list: Leaf["outputGuardrails"],
  guarded: Guarded | null,
  asking: Asking,
  form: ClientForm,
  gw: Gateway,
): Promise<Reply> {
  const active = await activeGuardrails(list, asking.caller, gw.guards);
  if (reply.content.kind === "stream") return guardedStream(reply, reply.content.source, active, guarded, asking, form, gw);
  return reply.content.kind === "whole" ? guardedWhole(reply, active, guarded, asking, form, gw) : reply;
}

async function guardedWhole(
  reply: Reply,
  active: readonly ActiveGuardrail[],
  guarded: Guarded | null,
  asking: Asking,
  form: ClientForm,
  gw: Gateway,
): Promise<Reply> {
  const { content, from, leaf } = reply;
  if (content.kind !== "whole" || !isJson(content.body) || !from || !leaf) return reply;
  const judged = await guardOutput(active, asking.call, content.body, reply.status, viewOf(from, asking), gw.guards);
  const report = new WholeReport(guarded?.written ?? NO_RESULTS, judged.written, besideOf(guarded?.pending ?? null, judged.pending));
  if (judged.denied) return { ...denial(report, leaf, from), sent: reply.sent, upstreamMs: reply.upstreamMs };
  const text = judged.body === content.body ? content.text : JSON.stringify(judged.body);
  const answered: Reply = { ...reply, content: { ...content, body: judged.body, text } };
  return withReport(answered, report, (guarded?.failed ?? false) || judged.failed, form);
}

const withResults = (reply: Reply, { written, pending, failed }: Guarded, form: ClientForm): Reply =>
  withReport(reply, new WholeReport(written, NO_RESULTS, besideOf(pending, null)), failed, form);

/** `hook_results` stands in whole bodies; in streams only when the client does not insist on the strict form. */
function withReport(reply: Reply, report: GuardrailReport, failed: boolean, form: ClientForm): Reply {
  const status = failed && isGood(reply.status) ? FAILED_NOT_DENIED : reply.status;
  const { content } = reply;
  if (content.kind === "whole") return { ...reply, status, guardrails: report, content: withHooks(content, report) };
  if (content.kind === "stream" && !form.encode.strict && report.results().input.length > 0)
    return { ...reply, status, guardrails: report, content: { kind: "stream", source: noted(content.source, report, form) } };
  return { ...reply, status, guardrails: report };
}

function withHooks(content: Whole, report: GuardrailReport): Whole {
  const hooks = isJson(content.body) ? report.results().text : null;
  return hooks === null ? content : { ...content, hooks };
}
type Whole = Extract<Content, { kind: "whole" }>;

async function guardedStream(
  reply: Reply,
  source: Source,
  active: readonly ActiveGuardrail[],
  guarded: Guarded | null,
  asking: Asking,
  form: ClientForm,
  gw: Gateway,
): Promise<Reply> {
  const { from, leaf } = reply;
  const dialect = form.dialect;
  if (!from || !leaf || !dialect) return reply;
  const encoder = dialect.encode(form.encode);
  const outcome = await guardStream(active, asking.call, chunksOf(source), viewOf(from, asking), {
    ...gw.guards,
    encoder: () => dialect.encode(form.encode),
    judged: dialect.judged,
    held: asking.held,
  }).catch((thrown: unknown) => broken(thrown, asking.call, from.id, reply.sent?.secrets ?? [], form));
  if (outcome.kind === "broken") return broke({ ...reply, ...outcome.reading }, guarded, form);
  const report = streamReport(outcome, guarded);
  if (outcome.kind === "denied") return { ...denial(report, leaf, from), sent: reply.sent, upstreamMs: reply.upstreamMs };
  const answered: Reply = {
    ...reply,
    content: {
      kind: "stream",
      source: { kind: "chunks", chunks: closing(asGenerator(outcome.chunks), () => outcome.chunks.return?.()), encoder, provider: from.id },
    },
  };
  return withReport(answered, report, (guarded?.failed ?? false) || outcome.failed, form);
}

function streamReport(outcome: GuardedStream, guarded: Guarded | null): GuardrailReport {
  const after = outcome.kind === "denied" ? { ...outcome, results: () => outcome.results } : outcome;
  return new StreamReport(guarded?.written ?? NO_RESULTS, guarded?.pending ?? null, after);
}

/** A stream that broke while it was held back: nothing has been sent, so it is a failed answer and another target may be tried. */
function broken(
  thrown: unknown,
  { signal }: Asking["call"],
  provider: string,
  secrets: Secrets,
  form: ClientForm,
): { readonly kind: "broken"; readonly reading: Reading } {
  if (signal.aborted) throw new GatewayError("CLIENT_LEFT", {}, { cause: thrown });
  if (GatewayError.is(thrown) && (thrown.code === "MEMORY_FULL" || (thrown.status < 500 && thrown.code !== "TIMEOUT"))) throw thrown;
  const status = GatewayError.is(thrown) || thrown instanceof UpstreamFailure ? thrown.status : 502;
  return {
    kind: "broken",
    reading: failed(status >= 400 ? status : 502, toldError(errorOf(thrown, provider), secrets), {}, provider, form),
  };
}
const broke = (reply: Reply, guarded: Guarded | null, form: ClientForm): Reply => (guarded ? withResults(reply, guarded, form) : reply);

const chunksOf = (source: Source): AsyncGenerator<Chunk> =>
  source.kind === "chunks" ? source.chunks : closing(decoded(source.passing), () => source.passing.reader.cancel());

async function* asGenerator(chunks: AsyncIterable<Chunk>): AsyncGenerator<Chunk> {
  yield* chunks;
}

/** Puts the results before the answer and, when there are any, behind it. */
function noted(source: Source, report: GuardrailReport, form: ClientForm): Source {
  const dialect = form.dialect;
  if (!dialect) return source;
  const encoder = dialect.encode(form.encode);
  const provider = source.kind === "chunks" ? source.provider : source.passing.provider;
  const chunks = chunksOf(source);
  return {
    kind: "chunks",
    chunks: closing(between(chunks, report, encoder.note.bind(encoder)), () => chunks.return(undefined)),
    encoder: source.kind === "chunks" ? source.encoder : encoder,
    provider,
  };
}

async function* between(chunks: AsyncGenerator<Chunk>, report: GuardrailReport, note: (extra: Json) => string): AsyncGenerator<Chunk> {
  yield { wire: note({ hook_results: { before_request_hooks: report.results().input } }), events: [] };
  yield* chunks;
  const { output } = report.results(); // complete only now
  if (output.length > 0) yield { wire: note({ hook_results: { after_request_hooks: output } }), events: [] };
}
