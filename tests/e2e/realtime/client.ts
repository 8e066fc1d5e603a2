/** A client's WebSocket, as tests use one: what it was told, and how it was refused. */
import http from "node:http";
import { GATEWAY_KEY, type GatewayProcess, until } from "../process.ts";

type Headers = Readonly<Record<string, string>>;
export interface Dialled {
  readonly messages: string[];
  readonly binary: Uint8Array[];
  readonly events: () => readonly Record<string, never>[];
  readonly closed: { readonly code: number; readonly reason: string } | null;
  readonly protocol: string;
  say(message: object | string | Uint8Array): void;
  close(code?: number, reason?: string): void;
  cut(): void;
  /** The event of this type, once it is here. */
  event(type: string): Promise<Record<string, never>>;
  end(): Promise<{ readonly code: number; readonly reason: string }>;
}
export interface DialOptions {
  readonly query?: string;
  readonly protocols?: readonly string[];
  readonly key?: string | null;
  /** Hears each text as it comes; then none is kept. */
  readonly heard?: (text: string) => void;
}

/** Bun's client takes headers; the web's type does not know them. */
type WithHeaders = new (url: string, options: object) => WebSocket & { terminate(): void };

/** Resolves once the session is open; rejects when it is refused. */
export function dial(gateway: Pick<GatewayProcess, "base">, headers: Headers, options: DialOptions = {}): Promise<Dialled> {
  const { query = "?model=gpt-realtime", protocols = [], key = GATEWAY_KEY, heard = (text: string) => void messages.push(text) } = options;
  const url = `${gateway.base.replace("http", "ws")}/v1/realtime${query}`;
  const all = { ...(key !== null && { "x-gateway-api-key": key }), ...headers };
  const socket = new (WebSocket as unknown as WithHeaders)(url, { headers: all, protocols: [...protocols] });
  socket.binaryType = "arraybuffer";
  const messages: string[] = [];
  const binary: Uint8Array[] = [];
  let closed: Dialled["closed"] = null;
  const events = () => messages.map((text): Record<string, never> => JSON.parse(text));
  socket.onmessage = ({ data }) => void (typeof data === "string" ? heard(data) : binary.push(new Uint8Array(data as ArrayBuffer)));
  const dialled: Dialled = {
    messages,
    binary,
    events,
    get closed() {
      return closed;
    },
    get protocol() {
      return socket.protocol;
    },
    say: (message) =>
      socket.send(typeof message === "string" || message instanceof Uint8Array ? (message as string) : JSON.stringify(message)),
    close: (code, reason) => socket.close(code, reason),
    cut: () => socket.terminate(),
    event: (type) => until(`the event ${type}`, () => events().find((event) => event["type"] === type)),
    end: () => until("the session's end", () => closed ?? undefined),
  };
  return new Promise((resolve, reject) => {
    socket.onopen = () => resolve(dialled);
    socket.onclose = ({ code, reason }) => {
      closed = { code, reason };
      reject(new Error(`refused: ${code}`));
    };
  });
}

/** The plain answer to a request for an upgrade that is refused. */
export function refusalOf(
  gateway: Pick<GatewayProcess, "port">,
  headers: Headers,
  query = "?model=gpt-realtime",
): Promise<{ readonly status: number; readonly text: string; readonly headers: http.IncomingHttpHeaders }> {
  const asking = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  return new Promise((resolve, reject) => {
    const request = http.request({
      host: "127.0.0.1",
      port: gateway.port,
      path: `/v1/realtime${query}`,
      headers: { ...asking, ...headers },
    });
    request.on("response", (response) => {
      let text = "";
      response.on("data", (data) => (text += data));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }));
    });
    request.on("upgrade", (_message, socket) => {
      socket.destroy();
      reject(new Error("it was upgraded"));
    });
    request.on("error", reject);
    request.end();
  });
}

/** What a client that reads the handshake's own headers can tell. */
export interface LoggedSession {
  /** Of its log record. */
  readonly id: string;
  readonly session: { send(text: string): void; cut(): void; pause(): void; readonly heard: readonly string[] };
}
/** A session whose record is looked up later; written by hand, because a WebSocket does not show its handshake. */
export function dialForLog(gateway: Pick<GatewayProcess, "port">, headers: Headers): Promise<LoggedSession> {
  const asking = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  const all = { ...asking, "x-gateway-api-key": GATEWAY_KEY, ...headers };
  return new Promise((resolve, reject) => {
    const request = http.request({ host: "127.0.0.1", port: gateway.port, path: "/v1/realtime?model=gpt-realtime", headers: all });
    request.on("response", ({ statusCode }) => reject(new Error(`refused: ${statusCode}`)));
    request.on("error", reject);
    request.on("upgrade", (message, socket) => {
      const heard: string[] = [];
      socket.on("error", () => undefined); // it may be cut
      socket.on("data", (data: Buffer) => heard.push(data.toString("latin1")));
      resolve({
        id: String(message.headers["x-gateway-request-id"]),
        session: {
          heard,
          send: (text) => void socket.write(masked(text)),
          cut: () => void socket.destroy(),
          pause: () => void socket.pause(),
        },
      });
    });
    request.end();
  });
}
/** A short text as a client's frame. */
function masked(text: string): Buffer {
  const payload = Buffer.from(text);
  const head =
    payload.length < 126
      ? Buffer.from([0x81, 0x80 | payload.length])
      : Buffer.from([0x81, 0xfe, payload.length >> 8, payload.length & 255]);
  const key = Buffer.from([1, 2, 3, 4]);
  return Buffer.concat([head, key, payload.map((byte, at) => byte ^ (key[at % 4] ?? 0))]);
}
