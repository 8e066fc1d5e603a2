/** A provider of realtime sessions over raw sockets: says exactly these bytes when the test says so, and keeps what it was told. */
import { createHash } from "node:crypto";
import http from "node:http";
import type net from "node:net";
import type { Duplex } from "node:stream";

/** One connection that was upgraded. */
export interface Visit {
  /** Path and query. */
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  /** Messages, in their order. */
  readonly received: string[];
  /** Bytes of the wire that have come, read or not. */
  readonly bytesRead: number;
  /** What a close frame said; `cut` where the connection ended without one. */
  readonly closed: { readonly code: number; readonly reason: string } | "cut" | null;
  say(message: object | string): void;
  /** These bytes, as they are; false where they wait, and `drained` tells when they have gone. */
  write(bytes: Uint8Array): boolean;
  drained(): Promise<void>;
  close(code?: number, reason?: string): void;
  cut(): void;
  pause(): void;
  resume(): void;
}
type Script = (visit: Visit, message: Record<string, never> | null) => void;
export interface StandIn {
  readonly url: string;
  readonly host: string;
  readonly visits: readonly Visit[];
  readonly last: Visit;
  /** Requests that it refused, and how often it was asked at all. */
  readonly asked: readonly string[];
  /** Answers the next requests with this in place of an upgrade; `null` upgrades again. */
  refuse(answer: { readonly status: number; readonly body: string } | null): void;
  /** Called with `null` when a visit begins, then with each message that is JSON. */
  script(script: Script): void;
  close(): Promise<void>;
}

/** A frame as a server writes it. */
export function frame(opcode: number, payload: Uint8Array | string, isLast = true): Buffer {
  const bytes = Buffer.from(payload as string); // a view is copied, a text is encoded
  const head = Buffer.alloc(bytes.length < 126 ? 2 : bytes.length < 65_536 ? 4 : 10);
  head[0] = (isLast ? 0x80 : 0) | opcode;
  head[1] = head.length === 2 ? bytes.length : head.length === 4 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(bytes.length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(bytes.length), 2);
  return Buffer.concat([head, bytes]);
}
export function closeFrame(code: number, reason: string): Buffer {
  const payload = Buffer.concat([Buffer.from([code >> 8, code & 255]), Buffer.from(reason)]);
  return frame(8, payload);
}

class Connection implements Visit {
  readonly received: string[] = [];
  closed: Visit["closed"] = null;
  private buffer = Buffer.alloc(0);
  private parts: Buffer[] = [];
  constructor(
    readonly path: string,
    readonly headers: http.IncomingHttpHeaders,
    private readonly socket: Duplex,
    private readonly onMessage: (text: string) => void,
  ) {
    socket.on("data", (data: Buffer) => this.read(data));
    socket.on("error", () => undefined); // a reset is how some of these tests end
    socket.on("close", () => {
      this.closed ??= "cut";
    });
  }
  get bytesRead(): number {
    return (this.socket as net.Socket).bytesRead;
  }
  say(message: object | string): void {
    this.write(frame(1, typeof message === "string" ? message : JSON.stringify(message)));
  }
  write(bytes: Uint8Array): boolean {
    return this.socket.destroyed || this.socket.write(bytes);
  }
  drained(): Promise<void> {
    return new Promise((resolve) => void this.socket.once("drain", resolve));
  }
  close(code = 1000, reason = ""): void {
    this.write(closeFrame(code, reason));
  }
  cut(): void {
    this.socket.destroy();
  }
  pause(): void {
    this.socket.pause();
  }
  resume(): void {
    this.socket.resume();
  }
  private read(data: Buffer): void {
    this.buffer = Buffer.concat([this.buffer, data]);
    for (let used = this.one(); used > 0; used = this.one()) this.buffer = this.buffer.subarray(used);
  }
  /** Bytes of the frame that was read; 0 while it is not whole. */
  private one(): number {
    const { buffer } = this;
    if (buffer.length < 2) return 0;
    const short = (buffer[1] ?? 0) & 127;
    const at = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (buffer.length < at + 4) return 0;
    const length = at === 2 ? short : at === 4 ? buffer.readUInt16BE(2) : Number(buffer.readBigUInt64BE(2));
    if (buffer.length < at + 4 + length) return 0;
    const key = buffer.subarray(at, at + 4);
    const payload = Buffer.from(buffer.subarray(at + 4, at + 4 + length)).map((byte, index) => byte ^ (key[index % 4] ?? 0));
    this.take((buffer[0] ?? 0) & 15, ((buffer[0] ?? 0) & 128) !== 0, Buffer.from(payload));
    return at + 4 + length;
  }
  private take(opcode: number, isLast: boolean, payload: Buffer): void {
    if (opcode === 8) return this.left(payload);
    if (opcode === 9) return void this.write(frame(10, payload));
    if (opcode > 8) return;
    this.parts.push(payload);
    if (!isLast) return;
    const text = Buffer.concat(this.parts).toString();
    this.parts = [];
    this.received.push(text);
    this.onMessage(text);
  }
  private left(payload: Buffer): void {
    this.closed ??=
      payload.length < 2 ? { code: 1005, reason: "" } : { code: payload.readUInt16BE(0), reason: payload.subarray(2).toString() };
    this.write(frame(8, payload));
    this.socket.end();
  }
}

const jsonOf = (text: string): Record<string, never> | undefined => (text.startsWith("{") ? JSON.parse(text) : undefined);

export async function standIn(): Promise<StandIn> {
  const visits: Connection[] = [];
  const asked: string[] = [];
  let refusal: { readonly status: number; readonly body: string } | null = null;
  let script: Script = () => undefined;
  const server = http.createServer((_request, response) => response.writeHead(404).end());
  server.on("upgrade", (request, socket) => {
    asked.push(`${request.url} ${JSON.stringify(request.headers)}`);
    if (refusal) {
      const { status, body } = refusal;
      const head = `HTTP/1.1 ${status} No\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n`;
      return void socket.end(head + body);
    }
    const accept = createHash("sha1")
      .update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest("base64");
    const [protocol] = request.headers["sec-websocket-protocol"]?.split(", ") ?? [];
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n${protocol ? `sec-websocket-protocol: ${protocol}\r\n` : ""}x-request-id: req_upstream\r\n\r\n`,
    );
    const visit: Connection = new Connection(request.url ?? "", request.headers, socket, (text) => script(visit, jsonOf(text) ?? null));
    visits.push(visit);
    script(visit, null);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as net.AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    visits,
    get last() {
      return visits.at(-1) ?? (undefined as never); // a test that asks has had one
    },
    asked,
    refuse: (answer) => void (refusal = answer),
    script: (given) => void (script = given),
    async close() {
      for (const visit of visits) visit.cut();
      server.close();
    },
  };
}
