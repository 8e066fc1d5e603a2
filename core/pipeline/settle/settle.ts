import type { Audit } from "../../kernel/audit/audit.ts";
import { noteRefusal } from "./refusal-entry.ts";
import {
  type Call,
  type Caller,
  type Dialect,
  type HeaderRecord,
  type Logger,
  messageOf,
  nextTurn,
  type OperationName,
  type Outcome,
  type Plan,
  turnHasRoomFor,
} from "#contract";
import type { Spending } from "../../compute/allowance.ts";
import type { KeyHeaders } from "../../kernel/secrets/caller-key.ts";
import { LONG } from "../../json/long-json.ts";
import type { Held } from "../../kernel/process/memory-budget.ts";
import { errorResponse } from "../stream/error-response.ts";
import { type Ending, inSlices, NOTHING_READ, type Settle, streamed } from "../stream/deliver.ts";
import { asJsonList } from "../stream/json-list.ts";
import { watched } from "../stream/passing-bytes.ts";
import { answerable } from "../../kernel/process/plugin-failure.ts";
import { clientText, longClientText } from "./client-text.ts";
import { ChunkStream } from "../stream/chunks.ts";
import { type Live, wireError } from "../stream/live.ts";
import { PassThroughStream } from "../stream/pass-through.ts";
import { bareOutcome, type Ended, outcomeOf } from "./make-outcome.ts";
import { ownReply, type Reply } from "../call/reply.ts";
import type { RoutedRequest } from "../call/try.ts";
import type { Content, GoodStream } from "../stream/content.ts";
import type { Secrets } from "../../kernel/secrets/redaction.ts";
import type { CostOf } from "./cost.ts";
import type { OwnedWork } from "./ended-work.ts";
import type { EstimateUsage } from "./estimate.ts";

/** A request as far as it came, and what counts it out of its generation. */
export interface Served {
  readonly call: Call;
  readonly caller: Caller | null;
  readonly plan: Plan | null;
  readonly leave: () => void;
  /** As it went on to its targets: its operation may have replaced the client's body, and its checks may have asked models. */
  readonly routed?: RoutedRequest;
  /** Of a session: what its checks have taken so far. */
  readonly spending?: Spending;
  /** What it holds of the process's memory budget. */
  readonly held: Held;
}

/** What settling needs of the gateway. */
export interface Settling {
  readonly now: () => number;
  readonly log: Logger;
  readonly limits: { readonly loggedBytes: number };
  /** The longest a client may take nothing of an answer that is held for it. */
  readonly stalledMs: number;
  readonly dialects: ReadonlyMap<OperationName, Dialect>;
  readonly costOf: CostOf;
  readonly estimate: EstimateUsage;
  readonly owned: OwnedWork;
  readonly gen: { readonly keyHeaders: KeyHeaders };
  readonly audit?: Audit | undefined;
  /** Hands what happened to policies and exporters. */
  settled(outcome: Outcome): void;
}

/** Answers the client, and settles once: when it has its bytes, when it has left, or when the stream broke. */
export function whenDone(reply: Reply, served: Served, gw: Settling): Response {
  const headers = gatewayHeaders(reply, served.call);
  const { content, status } = reply;
  if (content.kind !== "whole" || typeof content.text !== "string" || content.text.length > AT_ONCE)
    return flowing({ reply, served, gw }, content, headers);
  const response = new Response(clientText(content, content.text), { status, headers }); // first: an answer that cannot be made is not settled here
  const ended = status < 400 ? "ok" : "error";
  afterwards({ reply, served, gw, ending: { ended, usage: content.usage, firstMs: null, response: content.text } });
  return response;
}

/** Characters of a whole answer that are given to the client's connection in one go; what it does not take, waits there. */
const AT_ONCE = 1024 * 1024;

function flowing({ reply, served, gw }: Omit<Settlement, "ending">, content: Content, headers: HeaderRecord): Response {
  const { status } = reply;
  const settle = once((ending: Ending) => settledInTurn({ reply, served, ending, gw }));
  const { startedAt, signal } = served.call;
  const delivery = { startedAt, signal, now: gw.now, keptBytes: gw.limits.loggedBytes, stalledMs: gw.stalledMs, settle };
  if (content.kind === "whole") {
    const ended = { ...NOTHING_READ, ended: status < 400 ? "ok" : "error", usage: content.usage, response: content.text } as const;
    return new Response(inSlices(longClientText(content), ended, delivery), { status, headers });
  }
  if (content.kind === "bytes") {
    if (content.bytes !== null) {
      if (content.usageAtEnd) asEvents(headers);
      const readyMs = gw.now() - startedAt;
      const { modelAtEnd } = served.call.row.content;
      const passing = { provider: reply.from?.id ?? "", usageAtEnd: content.usageAtEnd, modelAtEnd, readyMs, settle };
      const bytes = watched(content.bytes, passing);
      return new Response(bytes, { status, headers });
    }
    const response = new Response(null, { status, headers });
    afterwards({ reply, served, gw, ending: { ...NOTHING_READ, ended: "ok" } });
    return response;
  }
  if (content.kind === "socket") throw new TypeError("a session is opened, not answered");
  asEvents(headers);
  const events = streamed(liveOf(content.stream, delivery.keptBytes, reply.sent?.secrets ?? []), delivery);
  return new Response(framed(events, headers, served.call, gw), { status, headers });
}

/** As the client reads it; a log keeps the events. */
function framed(events: ReadableStream<Uint8Array>, headers: HeaderRecord, { row, search }: Call, { dialects }: Settling) {
  if (dialects.get(row.id)?.framing?.(search) !== "json-list") return events;
  headers["content-type"] = "application/json; charset=utf-8";
  return asJsonList(events);
}

/** Proxies on the way to the client hand each event on when it comes. */
function asEvents(headers: HeaderRecord): void {
  headers["cache-control"] = "no-cache, no-transform";
  headers["x-accel-buffering"] = "no";
}

/** What is to be settled. */
export interface Settlement extends Ended {
  readonly gw: Settling;
}
/** Where many clients leave at once, telling of their answers is work for several turns. */
function settledInTurn(settlement: Settlement): void {
  const { keptBytes = 0 } = settlement.ending;
  if (keptBytes < LONG && turnHasRoomFor(keptBytes)) void settled(settlement);
  else void nextTurn().then(() => settled(settlement));
}
const waiting: Settlement[] = [];
/** Settles once the answers made in this turn of the event loop are on their way; one timer for all of them. */
function afterwards(settlement: Settlement): void {
  if (waiting.push(settlement) === 1) setImmediate(settleAll);
}
function settleAll(): void {
  for (const settlement of waiting.splice(0)) void settled(settlement);
}

export const once = (run: Settle): Settle => {
  let done = false;
  return (ending) => {
    if (done) return;
    done = true;
    run(ending);
  };
};

const liveOf = (stream: GoodStream, keptBytes: number, secrets: Secrets): Live =>
  stream.kind === "passing"
    ? new PassThroughStream(stream.passing, secrets)
    : new ChunkStream(stream.chunks, stream.encoder, { provider: stream.provider, secrets }, keptBytes);

export function gatewayHeaders(reply: Reply, call: Call): HeaderRecord {
  const { headers } = reply;
  headers["x-gateway-trace-id"] = call.traceId;
  headers["x-gateway-request-id"] = call.id; // the id of the log record, also when the client named the trace
  headers["x-gateway-retry-attempt-count"] = String(reply.exhausted ? -1 : reply.retries);
  headers["x-gateway-cache-status"] = reply.cacheStatus;
  if (reply.leaf) headers["x-gateway-last-used-option-index"] = reply.leaf.path;
  if (reply.from) headers["x-gateway-provider"] = reply.from.id;
  return headers;
}

/** A request that ended before any target had answered. */
export function refused(thrown: unknown, served: Served, gw: Settling): Response {
  const { call, plan } = served;
  const error = answerable(thrown, { traceId: call.traceId }, gw.log);
  noteRefusal(error, served, { audit: gw.audit, keyHeaders: gw.gen.keyHeaders });
  served.held.release(); // nothing of it is needed any more, and others wait for it
  const response = errorResponse(error, "data", call.row);
  response.headers.set("x-gateway-trace-id", call.traceId);
  const reply: Reply = { ...ownReply(error.status, "", null, wireError(error)), model: plan?.model ?? null };
  const ended = error.code === "CLIENT_LEFT" ? "aborted" : "error";
  afterwards({ reply, served, gw, ending: { ...NOTHING_READ, ended } });
  return response;
}

export async function settled(settlement: Settlement): Promise<void> {
  const { gw, served } = settlement;
  const letGo = served.routed?.letGo;
  if (letGo !== undefined) for (const release of letGo) release(); // first: what is told of the request waits for it
  const { costOf, estimate, limits, owned, gen } = gw;
  const at = { now: gw.now(), loggedBytes: limits.loggedBytes, keyHeaders: gen.keyHeaders, costOf, estimate, owned };
  const outcome = await outcomeOf(settlement, at).catch((thrown: unknown) => {
    gw.log("error", "settled without details", { traceId: served.call.traceId, why: messageOf(thrown) });
    return bareOutcome(settlement, { ...at, loggedBytes: 0 });
  });
  report(outcome, settlement);
}

/** What goes wrong for who hears of it stays there: the request gives back what it held, and the next is settled. */
function report(outcome: Outcome, { served, gw }: Settlement): void {
  try {
    gw.settled(outcome);
  } catch (thrown) {
    gw.log("error", "settle failed", { traceId: served.call.traceId, why: thrown });
  } finally {
    leave(served);
  }
}

/** The one place where a request gives back what it held. */
function leave(served: Served): void {
  served.held.release();
  served.leave();
}
