/** A provider over raw sockets: says exactly these bytes when the test says so, and tells when it was let go. */
import net from "node:net";

export interface WireCall {
  readonly path: string;
  /** The whole request as it came, headers first. */
  readonly text: string;
  send(bytes: string | Uint8Array): void;
  end(): void;
  /** Milliseconds (performance.now) at which the gateway let the connection go. */
  readonly closedAt: number | null;
}
export interface WireUpstream {
  readonly port: number;
  readonly url: string;
  readonly connections: number;
  readonly calls: readonly WireCall[];
  close(): void;
}
export type Script = (call: WireCall) => void;

/** `script` by the first part of the path; each complete request is a call of its own, several on one connection too. */
export async function wireUpstream(scripts: Readonly<Record<string, Script>>): Promise<WireUpstream> {
  const sockets = new Set<net.Socket>();
  const calls: WireCall[] = [];
  let connections = 0;
  const server = net.createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    let closedAt: number | null = null;
    let text = "";
    socket.on("error", () => undefined); // a reset is how some of these tests end
    socket.on("close", () => {
      closedAt = performance.now();
      sockets.delete(socket);
    });
    socket.on("data", (data) => {
      text += data.toString("latin1");
      if (!complete(text)) return;
      const [asked, path] = [text, /^\S+ (\S+)/.exec(text)?.[1] ?? "/"];
      text = "";
      const call: WireCall = {
        path,
        text: asked,
        send: (bytes) => void (socket.destroyed || socket.write(bytes)),
        end: () => void socket.end(),
        get closedAt() {
          return closedAt;
        },
      };
      calls.push(call);
      scripts[path.split("/")[1] ?? ""]?.(call);
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as net.AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    get connections() {
      return connections;
    },
    calls,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function complete(text: string): boolean {
  const head = text.indexOf("\r\n\r\n");
  if (head < 0) return false;
  const length = Number(/content-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0);
  return text.length >= head + 4 + length;
}

export const CHUNKED = "transfer-encoding: chunked\r\n";
export const head = (type: string, more = CHUNKED, status = "200 OK"): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\n${more}\r\n`;
/** One chunk of a chunked body. */
export function chunk(bytes: string | Uint8Array): Uint8Array {
  const body = Buffer.from(bytes as Uint8Array);
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from("\r\n")]);
}
export const LAST_CHUNK = "0\r\n\r\n";
