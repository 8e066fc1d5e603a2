/** What answers hold counts against the memory budget, and an answer that we end ourselves leaves no upstream running. */
import { afterEach, describe, expect, test } from "bun:test";
import type net from "node:net";
import type { EgressOptions } from "../../core/egress/egress.ts";
import { MemoryBudget } from "../../core/kernel/process/memory-budget.ts";
import { asking, codeOf, egressWith, httpReply, type RawServer, rawServer, until } from "./support.ts";

const KB = 1024;
const servers: RawServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function serving(onData: (socket: net.Socket) => void): Promise<RawServer> {
  const server = await rawServer(onData);
  servers.push(server);
  return server;
}
const local = (options: Partial<EgressOptions> = {}) => egressWith({ trustedHosts: ["127.0.0.1"], ...options });
const at = ({ port }: RawServer): string => `http://127.0.0.1:${port}/`;
const CHUNKED = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

describe("what a plugin fetches", () => {
  test("is bounded, and an upstream that goes on beyond the bound is cut", async () => {
    const server = await serving((socket) => {
      socket.write(CHUNKED);
      for (let part = 0; part < 10; part += 1) socket.write(chunk("x".repeat(KB)));
    });
    const egress = local({ maxWhole: 4 * KB });
    const response = await egress.send(asking(at(server)));
    const broken = await response.text().catch((error: unknown) => error);
    expect(broken).toMatchObject({ code: "UPSTREAM_INVALID", status: 502, message: expect.stringContaining("acme") });
    await until(() => server.closedAt !== null);
    expect(egress.open).toBe(0);
  });
  test("counts against the memory budget while it arrives, and no longer", async () => {
    const memory = new MemoryBudget(1000 * KB);
    const sockets: net.Socket[] = [];
    const server = await serving((socket) => {
      sockets.push(socket);
      socket.write(CHUNKED + chunk("x".repeat(100 * KB)));
    });
    const egress = local({ memory });
    const text = egress.send(asking(at(server))).then((response) => response.text());
    await until(() => memory.used >= 400 * KB);
    sockets[0]?.write("0\r\n\r\n");
    expect(await text).toHaveLength(100 * KB);
    expect([memory.used, egress.open]).toEqual([0, 0]);
  });
  test("counts as what parsing makes of it", async () => {
    const memory = new MemoryBudget(1000 * KB);
    const server = await serving((socket) => void socket.write(httpReply(`[${"{},".repeat(30 * KB)}{}]`)));
    const egress = local({ memory });
    expect(await codeOf(egress.send(asking(at(server))).then((response) => response.json()))).toBe("MEMORY_FULL");
    expect([memory.used, egress.open]).toEqual([0, 0]);
  });
  test("is ended when the budget is full, and its upstream cut", async () => {
    const memory = new MemoryBudget(100 * KB);
    const server = await serving((socket) => void socket.write(CHUNKED + chunk("x".repeat(200 * KB))));
    const egress = local({ memory });
    expect(await codeOf(egress.send(asking(at(server))).then((response) => response.json()))).toBe("MEMORY_FULL");
    await until(() => server.closedAt !== null);
    expect([memory.used, egress.open]).toEqual([0, 0]);
  });
  test("gives back what it held when it is no longer wanted", async () => {
    const memory = new MemoryBudget(1000 * KB);
    const server = await serving((socket) => void socket.write(CHUNKED + chunk("x".repeat(10 * KB))));
    const left = new AbortController();
    const reader = (await local({ memory }).send(asking(at(server), { signal: left.signal }))).body?.getReader();
    await reader?.read();
    expect(memory.used).toBeGreaterThan(0);
    left.abort();
    expect(memory.used).toBe(0);
  });
});

describe("an answer read whole that the budget has no room for", () => {
  const kinds = {
    "of a declared length": `HTTP/1.1 200 OK\r\ncontent-length: ${200 * KB}\r\n\r\n${"x".repeat(100)}`,
    "in chunks": CHUNKED + chunk("x".repeat(200 * KB)),
  };
  for (const [kind, reply] of Object.entries(kinds))
    test(`${kind}: its upstream is cut`, async () => {
      const server = await serving((socket) => void socket.write(reply));
      const egress = local();
      const held = new MemoryBudget(100 * KB).hold();
      const answer = await egress.call(asking(at(server), { held }));
      expect(await codeOf(answer.text())).toBe("MEMORY_FULL");
      expect(egress.open).toBe(0);
      await until(() => server.closedAt !== null);
    });
});

test("an answer packed more often than is undone here is refused piece by piece as it is whole, and its upstream cut", async () => {
  const server = await serving(
    (socket) =>
      void socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip, gzip, gzip\r\ntransfer-encoding: chunked\r\n\r\n${chunk("x")}`),
  );
  const egress = local();
  for (const read of ["pieces", "text"] as const) {
    const answer = await egress.call(asking(at(server)));
    expect(await codeOf((async () => answer[read]())())).toBe("UPSTREAM_INVALID");
    expect(egress.open).toBe(0);
    await until(() => server.closedAt !== null);
  }
  expect(await codeOf(egress.send(asking(at(server))))).toBe("UPSTREAM_INVALID");
  expect(egress.open).toBe(0);
});
