import { describe, expect, test } from "bun:test";
import type { SocketRequest } from "../../core/egress/egress.ts";
import { asking, codeOf, egressWith, httpReply, OWN, rawServer, until } from "./support.ts";

const dialling = (url: string, more: Partial<SocketRequest> = {}): SocketRequest => ({
  ...asking(url),
  protocols: [],
  maxMessageBytes: 1_000,
  ...more,
});
const ACCEPTING = (text: string): string => {
  const key = /sec-websocket-key: (.*)\r/i.exec(text)?.[1] ?? "";
  const accept = new Bun.CryptoHasher("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  return `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`;
};

describe("a WebSocket", () => {
  test("goes to no private address, no name that has one, and no port of internal services", async () => {
    const egress = egressWith({ resolve: async () => ["10.0.0.1"] });
    for (const url of ["http://127.0.0.1/", "https://metadata.google.internal/", "https://a.example.com/", "https://1.1.1.1:6379/"])
      expect([url, await codeOf(egress.connect(dialling(url)))]).toEqual([url, "HOST_BLOCKED"]);
  });
  test("goes to the address that was judged, under the name it was looked up for, with the headers that may leave", async () => {
    const server = await rawServer((socket, text) => void socket.write(ACCEPTING(text)));
    const egress = egressWith({ resolve: async () => ["127.0.0.1"], isPublic: () => true });
    const headers = {
      authorization: "Bearer k",
      connection: "x-secret",
      "x-secret": "1",
      "x-gateway-config": "c",
      "sec-websocket-key": "mine",
    };
    const made = await egress.connect(
      dialling(`http://models.example.com:${server.port}/v1/realtime?model=m`, { headers, protocols: ["realtime"] }),
    );
    expect(made.kind).toBe("open");
    expect(egress.open).toBe(1);
    expect(server.received).toMatch(/^GET \/v1\/realtime\?model=m HTTP\/1\.1\r\n/);
    const sent = server.received.toLowerCase();
    for (const line of [
      `host: models.example.com:${server.port}`,
      "authorization: bearer k",
      "sec-websocket-protocol: realtime",
      "upgrade: websocket",
    ])
      expect(sent).toContain(`${line}\r\n`);
    for (const word of ["x-secret", "x-gateway", "mine"]) expect(sent).not.toContain(word);
    if (made.kind === "open") made.socket.cut();
    await until(() => egress.open === 0);
    server.close();
  });
  test("tells a trusted host of its hops, so that a loop is seen", async () => {
    const server = await rawServer((socket, text) => void socket.write(ACCEPTING(text)));
    const made = await egressWith({ trustedHosts: ["127.0.0.1"] }).connect(dialling(`http://127.0.0.1:${server.port}/`));
    expect(server.received).toContain(`x-gateway-hop: ${OWN}`);
    if (made.kind === "open") made.socket.cut();
    server.close();
  });
  test("that a server answers like any request is an answer, and counts until it is read", async () => {
    const server = await rawServer((socket) => void socket.write(httpReply("no")));
    const egress = egressWith({ trustedHosts: ["127.0.0.1"] });
    const made = await egress.connect(dialling(`http://127.0.0.1:${server.port}/`));
    if (made.kind !== "answer") return expect.unreachable();
    expect([made.answer.status, await made.answer.text(), egress.open]).toEqual([200, "no", 0]);
    server.close();
  });
  test.each([
    ["that is none of ours", (text: string) => ACCEPTING(text).replace(/accept: .*\r/, "accept: AAAA\r")],
    ["to another protocol", (text: string) => ACCEPTING(text).replace("upgrade: websocket", "upgrade: h2c")],
    [
      "with an extension",
      (text: string) => ACCEPTING(text).replace("\r\n\r\n", "\r\nsec-websocket-extensions: permessage-deflate\r\n\r\n"),
    ],
    [
      "to a sub-protocol nobody offered",
      (text: string) => ACCEPTING(text).replace("\r\n\r\n", "\r\nsec-websocket-protocol: other\r\n\r\n"),
    ],
  ])("is not opened by an agreement %s", async (_, reply) => {
    const server = await rawServer((socket, text) => void socket.write(reply(text)));
    const egress = egressWith({ trustedHosts: ["127.0.0.1"] });
    expect(await codeOf(egress.connect(dialling(`http://127.0.0.1:${server.port}/`)))).toBe("UPSTREAM_INVALID");
    await until(() => server.closedAt !== null);
    expect(egress.open).toBe(0);
    server.close();
  });
  test("that nobody answers ends by its deadline, or by its caller", async () => {
    const server = await rawServer(() => undefined);
    const egress = egressWith({ trustedHosts: ["127.0.0.1"] });
    const url = `http://127.0.0.1:${server.port}/`;
    expect(await codeOf(egress.connect(dialling(url, { timeoutMs: 50 })))).toBe("TIMEOUT");
    const leaving = new AbortController();
    const left = codeOf(egress.connect(dialling(url, { signal: leaving.signal })));
    await until(() => server.connections === 2);
    leaving.abort();
    expect([await left, egress.open]).toEqual(["CLIENT_LEFT", 0]);
    server.close();
  });
});
