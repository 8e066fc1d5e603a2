import {
  type Call,
  type Endpoint,
  type FrameFormat,
  GatewayError,
  type HeaderClasses,
  headerList,
  type HeaderRecord,
  HOLDS_OWN_KEY,
  type JsonText,
  type MaybePromise,
  type OutgoingRequest,
} from "#contract";
import { type Answer, answerOf } from "../../egress/answer.ts";
import type { Egress } from "../../egress/egress.ts";
import { entering, markOfOwner } from "../../kernel/process/watchdog/marks.ts";
import { HOP_HEADER } from "../../egress/loop.ts";
import type { OwnKeys } from "../../kernel/secrets/own-keys.ts";
import { refuseOwnKey } from "../plan/request-values.ts";
import type { Try } from "./try.ts";
import { isWrittenInTurns, writtenInTurns } from "../../json/written.ts";
import type { Secrets } from "../../kernel/secrets/redaction.ts";

export interface Sent {
  readonly url: string;
  readonly body: JsonText | null;
  /** The credentials that went with it. */
  readonly secrets: Secrets;
}

/** What decides which headers of a request may go on. */
interface SendingRules {
  readonly headers: HeaderClasses;
  readonly ownKeys: Pick<OwnKeys, "foundIn">;
}

/** One try, ready to be sent. Headers are built fresh, so one target's credentials cannot reach the next. */
export function requestOf(it: Try, text: JsonText | null, rules: SendingRules, signal: AbortSignal): MaybePromise<Prepared> {
  const { adapter, provider, target } = it.to;
  entering(markOfOwner(provider));
  const request = outgoing(it, provider.endpoint(target), text, rules);
  if (adapter.answer) return request;
  if (!provider.sign) return leaving(request, rules);
  return signed(request, provider.sign(shown(request), target), rules, signal);
}

/** Whoever wrote the address of what is called, of a path, a query, a model or an id: with a key of the gateway in it nothing is called. */
function leaving(request: Prepared, { ownKeys }: Pick<SendingRules, "ownKeys">): Prepared {
  refuseOwnKey(request.url, ownKeys);
  return request;
}

interface Sender extends Pick<SendingRules, "ownKeys"> {
  readonly egress: Egress;
}

/** Sends it. Some adapters answer themselves. */
export function answerTo(request: Prepared, it: Try, { egress, ownKeys }: Sender, signal: AbortSignal): Promise<Answer> {
  const { adapter } = it.to;
  if (adapter.answer) return ownAnswer(adapter.answer(it.body, it.ask, signal, shown(request)));
  return egress.call({ ...askedOf(request, it, { ownKeys }, signal), method: request.method, body: request.body });
}

/** Where it goes and for whom, as the client of the network wants it. */
export const askedOf = ({ url, headers }: Prepared, it: Try, rules: Pick<SendingRules, "ownKeys">, signal: AbortSignal) => ({
  url,
  headers,
  signal,
  timeoutMs: null,
  caller: it.to.id,
  hops: hopsOf(it.call, rules),
  declared: it.to.target.customHost === null,
  held: it.request.held,
});

/** A client may have put anything there. */
function hopsOf(call: Call, rules: Pick<SendingRules, "ownKeys">): string | null {
  const hops = call.headers.get(HOP_HEADER);
  if (hops === null) return null;
  return headerList(hops)
    .filter((hop) => !isOwnKey(hop, call, rules))
    .join(", ");
}

const ownAnswer = async (answer: Promise<Response>): Promise<Answer> => answerOf(await answer);

/** A request whose headers only we have written so far. */
export interface Prepared extends Omit<OutgoingRequest, "headers"> {
  readonly headers: HeaderRecord;
  /** The body, when it is JSON. */
  readonly text: JsonText | null;
}
const shown = ({ method, url, headers, body }: Prepared): OutgoingRequest => ({ method, url, headers: new Headers(headers), body });

async function signed(request: Prepared, signing: Promise<OutgoingRequest>, rules: SendingRules, signal: AbortSignal): Promise<Prepared> {
  const { method, url, headers, body } = await untilCut(signing, signal);
  return leaving({ ...request, method, url, body, headers: Object.fromEntries(headers) }, rules);
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
export function bodyText({ call, request, body }: Try): MaybePromise<JsonText | null> {
  if (body === null) return null;
  if (call.body.kind === "json" && call.body.value === body && call.body.text !== null) return call.body.text;
  const { body: asked } = request.call;
  if (asked.kind === "json" && isWrittenInTurns(asked.text ?? ""))
    return writtenInTurns(body).catch((thrown: unknown) => {
      throw notWritten(thrown);
    });
  try {
    return JSON.stringify(body);
  } catch (thrown) {
    throw notWritten(thrown);
  }
}
/** What a client wrote as text (the arguments of a tool call) is JSON to some providers, and nests as deep as it likes. */
function notWritten(thrown: unknown): unknown {
  if (!(thrown instanceof RangeError)) return thrown;
  const what = "The request cannot be written for this provider: the arguments of a tool call nest too deeply, or it is too large.";
  return new GatewayError("REQUEST_INVALID", { what }, { cause: thrown });
}

function outgoing(it: Try, endpoint: Endpoint, text: JsonText | null, rules: SendingRules): Prepared {
  const { adapter } = it.to;
  const path = typeof adapter.path === "function" ? adapter.path(it.body ?? {}, it.ask) : (adapter.path ?? it.ask.path);
  const search = adapter.search ? adapter.search(it.ask) : it.ask.search;
  return {
    method: adapter.method ?? it.call.method,
    url: endpoint.baseUrl + path + (path.includes("?") ? search.replace("?", "&") : search),
    headers: headersFor(it, endpoint, rules),
    body: text ?? formBody(it.call),
    text,
  };
}

function formBody(call: Call): Uint8Array | ReadableStream<Uint8Array> | null {
  if (call.body.kind === "form" || call.body.kind === "raw") return call.body.stream;
  return call.body.kind === "form-read" ? call.body.bytes : null;
}

function headersFor(it: Try, endpoint: Endpoint, rules: SendingRules): HeaderRecord {
  const { body } = it.call;
  const headers: HeaderRecord = {};
  for (const name of forwardable(it, rules)) {
    const value = it.call.headers.get(name);
    if (value !== null && !isOwnKey(value, it.call, rules) && !isOwnKey(name, it.call, rules)) headers[name.toLowerCase()] = value;
  }
  if (body.kind === "json") headers["content-type"] = "application/json";
  else if (body.kind !== "none" && body.contentType !== "") headers["content-type"] = formType(body.contentType, it.call, rules);
  headers["accept"] = it.ask.stream ? STREAM_TYPES[framing(it)] : "application/json, */*";
  if (it.call.row.passes !== undefined) addPassed(headers, it.call, rules);
  setAll(headers, endpoint.headers);
  if (it.to.adapter.headers) setAll(headers, it.to.adapter.headers(it.body ?? {}, it.ask));
  if (it.to.target.headers) setAll(headers, it.to.target.headers);
  return headers;
}

/** What goes with a body and with the wish for an answer, of a request that passes as it came. */
const PASSED = ["accept", "content-encoding", "range", "if-range", "if-match", "idempotency-key"];
const NAMED_JSON = /\+json\s*(?:;|$)/i;
function addPassed(headers: HeaderRecord, call: Call, rules: SendingRules): void {
  const connection = headerList(call.headers.get("connection")?.toLowerCase() ?? "");
  for (const name of PASSED) {
    const value = call.headers.get(name);
    if (value !== null && !connection.includes(name) && !isOwnKey(value, call, rules)) headers[name] = value;
  }
  const type = call.headers.get("content-type") ?? "";
  if (call.body.kind === "json" && NAMED_JSON.test(type)) headers["content-type"] = formType(type, call, rules);
}

/** Its boundary is the client's own. */
function formType(contentType: string, call: Call, rules: SendingRules): string {
  if (!isOwnKey(contentType, call, rules)) return contentType;
  throw new GatewayError("HEADER_INVALID", { header: "content-type", why: HOLDS_OWN_KEY }, { param: "content-type" });
}

/** How the provider's stream is cut into events; what is neither mapped nor unwrapped is in a client's dialect. */
export const framing = ({ to: { adapter } }: Pick<Try, "to">): FrameFormat =>
  ((adapter.stream !== undefined || adapter.unwrap !== undefined) && adapter.frames) || "sse";
const STREAM_TYPES: Readonly<Record<FrameFormat, string>> = {
  sse: "text/event-stream",
  "json-lines": "application/x-ndjson",
  "aws-eventstream": "application/vnd.amazon.eventstream",
};

/** Providers may spell names as their documentation does. */
function setAll(headers: HeaderRecord, more: Readonly<HeaderRecord>): void {
  for (const name in more) headers[name.toLowerCase()] = more[name] ?? "";
}

/** A key of the gateway goes nowhere, whichever header holds it: the caller's, or another that is known. */
const isOwnKey = (value: string, { control }: Call, { ownKeys }: Pick<SendingRules, "ownKeys">): boolean =>
  (control.apiKey !== undefined && control.apiKey !== "" && value.includes(control.apiKey)) || ownKeys.foundIn(value);

function forwardable(it: Try, rules: SendingRules): readonly string[] {
  const asked = it.leaf.forwardHeaders.length > 0 ? it.leaf.forwardHeaders : it.call.control.forwardHeaders;
  return asked === undefined || asked.length === 0 ? NONE : allowed(asked, it, rules);
}
const NONE: readonly string[] = [];

function allowed(asked: readonly string[], it: Try, rules: SendingRules): readonly string[] {
  for (const name of asked) {
    const low = name.toLowerCase();
    if (!rules.headers.of(low).forwardedToProvider)
      throw new GatewayError(
        "HEADER_INVALID",
        { header: "x-gateway-forward-headers", why: `${low} is never forwarded` },
        { param: "forward_headers" },
      );
  }
  // The bearer token is the gateway's own key unless that came in x-gateway-api-key. What Connection names was for us alone.
  const kept = [
    ...headerList(it.call.headers.get("connection")?.toLowerCase() ?? ""),
    ...(it.call.control.apiKey === undefined ? ["authorization"] : []),
  ];
  return asked.filter((name) => !kept.includes(name.toLowerCase()));
}
