import net from "node:net";
import { createEgress, type Egress, type EgressOptions, type EgressRequest } from "../../core/egress/egress.ts";

/** Marks of gateways: this one, and one that a request has passed before. */
export const OWN = "0f1e2d3c4b5a6978";
export const OTHER = "8796a5b4c3d2e1f0";

/** An egress for tests: nothing trusted, a resolver that knows nothing. */
export const egressWith = (options: Partial<EgressOptions> = {}): Egress =>
  createEgress({
    trustedHosts: [],
    hardTimeoutMs: 5_000,
    now: Date.now,
    gatewayId: OWN,
    resolve: () => Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" })),
    ...options,
  });

export const asking = (url: string, more: Partial<EgressRequest> = {}): EgressRequest => ({
  url,
  method: "GET",
  headers: {},
  body: null,
  signal: new AbortController().signal,
  timeoutMs: null,
  caller: "acme",
  ...more,
});

/** The code of the error a promise rejects with, or what it came to instead. */
export const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    (value) => `no error: ${String(value)}`,
    (error: unknown) => (error as { code?: string }).code ?? String(error),
  );

/** Waits for a condition, not for a time. */
export async function until(holds: () => boolean, deadlineMs = 3_000): Promise<void> {
  const end = performance.now() + deadlineMs;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`did not come true within ${deadlineMs} ms: ${holds}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The least that this took of up to five times: a busy machine delays some of them, a fault each. */
export async function quickest(soonMs: number, run: () => Promise<number>): Promise<number> {
  let least = await run();
  for (let again = 1; again < 5 && least >= soonMs; again += 1) least = Math.min(least, await run());
  return least;
}

export interface RawServer {
  readonly port: number;
  readonly connections: number;
  /** Bytes received so far, all connections. */
  readonly received: string;
  /** Milliseconds (performance.now) at which a connection was last closed by the other side. */
  readonly closedAt: number | null;
  close(): void;
}
/** A TCP server that does what the test says with each connection's bytes. */
export async function rawServer(onData: (socket: net.Socket, text: string) => void, host = "127.0.0.1"): Promise<RawServer> {
  const state = { connections: 0, received: "", closedAt: null as number | null };
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    state.connections += 1;
    sockets.add(socket);
    socket.on("error", () => undefined); // a reset is how some of these tests end
    socket.on("close", () => {
      state.closedAt = performance.now();
      sockets.delete(socket);
    });
    socket.on("data", (data) => {
      state.received += data.toString("latin1");
      onData(socket, data.toString("latin1"));
    });
  });
  await new Promise<void>((ready) => server.listen(0, host, ready));
  return {
    port: (server.address() as net.AddressInfo).port,
    get connections() {
      return state.connections;
    },
    get received() {
      return state.received;
    },
    get closedAt() {
      return state.closedAt;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

export const httpReply = (body: string, head = ""): string => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n${head}\r\n${body}`;
