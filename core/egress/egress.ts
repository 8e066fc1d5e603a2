import { GatewayError, type HeaderClasses, headerClasses, type HeaderRecord, HOLDS_OWN_KEY, unacceptableUrl } from "#contract";
import { type Answer, answered } from "./answer.ts";
import { Exchange, reasonOf } from "./exchange.ts";
import { neverConnected } from "./failure.ts";
import type { HeldMemory, MemoryCounter } from "./memory.ts";
import { type HeaderRules, outgoingHeaders } from "./header.ts";
import { type Resolve, type Route, Routes, systemResolve } from "./route.ts";
import { type Answering, type Outgoing, sendBySocket, type TlsNames } from "./socket.ts";
import { readTrust } from "./trust.ts";
import { fetchPins } from "../platform.ts";
import { judgeOrigin, splitUrl } from "./url.ts";
import { responseOf } from "./web-response.ts";
import { MAX_WHOLE } from "../json/whole.ts";
import { WebSocketClient } from "./web-socket/client.ts";
import { HandshakeFault, upgraded } from "./web-socket/handshake.ts";

/** The one outbound HTTP client. Everything the gateway calls, for itself or for a plugin, goes through it. */
export interface Egress {
  /**
   * Sends one request. The host is resolved and judged here, at connect time: the connection goes to an address that
   * was checked, or is not made (HOST_BLOCKED). Redirects are not followed. `signal` cuts it at once; a deadline that
   * passes before the answer's headers throws TIMEOUT. Network failures throw UPSTREAM_UNREACHABLE.
   *
   * The request counts as open, and `signal` goes on cutting it, until the answer's body has ended, failed or been
   * cancelled. A failing body throws the same errors.
   */
  call(request: EgressRequest): Promise<Answer>;
  /**
   * The same for what a plugin asks, answered by the web's Response. No key of the gateway leaves in a header or the URL. The body
   * ends with UPSTREAM_INVALID beyond the size of an answer that is read whole, and with MEMORY_FULL where the process
   * has no room for it; it counts against the budget until it has ended.
   */
  send(request: EgressRequest): Promise<Response>;
  /**
   * The same for a WebSocket: an open one, or what the server answered in its place. The deadline is for the handshake. The
   * socket counts as open until it is over; its owner ends it.
   */
  connect(request: SocketRequest): Promise<Connected>;
  /** Throws HOST_BLOCKED or REQUEST_INVALID for a URL that could never be called; no network. For save time. */
  judgeUrl(url: string): URL;
  /** Upstream connections whose answer is still open. */
  readonly open: number;
}
export interface EgressRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<HeaderRecord>;
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null;
  readonly signal: AbortSignal;
  /** Milliseconds until the answer's headers must be there; null leaves the client's hard limit. */
  readonly timeoutMs: number | null;
  /** Who calls, for errors: a provider id or plugin name. */
  readonly caller: string;
  /** The client's own `x-gateway-hop`, so that a loop over several gateways is seen. */
  readonly hops?: string | null;
  /**
   * The host is one a manifest names, not one a caller chose: a name that is not found is then an outage
   * (UPSTREAM_UNREACHABLE, another target may be tried). Otherwise it looks like a private host (HOST_BLOCKED).
   */
  readonly declared?: boolean;
  /** Takes what of the answer is held in memory from the process's budget. */
  readonly held?: HeldMemory;
}

export interface SocketRequest extends Omit<EgressRequest, "method" | "body"> {
  /** Sub-protocols to offer. */
  readonly protocols: readonly string[];
  readonly maxMessageBytes: number;
}
export type Connected =
  | { readonly kind: "open"; readonly socket: WebSocketClient; readonly headers: Headers }
  | { readonly kind: "answer"; readonly answer: Answer };

export interface EgressOptions {
  /** GATEWAY_TRUSTED_HOSTS: hosts that may be private (`host`, `host:port`, `*.domain`). */
  readonly trustedHosts: readonly string[];
  /** REQUEST_TIMEOUT: longest wait for an answer's headers, longest silence after them; and its twelvefold, longest answer. */
  readonly hardTimeoutMs: number;
  readonly now: () => number;
  /** Id of this deployment in `x-gateway-hop`. */
  readonly gatewayId: string;
  readonly resolve?: Resolve;
  /** What a header's name says of it; default: without aliases. */
  readonly headers?: HeaderClasses;
  /** Does this text hold a key of the gateway? A plugin's request goes without such a header, and to no such URL. */
  readonly holdsOwnKey?: (value: string) => boolean;
  /** Judges looked-up addresses; tests stand a local server in for a public one. */
  readonly isPublic?: (address: string) => boolean;
  /** Maximum bytes of a buffered answer. */
  readonly maxWhole?: number;
  /** Counts what plugins read. */
  readonly memory?: MemoryCounter;
  /** Certificate authorities (PEM) to trust instead of the runtime's. */
  readonly ca?: string;
}

/** Longest URL that may be saved. */
const MAX_SAVED_URL = 2048;

export function createEgress(options: EgressOptions): Egress {
  const trust = readTrust(options.trustedHosts);
  const routes = new Routes(trust, options.resolve ?? systemResolve, options.now, options.isPublic);
  const rules: HeaderRules = { gatewayId: options.gatewayId, headers: options.headers ?? headerClasses([]) };
  let open = 0;
  const ended = (): void => {
    open -= 1;
  };

  async function begun(request: EgressRequest, onEnd: () => void): Promise<Answer> {
    if (request.signal.aborted) throw reasonOf(request.signal);
    const { origin, rest } = splitUrl(request.url);
    open += 1;
    const exchange = new Exchange(request, options.hardTimeoutMs, onEnd);
    try {
      const resolved = routes.to(origin, request.declared ?? false);
      const route = resolved instanceof Promise ? await exchange.untilCut(resolved) : resolved;
      const headers = outgoingHeaders(request.headers, rules, request.hops, { host: route.name?.header ?? null, mayLoop: route.trusted });
      const init = fetchInit(request, exchange.signal, headers, tlsOf(route));
      return answered(await connect(route, rest, init), exchange, options.maxWhole);
    } catch (error) {
      throw exchange.fail(error);
    }
  }

  async function send(request: EgressRequest): Promise<Response> {
    if (options.holdsOwnKey?.(request.url)) throw unacceptableUrl(HOLDS_OWN_KEY);
    const held = options.memory?.hold();
    const headers = withoutOwnKeys(request.headers, options.holdsOwnKey);
    const answer = await begun({ ...request, headers }, () => {
      ended();
      held?.release();
    });
    return responseOf(answer, { caller: request.caller, most: options.maxWhole ?? MAX_WHOLE, held });
  }

  async function dial(asked: SocketRequest): Promise<Connected> {
    const request: EgressRequest = { ...asked, method: "GET", body: null };
    if (request.signal.aborted) throw reasonOf(request.signal);
    const { origin, rest } = splitUrl(request.url);
    open += 1;
    const handshake = new Exchange(request, options.hardTimeoutMs, ended);
    try {
      const known = routes.to(origin, request.declared ?? false);
      const route = known instanceof Promise ? await handshake.untilCut(known) : known;
      const headers = outgoingHeaders(request.headers, rules, request.hops, { host: route.name?.header ?? null, mayLoop: route.trusted });
      const asking = { headers, protocols: asked.protocols, signal: handshake.signal, tls: tlsOf(route) };
      const made = await inTurn(route.bases, (base) => upgraded(`${base}${rest}`, asking));
      if (made.kind === "answer") return { kind: "answer", answer: answered(made.answer, handshake, options.maxWhole) };
      handshake.end();
      open += 1;
      made.socket.once("close", ended);
      const socket = new WebSocketClient(made.socket, made.head, asked);
      return { kind: "open", socket, headers: made.headers };
    } catch (error) {
      throw handshake.fail(agreedWrongly(error, request.caller));
    }
  }

  const ca = options.ca === undefined ? undefined : { ca: options.ca };
  const tlsOf = (route: Route): TlsNames | undefined => (route.name === null ? ca : { ...ca, serverName: route.name.server });

  return {
    call: (request) => begun(request, ended),
    send,
    connect: dial,
    judgeUrl(url) {
      if (url.length > MAX_SAVED_URL) throw unacceptableUrl(`it is longer than ${MAX_SAVED_URL} characters`);
      if (url.includes("@")) throw unacceptableUrl("it holds an @");
      judgeOrigin(splitUrl(url).origin, trust);
      return new URL(url);
    },
    get open() {
      return open;
    },
  };
}

/** Providers' requests are judged where their credentials are chosen; what a plugin sends of itself, here, as it spelt the names. */
function withoutOwnKeys(headers: Readonly<HeaderRecord>, holdsOwnKey: EgressOptions["holdsOwnKey"]): Readonly<HeaderRecord> {
  const kept = Object.entries(headers).filter(([name, value]) => !holdsOwnKey?.(name) && !holdsOwnKey?.(value));
  return Object.fromEntries(kept.map(([name, value]) => [name.toLowerCase(), value]));
}

/** Tries the judged addresses in turn; only one that refused the connection makes way for the next. A stream can be sent once. */
const connect = ({ bases }: Route, rest: string, init: Outgoing): Promise<Answering> =>
  bases.length === 1 || init.body instanceof ReadableStream
    ? sendTo(`${bases[0]}${rest}`, init)
    : inTurn(bases, (base) => sendTo(`${base}${rest}`, init));

async function inTurn<T>(bases: readonly string[], ask: (base: string) => Promise<T>): Promise<T> {
  for (let index = 0; ; index += 1) {
    try {
      return await ask(bases[index] ?? "");
    } catch (error) {
      if (index >= bases.length - 1 || !neverConnected(error)) throw error;
    }
  }
}

const agreedWrongly = (thrown: unknown, provider: string): unknown =>
  thrown instanceof HandshakeFault ? new GatewayError("UPSTREAM_INVALID", { provider, why: thrown.message }) : thrown;

const sendTo = fetchPins ? (url: string, init: Outgoing): Promise<Response> => fetch(url, init as RequestInit) : sendBySocket; // `tls` is Bun's

/**
 * Connecting to a judged address under a name is what `tls.serverName` and the Host header do together: Bun 1.4.5 then
 * uses the name for SNI and for the certificate, and keeps a pooled connection to the name it was made for. Where fetch
 * has no such option, socket.ts does the same.
 * `proxy: false` keeps HTTP_PROXY of the environment out, `timeout: false` the runtime's own five minutes.
 * Answers are asked for unpacked, and what comes packed all the same is unpacked here, in bounded steps (unpack.ts).
 */
const fetchInit = (request: EgressRequest, signal: AbortSignal, headers: HeaderRecord, tls: TlsNames | undefined): Outgoing =>
  ({
    method: request.method,
    headers: headers["accept-encoding"] === undefined ? Object.assign(headers, UNPACKED) : headers,
    body: request.body,
    signal,
    redirect: "manual",
    duplex: "half",
    proxy: false,
    timeout: false,
    decompress: false,
    tls,
  }) as Outgoing; // members that only fetch reads are not in it
const UNPACKED: HeaderRecord = Object.freeze({ "accept-encoding": "identity" });
