import type { HeaderRecord } from "#contract";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { pipeline, Readable, type Writable } from "node:stream";
import type { ReadableStream as NodeStream } from "node:stream/web";

/** A request as it leaves, which `fetch` takes as well. */
export interface Outgoing {
  readonly method: string;
  readonly headers: HeaderRecord;
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null;
  readonly signal: AbortSignal;
  readonly tls: TlsNames | undefined;
}
export interface TlsNames {
  /** The name the connection is for, where its URL holds the address that was looked up. */
  readonly serverName?: string;
  /** Certificate authorities (PEM). */
  readonly ca?: string;
}
/** What an answer is made of. */
export type Answering = Pick<Response, "status" | "headers" | "body" | "text">;

/** Idle connections are kept by the name they were made for. */
const AGENTS = { http: new http.Agent({ keepAlive: true }), https: new https.Agent({ keepAlive: true }) };

/**
 * Sends a request over `node:http` and `node:https`, for a runtime whose `fetch` cannot be told where to connect. The
 * request is made to the name, so that SNI and certificate are the name's, and its look-up gives the address of the URL,
 * which was judged. No proxy, no redirect, and the body as it comes.
 */
export function sendBySocket(url: string, { method, headers, body, signal, tls }: Outgoing): Promise<Answering> {
  const { protocol, hostname, port, pathname, search } = new URL(url);
  const secure = protocol === "https:";
  return new Promise((resolve, reject) => {
    const request = (secure ? https : http).request({
      agent: secure ? AGENTS.https : AGENTS.http,
      method,
      port: port || (secure ? 443 : 80),
      path: pathname + search,
      headers,
      signal,
      ...lookUpOf(hostname, tls?.serverName),
      ...(secure && tls?.ca !== undefined && { ca: tls.ca }),
    });
    request.once("response", (message) => resolve(new SocketAnswer(message)));
    request.on("error", reject); // what breaks behind the headers breaks the body too
    if (body instanceof ReadableStream) feed(request, body, reject);
    else request.end(body ?? undefined);
  });
}

/** What breaks the body is why the request failed, and is told before the request itself says that it was cut. */
function feed(request: Writable, body: ReadableStream<Uint8Array>, failed: (why: unknown) => void): void {
  const bytes = Readable.fromWeb(body as unknown as NodeStream); // two types of one stream
  bytes.once("error", failed);
  pipeline(bytes, request, () => undefined);
}

/** Where a request goes: to the host of its URL, or to that address under the name it was looked up for. */
export function lookUpOf(host: string, name: string | undefined): { readonly hostname: string; readonly lookup?: LookupFunction } {
  const address = host.replace(/^\[|\]$/g, "");
  return name === undefined ? { hostname: address } : { hostname: name, lookup: always(address) };
}

/** A look-up that knows one address, in either form it is asked in. */
const always =
  (address: string): LookupFunction =>
  (_name, { all }, done) => {
    const family = isIP(address);
    if (all) done(null, [{ address, family }]);
    else done(null, address, family);
  };

/** Not a `Response`, which refuses the statuses that are judged later. */
export class SocketAnswer implements Answering {
  readonly status: number;
  readonly headers = new Headers();
  readonly body: Response["body"];
  constructor(message: IncomingMessage) {
    const { statusCode = 0, rawHeaders } = message;
    this.status = statusCode;
    for (let at = 0; at < rawHeaders.length; at += 2) this.headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
    this.body = Readable.toWeb(message) as unknown as Response["body"]; // two types of one stream
  }
  text(): Promise<string> {
    return new Response(this.body).text();
  }
}
