import { GatewayError, headerClasses, type HeaderRecord, HOLDS_OWN_KEY, unacceptableUrl } from "#contract";
import { MAX_WHOLE } from "../json/whole.ts";
import { fetchPins } from "../platform.ts";
import { type Answer, answered } from "./answer.ts";
import type { Connected, Egress, EgressOptions, EgressRequest, SocketRequest } from "./egress.ts";
import { Exchange, reasonOf } from "./exchange.ts";
import { neverConnected } from "./failure.ts";
import { type HeaderRules, outgoingHeaders } from "./header.ts";
import { type Route, Routes, systemResolve } from "./route.ts";
import { type Answering, type Outgoing, sendBySocket, type TlsNames } from "./socket.ts";
import { readTrust, type Trust } from "./trust.ts";
import { judgeOrigin, splitUrl } from "./url.ts";
import { WebSocketClient } from "./web-socket/client.ts";
import { HandshakeFault, type Upgraded, upgraded } from "./web-socket/handshake.ts";
import { responseOf } from "./web-response.ts";

type Opened = Extract<Upgraded, { readonly kind: "open" }>;

/** Longest URL that may be saved. */
const MAX_SAVED_URL = 2048;

export class EgressClient implements Egress {
  readonly #options: EgressOptions;
  readonly #trust: Trust;
  readonly #routes: Routes;
  readonly #rules: HeaderRules;
  readonly #ca: TlsNames | undefined;
  #open = 0;
  /** One for all requests: it is called when an answer's body is over. */
  readonly #ended = (): void => {
    this.#open -= 1;
  };

  constructor(options: EgressOptions) {
    this.#options = options;
    this.#trust = readTrust(options.trustedHosts);
    this.#routes = new Routes(this.#trust, options.resolve ?? systemResolve, options.now, options.isPublic);
    this.#rules = { gatewayId: options.gatewayId, headers: options.headers ?? headerClasses([]) };
    this.#ca = options.ca === undefined ? undefined : { ca: options.ca };
  }

  get open(): number {
    return this.#open;
  }

  call(request: EgressRequest): Promise<Answer> {
    return this.#exchange(request, this.#ended);
  }

  async send(request: EgressRequest): Promise<Response> {
    const { holdsOwnKey, memory, maxWhole = MAX_WHOLE } = this.#options;
    if (holdsOwnKey?.(request.url)) throw unacceptableUrl(HOLDS_OWN_KEY);
    const held = memory?.hold();
    const headers = withoutOwnKeys(request.headers, holdsOwnKey);
    const answer = await this.#exchange({ ...request, headers }, () => {
      this.#ended();
      held?.release();
    });
    return responseOf(answer, { caller: request.caller, most: request.maxAnswer ?? maxWhole, held });
  }

  async connect(socket: SocketRequest): Promise<Connected> {
    const request: EgressRequest = { ...socket, method: "GET", body: null };
    const { origin, rest } = begin(request);
    this.#open += 1;
    const exchange = new Exchange(request, this.#options.hardTimeoutMs, this.#ended);
    try {
      const route = await exchange.untilCut(Promise.resolve(this.#routes.to(origin, request.declared ?? false)));
      const headers = this.#headers(request, route);
      const handshake = { headers, protocols: socket.protocols, signal: exchange.signal, tls: this.#tls(route) };
      const made = await inTurn(route.bases, (base) => upgraded(`${base}${rest}`, handshake));
      if (made.kind === "answer") return { kind: "answer", answer: answered(made.answer, exchange, this.#options.maxWhole) };
      exchange.end();
      return this.#opened(made, socket);
    } catch (error) {
      throw exchange.fail(agreedWrongly(error, request.caller));
    }
  }

  addresses(host: string, caller: string): Promise<readonly string[]> {
    return this.#routes.addresses(host).catch((thrown: unknown) => Promise.reject(unresolved(thrown, caller)));
  }

  judgeUrl(url: string): URL {
    if (url.length > MAX_SAVED_URL) throw unacceptableUrl(`it is longer than ${MAX_SAVED_URL} characters`);
    if (url.includes("@")) throw unacceptableUrl("it holds an @");
    judgeOrigin(splitUrl(url).origin, this.#trust);
    return new URL(url);
  }

  async #exchange(request: EgressRequest, onEnd: () => void): Promise<Answer> {
    const { origin, rest } = begin(request);
    this.#open += 1;
    const exchange = new Exchange(request, this.#options.hardTimeoutMs, onEnd);
    try {
      const resolved = this.#routes.to(origin, request.declared ?? false);
      const route = resolved instanceof Promise ? await exchange.untilCut(resolved) : resolved;
      const init = fetchInit(request, exchange.signal, this.#headers(request, route), this.#tls(route));
      return answered(await fetched(route, rest, init), exchange, this.#options.maxWhole);
    } catch (error) {
      throw exchange.fail(error);
    }
  }

  /** It counts as open on its own, once its handshake is over. */
  #opened({ socket, head, headers }: Opened, request: SocketRequest): Connected {
    this.#open += 1;
    socket.once("close", this.#ended);
    return { kind: "open", socket: new WebSocketClient(socket, head, request), headers };
  }

  #headers(request: EgressRequest, { name, trusted }: Route): HeaderRecord {
    return outgoingHeaders(request.headers, this.#rules, request.hops, { host: name?.header ?? null, mayLoop: trusted });
  }

  #tls({ name }: Route): TlsNames | undefined {
    return name === null ? this.#ca : { ...this.#ca, serverName: name.server };
  }
}

function begin({ signal, url }: EgressRequest): ReturnType<typeof splitUrl> {
  if (signal.aborted) throw reasonOf(signal);
  return splitUrl(url);
}

/** Providers' requests are judged where their credentials are chosen; what a plugin sends of itself, here, as it spelt the names. */
function withoutOwnKeys(headers: Readonly<HeaderRecord>, holdsOwnKey: EgressOptions["holdsOwnKey"]): Readonly<HeaderRecord> {
  const kept = Object.entries(headers).filter(([name, value]) => !holdsOwnKey?.(name) && !holdsOwnKey?.(value));
  return Object.fromEntries(kept.map(([name, value]) => [name.toLowerCase(), value]));
}

/** Tries the judged addresses in turn; only one that refused the connection makes way for the next. A stream can be sent once. */
const fetched = ({ bases }: Route, rest: string, init: Outgoing): Promise<Answering> =>
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

const unresolved = (thrown: unknown, provider: string): unknown =>
  GatewayError.is(thrown) ? thrown : new GatewayError("UPSTREAM_UNREACHABLE", { provider, why: "the name could not be looked up" });
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
