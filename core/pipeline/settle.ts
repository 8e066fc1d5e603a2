import { type Call, type Caller, GatewayError, messageOf, operation, type Plan } from "#contract";
import type { HeaderRecord } from "../egress/header.ts";
import { errorResponse } from "../http/errors.ts";
import { counted, type Ending, NOTHING_READ, type Settle, streamed } from "./deliver.ts";
import type { Gateway } from "./gateway.ts";
import { clientText } from "./client-text.ts";
import { ChunkStream } from "./chunks.ts";
import { type Live, wireError } from "./live.ts";
import { PassingStream } from "./passing.ts";
import { outcomeOf } from "./outcome.ts";
import { ownReply, type Reply, type Source } from "./reply.ts";

/** A request as far as it came, and what counts it out of its generation. */
export interface Served {
  readonly call: Call;
  readonly caller: Caller | null;
  readonly plan: Plan | null;
  readonly leave: () => void;
}

/** Answers the client, and settles once: when it has its bytes, when it has left, or when the stream broke. */
export function whenDone(reply: Reply, served: Served, gw: Gateway): Response {
  const { call } = served;
  const headers = gatewayHeaders(reply, call);
  const settle = once((ending: Ending) => void settled(reply, served, ending, gw));
  const { content, status } = reply;
  if (content.kind === "whole")
    return finished(new Response(clientText(content), { status, headers }), settle, {
      ended: status < 400 ? "ok" : "error",
      usage: content.usage,
      firstMs: null,
      response: content.text,
    });
  if (content.kind === "bytes") {
    if (content.stream === null) return finished(new Response(null, { status, headers }), settle, { ...NOTHING_READ, ended: "ok" });
    return new Response(counted(content.stream, reply.from?.id ?? "", settle), { status, headers });
  }
  headers["cache-control"] = "no-cache, no-transform";
  headers["x-accel-buffering"] = "no";
  const delivery = { startedAt: call.startedAt, signal: call.signal, now: gw.now, keptBytes: gw.limits.loggedBytes, settle };
  return new Response(streamed(liveOf(content.source), delivery), { status, headers });
}

/** An answer that is whole already: settled once it is on its way. */
function finished(response: Response, settle: Settle, ending: Ending): Response {
  afterwards(() => settle(ending));
  return response;
}

const waiting: (() => void)[] = [];
/** Runs once the answers made in this turn of the event loop are on their way; one timer for all of them. */
function afterwards(run: () => void): void {
  if (waiting.push(run) === 1)
    setImmediate(() => {
      for (const settle of waiting.splice(0)) settle();
    });
}

const once = (run: Settle): Settle => {
  let done = false;
  return (ending) => {
    if (done) return;
    done = true;
    run(ending);
  };
};

const liveOf = (source: Source): Live =>
  source.kind === "passing" ? new PassingStream(source.passing) : new ChunkStream(source.chunks, source.encoder, source.provider);

function gatewayHeaders(reply: Reply, call: Call): HeaderRecord {
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
export function refused(thrown: unknown, served: Served, gw: Gateway): Response {
  const { call, plan } = served;
  const error = GatewayError.is(thrown) ? thrown : new GatewayError("INTERNAL", {}, { cause: thrown });
  if (error.code === "INTERNAL") gw.log("error", "request failed inside", { traceId: call.traceId, why: thrown });
  const response = errorResponse(error, "data", operation(call.operation).flatErrors ?? false);
  response.headers.set("x-gateway-trace-id", call.traceId);
  const reply: Reply = { ...ownReply(error.status, "", null, wireError(error)), model: plan?.model ?? null };
  const ended = error.code === "CLIENT_LEFT" ? "aborted" : "error";
  afterwards(() => void settled(reply, served, { ...NOTHING_READ, ended }, gw));
  return response;
}

async function settled(reply: Reply, served: Served, ending: Ending, gw: Gateway): Promise<void> {
  try {
    gw.settled(await outcomeOf(reply, served, ending, { now: gw.now(), loggedBytes: gw.limits.loggedBytes }));
  } catch (thrown) {
    gw.log("error", "settle failed", { traceId: served.call.traceId, why: messageOf(thrown) });
  } finally {
    served.leave();
  }
}
