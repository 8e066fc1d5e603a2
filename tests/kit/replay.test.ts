import { afterEach, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { jsonAnswer, replayServer, sseAnswer } from "./replay.ts";

const servers: ReturnType<typeof replayServer>[] = [];
const started = (...from: Parameters<typeof replayServer>): ReturnType<typeof replayServer> => {
  const server = replayServer(...from);
  servers.push(server);
  return server;
};
afterEach(async () => void (await Promise.all(servers.splice(0).map((server) => server.close()))));

describe("the replay server", () => {
  test("plays a body and remembers what it was asked", async () => {
    const server = started(jsonAnswer({ ok: 1 }, { status: 418 }));
    const response = await fetch(`${server.url}/v1/chat?x=1`, { method: "POST", headers: { "x-a": "b" }, body: '{"q":1}' });
    expect([response.status, await response.json()]).toEqual([418, { ok: 1 }]);
    const [seen] = server.received;
    expect([seen?.method, seen?.path, seen?.headers.get("x-a"), seen?.json()]).toEqual(["POST", "/v1/chat?x=1", "b", { q: 1 }]);
    expect(server.open).toBe(0);
  });
  test("cuts the body where it is told, inside a character too", async () => {
    const wire = "data: Grüße\n\n";
    const server = started(sseAnswer(wire, { cuts: [3, 9, 11] }));
    expect(await (await fetch(server.url)).text()).toBe(wire);
    const sizes = [...(await raw(server.url)).matchAll(/\r\n([0-9a-f]+)\r\n/g)].map(([, hex]) => Number.parseInt(hex ?? "", 16));
    expect(sizes).toEqual([3, 6, 2, 4, 0]);
  });
  test("knows when the other side left", async () => {
    const server = started(sseAnswer("data: 1\n\n", { ends: "hang" }));
    const leave = new AbortController();
    const response = await fetch(server.url, { signal: leave.signal });
    await response.body?.getReader().read();
    expect(server.open).toBe(1);
    const at = performance.now();
    leave.abort();
    const seen = server.received[0];
    expect((await seen?.cut) ?? 0).toBeGreaterThanOrEqual(at);
    expect(server.open).toBe(0);
  });
  test("breaks the connection when it is told", async () => {
    const server = started(sseAnswer("data: 1\n\n", { ends: "reset" }));
    const response = await fetch(server.url);
    await expect(response.text()).rejects.toThrow();
  });
  test("answers by request", async () => {
    const server = started((request) => jsonAnswer({ path: request.path }));
    expect(await (await fetch(`${server.url}/a`)).json()).toEqual({ path: "/a" });
    server.answer(jsonAnswer("{}", { status: 500 }));
    expect((await fetch(server.url)).status).toBe(500);
  });
});

/** The bytes of an HTTP/1.1 answer, so that its chunks can be told apart however TCP joins them. */
function raw(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(Number(port), hostname, () => socket.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"));
    socket.setEncoding("latin1");
    socket.on("data", (piece) => (text += String(piece)));
    socket.on("end", () => resolve(text));
    socket.on("error", reject);
  });
}
