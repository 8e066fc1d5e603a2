import { type Ask, type Call, type Endpoint, GatewayError, type Json, type Leaf, METADATA_HEADERS, type OutgoingRequest } from "#contract";
import { type Answer, answerOf } from "../egress/answer.ts";
import type { Egress } from "../egress/egress.ts";
import type { HeaderRecord } from "../egress/header.ts";
import { HOP_HEADER, listOf } from "../egress/loop.ts";
import type { IsControl } from "../http/headers.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import type { Resolved } from "./targets.ts";

/** What is sent to one target: made once per target, its request fresh for each try. */
export interface Exchange {
  readonly call: Call;
  readonly leaf: Leaf;
  readonly to: Resolved;
  readonly ask: Ask;
  /** The request's JSON body as the provider wants it; `null` when the body is not JSON. */
  readonly body: Json | null;
}
export interface Sent {
  readonly url: string;
  readonly body: string | null;
}

/** One try, ready to be sent. Headers are built fresh, so one target's credentials cannot reach the next. */
export function requestOf(it: Exchange, isControl: IsControl, signal: AbortSignal): MaybePromise<Prepared> {
  const { adapter, provider, target } = it.to;
  const request = outgoing(it, provider.endpoint(target), it.body === null ? null : bodyText(it), isControl);
  return provider.sign && !adapter.answer ? signed(request, provider.sign(shown(request), target), signal) : request;
}

/** Sends it. Some adapters answer themselves. */
export function answerTo(request: Prepared, it: Exchange, egress: Egress, signal: AbortSignal): Promise<Answer> {
  const { adapter, target, id } = it.to;
  if (adapter.answer) return ownAnswer(adapter.answer(it.body, it.ask, signal, shown(request)));
  return egress.call({
    method: request.method,
    url: request.url,
    headers: request.headers,
    body: request.body,
    signal,
    timeoutMs: null,
    caller: id,
    hops: it.call.headers.get(HOP_HEADER),
    declared: target.customHost === null,
  });
}

const ownAnswer = async (answer: Promise<Response>): Promise<Answer> => answerOf(await answer);

/** A request whose headers only we have written so far. */
interface Prepared extends Omit<OutgoingRequest, "headers"> {
  readonly headers: HeaderRecord;
  /** The body, when it is JSON. */
  readonly text: string | null;
}
const shown = ({ method, url, headers, body }: Prepared): OutgoingRequest => ({ method, url, headers: new Headers(headers), body });

async function signed(request: Prepared, signing: Promise<OutgoingRequest>, signal: AbortSignal): Promise<Prepared> {
  const { method, url, headers, body } = await untilCut(signing, signal);
  return { ...request, method, url, body, headers: Object.fromEntries(headers) };
}

/** Signing may wait for a token that other requests wait for too: this one stops waiting when it is cut. */
const untilCut = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const cut = (): void => reject(signal.reason);
    if (signal.aborted) cut();
    signal.addEventListener("abort", cut, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", cut));
  });

/** The client's own text when nothing was changed: what is only forwarded is not written again. */
const bodyText = (it: Exchange): string =>
  it.call.body.kind === "json" && it.call.body.value === it.body ? it.call.body.text : written(it.body);

/** What a client wrote as text (the arguments of a tool call) is JSON to some providers, and nests as deep as it likes. */
function written(body: Json | null): string {
  try {
    return JSON.stringify(body);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    const what = "The request cannot be written for this provider: the arguments of a tool call nest too deeply, or it is too large.";
    throw new GatewayError("REQUEST_INVALID", { what }, { cause: thrown });
  }
}

function outgoing(it: Exchange, endpoint: Endpoint, text: string | null, isControl: IsControl): Prepared {
  const { adapter } = it.to;
  const path = typeof adapter.path === "function" ? adapter.path(it.body ?? {}, it.ask) : (adapter.path ?? it.call.path);
  return {
    method: adapter.method ?? it.call.method,
    url: endpoint.baseUrl + path + (path.includes("?") ? it.call.search.replace("?", "&") : it.call.search),
    headers: headersFor(it, endpoint, isControl),
    body: text ?? formBody(it.call),
    text,
  };
}

function formBody(call: Call): Uint8Array | ReadableStream<Uint8Array> | null {
  if (call.body.kind === "form") return call.body.stream;
  return call.body.kind === "form-read" ? call.body.bytes : null;
}

function headersFor(it: Exchange, endpoint: Endpoint, isControl: IsControl): HeaderRecord {
  const { body } = it.call;
  const headers: HeaderRecord = {};
  for (const name of forwardable(it, isControl)) {
    const value = it.call.headers.get(name);
    if (value !== null) headers[name.toLowerCase()] = value;
  }
  if (body.kind === "json") headers["content-type"] = "application/json";
  else if (body.kind !== "none") headers["content-type"] = body.contentType;
  headers["accept"] = it.ask.stream ? "text/event-stream" : "application/json, */*";
  setAll(headers, endpoint.headers);
  if (it.to.adapter.headers) setAll(headers, it.to.adapter.headers(it.body ?? {}, it.ask));
  return headers;
}

/** Providers may spell names as their documentation does. */
function setAll(headers: HeaderRecord, more: Readonly<HeaderRecord>): void {
  for (const name in more) headers[name.toLowerCase()] = more[name] ?? "";
}

/** What describes a connection or reaches cloud metadata services; a client may not send it through us. */
const NEVER_FORWARDED: ReadonlySet<string> = new Set([
  ...METADATA_HEADERS,
  "cookie",
  "host",
  "content-length",
  "connection",
  "transfer-encoding",
  "upgrade",
  "te",
  "trailer",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
]);

function forwardable(it: Exchange, isControl: IsControl): readonly string[] {
  const asked = it.leaf.forwardHeaders.length > 0 ? it.leaf.forwardHeaders : it.call.control.forwardHeaders;
  return asked === undefined || asked.length === 0 ? NONE : allowed(asked, it, isControl);
}
const NONE: readonly string[] = [];

function allowed(asked: readonly string[], it: Exchange, isControl: IsControl): readonly string[] {
  for (const name of asked) {
    const low = name.toLowerCase();
    if (isControl(low) || NEVER_FORWARDED.has(low))
      throw new GatewayError(
        "HEADER_INVALID",
        { header: "x-gateway-forward-headers", why: `${low} is never forwarded` },
        { param: "forward_headers" },
      );
  }
  // The bearer token is the gateway's own key unless that came in x-gateway-api-key. What Connection names was for us alone.
  const kept = [
    ...listOf(it.call.headers.get("connection")?.toLowerCase() ?? ""),
    ...(it.call.control.apiKey === undefined ? ["authorization"] : []),
  ];
  return asked.filter((name) => !kept.includes(name.toLowerCase()));
}
