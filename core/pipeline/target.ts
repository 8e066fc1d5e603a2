import { type Ask, type Call, type Caller, GatewayError, type Json, type Leaf, type Plan } from "#contract";
import type { Spending } from "../compute/allowance.ts";
import type { Held } from "../kernel/process/memory-budget.ts";
import { entering, markOfOwner } from "../kernel/process/watchdog/marks.ts";
import { type Attempted, attempt } from "./call/attempt.ts";
import type { Exchange } from "./call/sending.ts";
import type { Gateway } from "./gateway.ts";
import { type ActiveGuardrail, activeGuardrails, type GuardedCall, guardInput } from "./guard/guard.ts";
import type { ClientForm } from "./call/interpret.ts";
import { refuseUnstreamable } from "./guard/stream.ts";
import { wireError } from "./stream/live.ts";
import type { MaybePromise } from "../kernel/process/maybe-promise.ts";
import { deniedReply, guardReply, viewOf } from "./guard/output.ts";
import { readForm } from "./call/form.ts";
import { NO_REPORT } from "./guard/report.ts";
import { errorBody, ownReply, type Reply } from "./reply.ts";
import { shaped } from "./plan/shape.ts";
import type { Resolved } from "./plan/targets.ts";

/** One request on its way through its targets. */
export interface Asking {
  readonly call: Call;
  readonly caller: Caller;
  readonly plan: Plan;
  /** What its checks have taken so far, whichever target they ran for. */
  spending?: Spending;
  readonly held: Held;
  /** Input guardrails that have run, by their list and the body they saw: another target with both the same does not run them again. */
  guarded?: Map<Leaf["inputGuardrails"], { readonly saw: Json | null; readonly result: GuardedCall }>;
}

/** Resolve, shape, guard, call, guard: what one target answers. */
export async function answerFrom(leaf: Leaf, asking: Asking, gw: Gateway): Promise<Reply> {
  const { call, caller, plan } = asking;
  try {
    const body = call.body.kind === "json" ? shaped(call.body.value, leaf) : null;
    const resolved = gw.resolve(leaf, call, caller, modelOf(body, call, plan));
    const to = resolved instanceof Promise ? await resolved : resolved;
    const judged = leaf.inputGuardrails.length === 0 ? null : guardedInput({ leaf, body, to, asking }, gw);
    const guarded = judged instanceof Promise ? await judged : judged;
    if (guarded?.denied) return deniedReply(guarded, leaf, to);
    const asked = guarded?.call ?? call;
    const askedBody = guarded && asked.body.kind === "json" ? asked.body.value : body;
    const form = clientForm(asked, askedBody, leaf, gw);
    const sending = exchangeOf(asked, askedBody, leaf, to, form);
    if (sending.ask.stream && leaf.outputGuardrails.length > 0)
      refuseUnstreamable(await activeGuardrails(leaf.outputGuardrails, caller, gw.guards), asked);
    const attempted = await attempt(sending, {
      egress: gw.gen.egress,
      headers: gw.headers,
      ownKeys: gw.ownKeys,
      form,
      now: gw.now,
      deadlineAt: deadlineOf(call),
      held: asking.held,
    });
    return guardReply(replyOf(attempted, leaf, to), guarded, asking, form, gw);
  } catch (thrown) {
    return unavailable(thrown, leaf);
  }
}

const deadlineOf = ({ startedAt, control }: Call): number | null =>
  control.requestTimeoutMs === undefined ? null : startedAt + control.requestTimeoutMs;

/** A provider plugin that is down is an answer too, so that another target may be tried. */
function unavailable(thrown: unknown, leaf: Leaf): Reply {
  if (!GatewayError.is(thrown) || thrown.code !== "PROVIDER_UNAVAILABLE") throw thrown;
  const error = wireError(thrown);
  const body = errorBody(error, { status: "failure", message: error.message });
  return { ...ownReply(thrown.status, JSON.stringify(body), body, error), leaf, gatewayMade: false };
}

function replyOf({ reading, sent, retries, exhausted, upstreamMs }: Attempted, leaf: Leaf, to: Resolved): Reply {
  return {
    ...reading,
    model: reading.model ?? (to.target.model || null),
    leaf,
    from: to,
    sent,
    retries,
    exhausted,
    gatewayMade: false,
    cacheStatus: "DISABLED",
    guardrails: NO_REPORT,
    upstreamMs,
  };
}

function modelOf(body: Json | null, call: Call, plan: Plan): string {
  const model = body?.["model"] ?? plan.model ?? new URLSearchParams(call.search).get("model");
  return typeof model === "string" ? model : "";
}

/** What input guardrails judge: the request as this target would get it. */
interface Judged {
  readonly leaf: Leaf;
  readonly body: Json | null;
  readonly to: Resolved;
  readonly asking: Asking;
}

/** Without a promise when the guardrails are known, and their checks answer at once and change nothing. */
function guardedInput(it: Judged, gw: Gateway): MaybePromise<GuardedCall> {
  const { leaf, body, to, asking } = it;
  const known = asking.guarded?.get(leaf.inputGuardrails);
  if (known?.saw === body) return known.result;
  const active = activeGuardrails(leaf.inputGuardrails, asking.caller, gw.guards);
  const result =
    active instanceof Promise || asking.call.body.kind === "form"
      ? guardedLater(active, it, gw)
      : guardInput(active, withShape(asking.call, body), viewOf(to, asking), gw.guards);
  return result instanceof Promise ? rememberedLater(result, it) : remembered(result, it);
}

/** Guardrails that have to be read, or a form that has to be. */
async function guardedLater(known: MaybePromise<readonly ActiveGuardrail[]>, it: Judged, gw: Gateway): Promise<GuardedCall> {
  const active = await known;
  const { call } = it.asking;
  const readable = call.body.kind === "form" ? { ...call, body: await readForm(call.body, it.asking.held) } : withShape(call, it.body);
  return guardInput(active, readable, viewOf(it.to, it.asking), gw.guards);
}

const rememberedLater = async (result: Promise<GuardedCall>, it: Judged): Promise<GuardedCall> => remembered(await result, it);

function remembered(result: GuardedCall, { leaf, body, asking }: Judged): GuardedCall {
  (asking.guarded ??= new Map()).set(leaf.inputGuardrails, { saw: body, result });
  return result;
}

/** The call with its JSON as the target shaped it. */
const withShape = (call: Call, body: Json | null): Call =>
  call.body.kind === "json" && body && body !== call.body.value
    ? { ...call, body: { kind: "json", value: body, text: JSON.stringify(body) } }
    : call;

function clientForm(call: Call, body: Json | null, leaf: Leaf, gw: Gateway): ClientForm {
  const dialect = gw.dialects.get(call.operation) ?? null;
  const strict = leaf.strict ?? call.control.strict ?? true;
  const model = typeof body?.["model"] === "string" ? body["model"] : "";
  const usage = dialect !== null && body !== null && dialect.asksUsage(body);
  return {
    dialect,
    encode: { id: call.id, model, created: Math.floor(call.startedAt / 1000), usage, strict },
    flatErrors: call.row.flatErrors ?? false,
  };
}

function exchangeOf(call: Call, body: Json | null, leaf: Leaf, to: Resolved, form: ClientForm): Exchange {
  const stream = call.row.streams === true && body?.["stream"] === true;
  const ask: Ask = {
    target: to.target,
    operation: call.operation,
    path: call.path,
    search: call.search,
    stream,
    strict: form.encode.strict,
  };
  return { call, leaf, to, ask, body: body && providerBody(body, to, ask, form) };
}

/** The body in the provider's own form. The client's object itself comes back when nothing had to change. */
function providerBody(body: Json, to: Resolved, ask: Ask, form: ClientForm): Json {
  const named = to.target.model !== "" && body["model"] !== to.target.model ? { ...body, model: to.target.model } : body;
  const passes = form.dialect !== null && to.provider.dialect === form.dialect.id;
  const counted = ask.stream && passes && !form.encode.usage && form.dialect ? form.dialect.withUsage(named) : named;
  entering(markOfOwner(to.provider));
  if (to.adapter.request) return to.adapter.request(counted, ask);
  if (form.dialect && !passes && !to.adapter.reply)
    throw new GatewayError("OPERATION_UNSUPPORTED", {
      provider: to.id,
      operation: ask.operation,
      serves: Object.keys(to.provider.operations).join(", "),
    });
  return counted;
}
