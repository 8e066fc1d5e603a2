import {
  type Adapter,
  type AdapterInput,
  type Body,
  type Call,
  type Dialect,
  GatewayError,
  isTrained,
  type Json,
  type Leaf,
  type MaybePromise,
  type MountedOperation,
  nextTurn,
  OPERATIONS,
  shownOperation,
  type Plan,
} from "#contract";
import { isLong } from "../json/long-json.ts";
import { entering, markOfOwner } from "../kernel/process/watchdog/marks.ts";
import { type Attempted, attempt } from "./call/attempt.ts";
import { Tries } from "./call/retry.ts";
import type { Gateway } from "./gateway.ts";
import { guardInput } from "./guard/guard.ts";
import { guardFile } from "./guard/lines/file.ts";
import type { ClientForm, RoutedRequest, Try } from "./call/try.ts";
import { refuseUnread } from "./guard/unread.ts";
import { refuseUnstreamable } from "./guard/stream.ts";
import { wireError } from "./stream/live.ts";
import { askedUntilItPasses, mayBeAskedAgain } from "./guard/asked-again.ts";
import { deniedReply, guardReply, judgedReply, viewOf } from "./guard/output.ts";
import { readForm } from "./call/form.ts";
import { type GuardedCall, NO_REPORT } from "./call/guardrail-report.ts";
import { ownReply, type Reply } from "./call/reply.ts";
import { retryAfter } from "./call/refusal.ts";
import { shaped } from "./plan/shape.ts";
import type { Resolved } from "./plan/targets.ts";
import { errorBodyOf } from "./stream/error-response.ts";

/** Resolve, shape, guard, call, guard: what one target answers. */
export async function answerFrom(leaf: Leaf, request: RoutedRequest, gw: Gateway): Promise<Reply> {
  const { call, caller, plan, prepared } = request;
  let guarded: GuardedCall | null = null;
  try {
    const body = call.body.kind === "json" ? shaped(call.body.value, leaf) : null;
    const to = await gw.resolve(leaf, { call: withShape(call, body), caller, prepared }, modelOf(body, call, plan));
    if (call.row.passes !== undefined) await refuseUnread(leaf, request);
    if (leaf.inputGuardrails.length > 0) {
      if (isLongBody(call.body)) await nextTurn();
      guarded = await guardedInput({ leaf, body, to, request }, gw);
    }
    if (guarded?.denied) {
      const form = clientForm({ call: guarded.call, body, leaf, to, request }, gw);
      return deniedReply(guarded, { leaf, to, form, streamed: isStreamed(call, body) });
    }
    const ownership = judgedOwnership(guarded, { leaf, body, to, request }, gw);
    if (ownership !== undefined) await ownership;
    if (isTrained(to.target.model)) await gw.owned.judgeModel(caller, to);
    const after = bodyAfter(guarded, body);
    if (isLongBody(call.body)) await nextTurn();
    const asked = after && askedOf(after, to);
    if (to.served && isLongBody(call.body)) await nextTurn();
    const it = tryOf({ leaf, body: after, asked, to, request }, guarded, gw);
    if (it.ask.stream && leaf.outputGuardrails.length > 0) refuseUnstreamable(await prepared.guardrails(leaf.outputGuardrails), it.call);
    const tries = new Tries(leaf.retry, gw.sender.now());
    const heldBefore = request.held.bytes;
    const reply = replyOf(await attempt(it, gw.sender, tries), it);
    const judged = guardReply(changesOwned(call.row) ? await ownedReply(reply, it, gw) : reply, it, gw.guards);
    if (!mayBeAskedAgain(leaf)) return judged;
    return askedUntilItPasses(judged, { it, tries, heldBefore, by: gw.sender, ask: () => askedAgain(it, tries, gw) });
  } catch (thrown) {
    const reply = unavailable(thrown, leaf, call);
    return guarded ? judgedReply(reply, guarded) : reply;
  }
}

/** Apart from the first time, which makes no promise of its own. */
async function askedAgain(it: Try, tries: Tries, gw: Gateway): Promise<Reply> {
  const reply = replyOf(await attempt(it, gw.sender, tries), it);
  return guardReply(changesOwned(it.call.row) ? await ownedReply(reply, it, gw) : reply, it, gw.guards);
}

/** Judging it by its schema, reading it for guardrails and making it into its provider's form are a turn each. One that took the place of its client's may be as long. */
const isLongBody = (body: Body): boolean => body.kind === "json" && (body.text === null || isLong(body.text));

/** May who asks use the ids that the request holds? */
function judgedOwnership(guarded: GuardedCall | null, { body, to, request }: ShapedRequest, gw: Gateway): MaybePromise<void> {
  const { call, caller } = request;
  const { owned } = call.row;
  if (owned === undefined) return undefined;
  return gw.owned.judge(owned, caller, { call: callAfter(guarded, call), to, body: bodyAfter(guarded, body) });
}

/** Does its answer make, begin, list or delete what belongs to a workspace? */
const changesOwned = ({ owned, method }: MountedOperation): boolean =>
  owned !== undefined && (owned.made !== undefined || owned.begins !== undefined || owned.lists !== undefined || method === "DELETE");

const ownedReply = (reply: Reply, it: Try, gw: Gateway): Promise<Reply> =>
  gw.owned.settle(it.call.row.owned ?? {}, reply, it, async (after) => {
    const further = { ...it, ask: { ...it.ask, search: searchAfter(it.ask.search, after) } };
    return replyOf(await attempt(further, gw.sender), further);
  });
function searchAfter(search: string, after: string): string {
  const query = new URLSearchParams(search);
  query.set("after", after);
  return `?${query}`;
}

/** A provider that is down, that may not be asked, or that does not have what is asked for is an answer too, so that another target may be tried. */
function unavailable(thrown: unknown, leaf: Leaf, { row }: Call): Reply {
  if (!GatewayError.is(thrown) || !ANSWERED.has(thrown.code)) throw thrown;
  const error = wireError(thrown);
  const body = errorBodyOf(row, thrown.status, error, { status: "failure", message: error.message });
  const reply = ownReply(thrown.status, JSON.stringify(body), body, error);
  return { ...reply, headers: { ...reply.headers, ...retryAfter(thrown.retryAfterSec) }, leaf, gatewayMade: false };
}

const ANSWERED: ReadonlySet<string> = new Set([
  "PROVIDER_UNAVAILABLE",
  "PROVIDER_WITHHELD",
  "MODEL_FORBIDDEN",
  "ID_UNKNOWN",
  "SECRET_ABSENT",
  "SECRET_UNAVAILABLE",
  "OAUTH_REFUSED",
  "OAUTH_UNAVAILABLE",
]);

function replyOf({ reading, sent, retries, exhausted, upstreamMs }: Attempted, { call, leaf, to, request, guarded }: Try): Reply {
  const judged = guarded !== null && call.body !== request.call.body && call.body.kind === "json" ? call.body.value : undefined;
  return {
    ...reading,
    ...(judged && { judged }),
    model: reading.model ?? (to.target.model || modelInForm(call.body) || null),
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

/** What a form asked for: it may have passed by unread. */
function modelInForm(body: Body): string | undefined {
  if (body.kind === "form" || body.kind === "raw") return body.model?.();
  return body.kind === "form-read" ? body.fields["model"] : undefined;
}

function modelOf(body: Json | null, call: Call, plan: Plan): string {
  const model = body?.["model"] ?? plan.model ?? call.params["model"] ?? new URLSearchParams(call.search).get("model");
  return typeof model === "string" ? model : "";
}

/** A request as this target would get it: what its input guardrails judge. */
interface ShapedRequest {
  readonly leaf: Leaf;
  readonly body: Json | null;
  readonly to: Resolved;
  readonly request: RoutedRequest;
}

/** What its input guardrails say of the request, once for all targets with the same list and body. */
async function guardedInput(it: ShapedRequest, gw: Gateway): Promise<GuardedCall> {
  const { leaf, body, to, request } = it;
  const before = request.guarded?.get(leaf.inputGuardrails);
  if (before?.saw === body) return before.result;
  const active = await request.prepared.guardrails(leaf.inputGuardrails);
  const view = viewOf(to, request);
  const judged = await guardInput(active, await readable(it), view, gw.guards);
  const result = judged.call.row.content.lines
    ? await guardFile(judged, active, {
        view,
        held: request.held,
        deps: gw.guards,
        whenOver: (release) => void (request.letGo ??= []).push(release),
      })
    : judged;
  (request.guarded ??= new Map()).set(leaf.inputGuardrails, { saw: body, result });
  return result;
}
const readable = async ({ request: { call, held }, body }: ShapedRequest): Promise<Call> =>
  call.body.kind === "form" && call.row.content.file !== "sent"
    ? { ...call, body: await readForm(call.body, held) }
    : withShape(call, body);

/** The call with its JSON as the target shaped it. */
const withShape = (call: Call, body: Json | null): Call =>
  call.body.kind === "json" && body && body !== call.body.value ? { ...call, body: { ...call.body, value: body, text: null } } : call;

/** The request as its guardrails left it: a form that they read is there to be read again. */
const callAfter = (guarded: GuardedCall | null, before: Call): Call => guarded?.call ?? before;
/** The request's JSON as its guardrails left it. */
const bodyAfter = (guarded: GuardedCall | null, before: Json | null): Json | null =>
  guarded?.call.body.kind === "json" ? guarded.call.body.value : before;

/** A request that its guardrails let pass, and the one of another operation that asks the same where that serves it. */
interface AskedRequest extends ShapedRequest {
  readonly asked: Json | null;
}
function askedOf(body: Json, to: Resolved): Json {
  const { served, provider, adapter, target } = to;
  if (!served) return body;
  entering(markOfOwner(provider));
  const thinks = adapter.thinks?.(target.model) ?? true;
  return served.request(body, { mapped: !passesOn(to, served.wire), thinks });
}

function tryOf({ leaf, body, asked, to, request }: AskedRequest, guarded: GuardedCall | null, gw: Gateway): Try {
  const call = guarded?.call ?? request.call;
  const form = clientForm({ call, body, leaf, to, request }, gw);
  const ask: AdapterInput = {
    target: to.target,
    operation: to.served?.operation ?? call.row.id,
    path: to.served ? filled(OPERATIONS[to.served.operation].path, call.params) : call.path,
    search: searchOf(call, to),
    stream: isStreamed(call, body),
    strict: form.encode.strict,
  };
  return { request, call, leaf, to, form, ask, body: asked && providerBody(asked, { call, to, ask, form }), guarded };
}

const isStreamed = ({ row }: Call, body: Json | null): boolean => row.streams === true && body?.["stream"] === true;

/** The path of the operation that stands in, with what the client's own says. */
const filled = (path: string, params: Call["params"]): string =>
  path.includes(":") ? path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? "")) : path;
/** What a query says below another prefix is for the gateway alone, unless it passes with its request. */
const hasOwnQuery = ({ prefix, passes }: MountedOperation): boolean => prefix !== undefined && passes === undefined;
function searchOf({ row, search }: Call, { served, target }: Resolved): string {
  if (served || hasOwnQuery(row)) return "";
  return row.socket ? withModelIn(search, target.model) : search;
}
/** A socket's query names the model, which may have come with its provider before it. */
function withModelIn(search: string, model: string): string {
  const query = new URLSearchParams(search);
  if (model !== "") query.set("model", model);
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

function clientForm({ call, body, leaf, to, request }: Pick<Try, "call" | "body" | "leaf" | "to" | "request">, gw: Gateway): ClientForm {
  const dialect = gw.dialects.get(call.row.id) ?? null;
  const strict = leaf.strict ?? call.control.strict ?? true;
  const model = typeof body?.["model"] === "string" ? body["model"] : "";
  const passes = call.row.passes !== undefined; // its usage stays where the provider puts it
  const usage = passes || (dialect !== null && body !== null && dialect.asksUsage(body));
  return {
    dialect,
    encode: {
      id: call.id,
      model,
      created: Math.floor(call.startedAt / 1000),
      usage,
      strict,
      ...(dialect?.echo &&
        body && { echo: { ...dialect.echo(body, { control: call.control, translated: to.served !== null }), ...request.echo } }),
      ...(to.served && { translated: true as const }),
    },
    row: call.row,
  };
}

/** The body in the provider's own form. The client's object itself comes back when nothing had to change. */
function providerBody(asked: Json, { call, to, ask, form }: Pick<Try, "call" | "to" | "ask" | "form">): Json {
  entering(markOfOwner(to.provider));
  const { adapter, target, served } = to;
  if (form.row.passes !== undefined) return typeof asked["model"] === "string" ? withModel(asked, target.model) : asked;
  const wire = served ? served.wire : form.dialect;
  const passes = passesOn(to, wire);
  const named = served || !form.row.inPath ? withModel(asked, target.model) : withoutPath(asked, call, adapter);
  const counted = ask.stream && wire && passes && (served || !form.encode.usage) ? wire.withUsage(named) : named;
  if (adapter.request) {
    const mapped = adapter.request(counted, ask);
    const isAsSent = mapped === named && !served && form.row.inPath !== undefined && isText(call, asked);
    return isAsSent ? asked : mapped;
  }
  if (form.dialect && !passes && !adapter.reply)
    throw new GatewayError("OPERATION_UNSUPPORTED", {
      provider: to.id,
      operation: shownOperation(call.row),
      instead: "What it answers cannot be put into the form of this operation",
    });
  return counted;
}
const withModel = (body: Json, model: string): Json => (model !== "" && body["model"] !== model ? { ...body, model } : body);

/** What the path says again is not in the body. The client's own object stands for its text, which says none of it. */
function withoutPath(body: Json, call: Call, { request }: Adapter): Json {
  const { inPath = [] } = call.row;
  if (!request && isText(call, body)) return body;
  return Object.fromEntries(Object.entries(body).filter(([member]) => !inPath.some((name) => name === member)));
}
const isText = ({ body: sent }: Call, body: Json): boolean => sent.kind === "json" && sent.value === body && sent.text !== null;
/** Does the provider take what is written in this dialect? */
const passesOn = (to: Resolved, wire: Dialect | null): boolean => wire !== null && speaks(to, wire);
const speaks = ({ provider: { dialect } }: Resolved, { id }: Dialect): boolean =>
  typeof dialect === "string" ? dialect === id : (dialect?.includes(id) ?? false);
