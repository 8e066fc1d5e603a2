import type { HeaderClasses, HeaderRecord } from "#contract";
import type { Answer } from "./answer.ts";
import { EgressClient } from "./client.ts";
import type { HeldMemory, MemoryCounter } from "./memory.ts";
import type { Resolve } from "./route.ts";
import type { WebSocketClient } from "./web-socket/client.ts";

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
  /** Addresses of a host, judged as if it were called; throws HOST_BLOCKED where they are not all public. A host that an operator vouches for may be private. */
  addresses(host: string, caller: string): Promise<readonly string[]>;
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
  /** Bytes of the answer that a plugin may read; as many as any answer has that is read whole, unless it says fewer. */
  readonly maxAnswer?: number;
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

export const createEgress = (options: EgressOptions): Egress => new EgressClient(options);
