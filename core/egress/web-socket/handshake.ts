import { createHash, randomBytes } from "node:crypto";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import type { HeaderRecord } from "#contract";
import { type Answering, lookUpOf, SocketAnswer, type TlsNames } from "../socket.ts";

export interface Upgrading {
  readonly headers: HeaderRecord;
  readonly protocols: readonly string[];
  readonly signal: AbortSignal;
  readonly tls: TlsNames | undefined;
}
/** The server has agreed, or answered like any other. */
export type Upgraded =
  | { readonly kind: "open"; readonly socket: Socket; readonly head: Buffer; readonly headers: Headers }
  | { readonly kind: "answer"; readonly answer: Answering };

/** What a server does not say right when it agrees. */
export class HandshakeFault extends Error {}

/**
 * Asks for a WebSocket. The connection goes to the address of the URL, which was judged, under the name that `tls` and the
 * Host header say, as with `sendBySocket`; it is one of its own, and goes back to no pool.
 */
export function upgraded(url: string, { headers, protocols, signal, tls }: Upgrading): Promise<Upgraded> {
  const { protocol, hostname, port, pathname, search } = new URL(url);
  const key = randomBytes(16).toString("base64");
  const secure = protocol === "https:";
  return new Promise((resolve, reject) => {
    const request = (secure ? https : http).request({
      agent: false,
      method: "GET",
      port: port || (secure ? 443 : 80),
      path: pathname + search,
      headers: { ...headers, ...asking(key, protocols) },
      signal,
      ...lookUpOf(hostname, tls?.serverName),
      ...(secure && tls?.ca !== undefined && { ca: tls.ca }),
    });
    request.once("response", (message) => resolve({ kind: "answer", answer: new SocketAnswer(message) }));
    request.once("upgrade", (message: IncomingMessage, socket: Socket, head: Buffer) => {
      const agreed = new SocketAnswer(message).headers;
      const fault = faultOf(agreed, key, protocols);
      if (fault === undefined) return resolve({ kind: "open", socket, head, headers: agreed });
      socket.destroy();
      reject(new HandshakeFault(fault));
    });
    request.on("error", reject);
    request.end();
  });
}

const asking = (key: string, protocols: readonly string[]): HeaderRecord => ({
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": key,
  ...(protocols.length > 0 && { "sec-websocket-protocol": protocols.join(", ") }),
});

/** RFC 6455 1.3 */
const MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
function faultOf(agreed: Headers, key: string, protocols: readonly string[]): string | undefined {
  const accept = createHash("sha1")
    .update(key + MAGIC)
    .digest("base64");
  if (agreed.get("upgrade")?.toLowerCase() !== "websocket") return "it agreed to another protocol than WebSocket";
  if (agreed.get("sec-websocket-accept") !== accept) return "its handshake is not an answer to ours";
  if (agreed.has("sec-websocket-extensions")) return "it uses an extension that it was not asked for";
  const protocol = agreed.get("sec-websocket-protocol");
  return protocol === null || protocols.includes(protocol) ? undefined : "it chose a sub-protocol that it was not offered";
}
