import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { ANSWER_ID, HEAD, READS_PORT } from "./reads.ts";
import { piecesOf, type Replay } from "./replay.ts";

/**
 * An HTTP server on 127.0.0.1 that keeps each piece of an answer back until the piece before it has been read: not
 * until it was sent, for TCP and the reader's own buffers would join the two. The reading process says what it has
 * read: it must run with `PRELOAD` and this server's `env`.
 */
export interface PieceServer {
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  /** The base URL below which this answer is given, once. `cut` hears of each cut: what stood before it has been read. */
  play(replay: Replay, cut?: () => void): string;
  close(): Promise<void>;
}
/** Arguments of the reading process's runtime. */
export const PRELOAD: readonly string[] = ["--preload", join(import.meta.dir, "reads.ts")];

export async function pieceServer(): Promise<PieceServer> {
  const plays = new Map<string, Play>();
  const sockets = new Set<Socket>();
  let asked = 0;
  const reads = await listening((socket) => eachLine(socket, (id, read) => plays.get(id)?.read(read)), sockets);
  const http = await listening((socket) => eachRequest(socket, (id) => plays.get(id)?.begin(socket)), sockets);
  const url = `http://127.0.0.1:${portOf(http)}`;
  return {
    url,
    env: { [READS_PORT]: String(portOf(reads)) },
    play(replay, cut = () => undefined) {
      const id = String((asked += 1));
      plays.set(id, new Play(id, replay, { cut, over: () => void plays.delete(id) }));
      return `${url}/${id}`;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await Promise.all([reads, http].map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

/** One answer on its way. The head goes with the first piece, the end with the last: none with one that hangs. */
class Play {
  private readonly pieces: readonly Uint8Array[];
  private sent = 0;
  private unread = 0;
  private socket: Socket | undefined;
  constructor(
    private readonly id: string,
    private readonly replay: Replay,
    private readonly tell: { cut(): void; over(): void },
  ) {
    this.pieces = [...piecesOf(replay)];
  }
  begin(socket: Socket): void {
    this.socket = socket;
    this.next(this.head());
  }
  read(read: string): void {
    this.unread -= read === HEAD ? this.unread : Number(read);
    if (this.unread > 0) return;
    this.tell.cut();
    this.next("");
  }
  private next(head: string): void {
    const piece = this.pieces[this.sent++] ?? new Uint8Array(0);
    const last = this.sent >= this.pieces.length;
    this.unread = piece.length;
    this.socket?.write(
      this.chunked
        ? Buffer.concat([Buffer.from(`${head}${piece.length.toString(16)}\r\n`), piece, last && this.replay.ends !== "hang" ? END : CRLF])
        : Buffer.concat([Buffer.from(head), piece]),
    );
    if (last) this.tell.over();
  }
  private get chunked(): boolean {
    return this.replay.headers?.["content-length"] === undefined;
  }
  private head(): string {
    const headers = { ...this.replay.headers, [ANSWER_ID]: this.id, ...(this.chunked && { "transfer-encoding": "chunked" }) };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return `HTTP/1.1 ${this.replay.status ?? 200} OK\r\n${lines.join("")}\r\n`;
  }
}
const CRLF = Buffer.from("\r\n");
const END = Buffer.from("\r\n0\r\n\r\n");

function listening(connected: (socket: Socket) => void, sockets: Set<Socket>): Promise<Server> {
  const server = createServer((socket) => {
    sockets.add(socket.setNoDelay(true));
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy()); // the other side may leave whenever it likes
    connected(socket);
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}
function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a server that listens on TCP has a port");
  return address.port;
}

/** Calls with the two words of each line. */
function eachLine(socket: Socket, call: (first: string, second: string) => void): void {
  let rest = "";
  socket.setEncoding("latin1").on("data", (text) => {
    const lines = (rest + String(text)).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [first = "", second = ""] = line.split(" ");
      call(first, second);
    }
  });
}

/** Calls with the first segment of each request's path once the whole request is here; a client waits for its answer before the next. */
function eachRequest(socket: Socket, call: (id: string) => void): void {
  let request = "";
  socket.setEncoding("latin1").on("data", (text) => {
    request += String(text);
    const bodyAt = request.indexOf("\r\n\r\n") + 4;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(request)?.[1] ?? 0);
    if (bodyAt < 4 || request.length < bodyAt + length) return;
    const id = /^\w+ \/(\w+)/.exec(request)?.[1] ?? "";
    request = "";
    call(id);
  });
}
