/** Answers that are read whole are bounded: an upstream cannot fill the gateway's memory, packed or not. */
import { afterEach, describe, expect, test } from "bun:test";
import type net from "node:net";
import { gzipSync } from "node:zlib";
import type { GatewayError, JsonText } from "#contract";
import { answerOf } from "../../core/egress/answer.ts";
import { asking, egressWith, type RawServer, rawServer, until } from "./support.ts";

const KB = 1024;
const servers: RawServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function readFrom(
  onData: (socket: net.Socket) => void,
  maxWhole?: number,
): Promise<{ got: JsonText | GatewayError; open: number; server: RawServer }> {
  const server = await rawServer(onData);
  servers.push(server);
  const egress = egressWith({ trustedHosts: ["127.0.0.1"], ...(maxWhole !== undefined && { maxWhole }) });
  const answer = await egress.call(asking(`http://127.0.0.1:${server.port}/`));
  const got = await answer.text().catch((error: GatewayError) => error);
  return { got, open: egress.open, server };
}
const chunked = (socket: net.Socket, ...parts: readonly string[]): void =>
  void socket.write(
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${parts.map((part) => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`).join("")}`,
  );
function refused(got: JsonText | GatewayError): void {
  expect(got).toMatchObject({ code: "UPSTREAM_INVALID", status: 502 });
  expect((got as GatewayError).message).toContain("acme");
}

describe("an answer larger than the limit is refused and its upstream cut", () => {
  const zip = (text: string): Buffer => gzipSync(text);
  const bomb = zip("x".repeat(1024 * KB));
  const kinds: Readonly<Record<string, (socket: net.Socket) => void>> = {
    "in chunks that never end": (socket) => chunked(socket, "x".repeat(4 * KB), "y".repeat(4 * KB)),
    "of a declared length": (socket) => void socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${100 * KB}\r\n\r\n${"x".repeat(20 * KB)}`),
    "packed small": (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length + 1}\r\n\r\n`);
      socket.write(bomb);
    },
    "in chunks that claim a small length": (socket) =>
      void socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n2000\r\n${"x".repeat(8 * KB)}\r\n`),
    "up to the connection's end": (socket) => void socket.write(`HTTP/1.1 200 OK\r\n\r\n${"x".repeat(8 * KB)}`),
  };
  for (const [kind, play] of Object.entries(kinds)) {
    test(kind, async () => {
      const { got, open, server } = await readFrom(play, 4 * KB);
      refused(got);
      expect(open).toBe(0);
      await until(() => server.closedAt !== null);
    });
  }
  test("the limit is 64 MB, and the message says so", async () => {
    const { got } = await readFrom((socket) => {
      const part = zip("x".repeat(65 * KB * KB));
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${part.length}\r\n\r\n`);
      socket.write(part);
    });
    refused(got);
    expect((got as GatewayError).message).toContain("larger than 64 MB");
  });
  test("also when a plugin made it", async () => {
    const part = new Uint8Array(KB * KB);
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (to) => to.enqueue(part),
      cancel: () => {
        cancelled = true;
      },
    });
    expect(
      await answerOf(new Response(endless))
        .text()
        .catch((error: Error) => error.message),
    ).toContain("larger than 64 MB");
    expect(cancelled).toBe(true);
  });
});

describe("an answer within the limit is whole", () => {
  const text = "ä€😀 wörld";
  const bytes = Buffer.from(text);
  const packed = gzipSync(text);
  const kinds: Readonly<Record<string, (socket: net.Socket) => void>> = {
    "of a declared length": (socket) =>
      void socket.write(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\n\r\n`), bytes])),
    packed: (socket) =>
      void socket.write(
        Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n`), packed]),
      ),
    "in chunks that cut its characters": (socket) => {
      socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
      for (const byte of bytes) socket.write(Buffer.concat([Buffer.from("1\r\n"), Buffer.from([byte]), Buffer.from("\r\n")]));
      socket.write("0\r\n\r\n");
    },
  };
  for (const [kind, play] of Object.entries(kinds))
    test(kind, async () => expect(await readFrom(play, bytes.length)).toMatchObject({ got: text, open: 0 }));
});
