/** How large a request's headers may be, and that large ones do not bring the gateway down. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { MAX_HEADERS_BYTES } from "#contract";
import { ADMIN_KEY, type GatewayProcess, GATEWAY_KEY, startGateway, until } from "./process.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGateway();
}, 30_000);
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
});

const BODY = JSON.stringify({ model: "echo", messages: [{ role: "user", content: "Hello" }] });
/** The status line of a chat whose headers are these lines. */
function chat(lines: readonly string[]): Promise<string> {
  const head = [
    "POST /v1/chat/completions HTTP/1.1",
    "Host: gateway.example",
    `x-gateway-api-key: ${GATEWAY_KEY}`,
    "content-type: application/json",
  ];
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(gateway.port, "127.0.0.1", () =>
      socket.write(`${[...head, ...lines, `Content-Length: ${BODY.length}`, "Connection: close"].join("\r\n")}\r\n\r\n${BODY}`),
    );
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
    });
    socket.on("close", () => resolve(text.split("\r\n")[0] ?? ""));
    socket.on("error", () => resolve(text.split("\r\n")[0] ?? ""));
  });
}
/** A config of exactly so many characters. */
function configOf(length: number): string {
  const config = (filler: string): string => JSON.stringify({ provider: "sandbox", override_params: { metadata: { filler } } });
  return config("x".repeat(length - config("").length));
}

test("a config in a header may be as long as the table says, beside every other header", async () => {
  for (const length of [1_000, 16_384, 17_000, 100_000, 262_144])
    expect({ length, answered: await chat([`x-gateway-config: ${configOf(length)}`]) }).toEqual({ length, answered: "HTTP/1.1 200 OK" });
  expect(await chat([`x-gateway-config: ${configOf(262_144)}`, `x-gateway-metadata: {"a":"${"b".repeat(100_000)}"}`])).toBe(
    "HTTP/1.1 200 OK",
  );
  expect(await chat([`x-gateway-config: ${configOf(262_145)}`])).toBe("HTTP/1.1 400 Bad Request");
});

test("beyond the limit of all headers together it is a bare 431, and the gateway goes on", async () => {
  expect(await chat([`x-tenant: ${"x".repeat(MAX_HEADERS_BYTES)}`])).toBe("HTTP/1.1 431 Request Header Fields Too Large");
  expect(await chat(["x-gateway-provider: sandbox"])).toBe("HTTP/1.1 200 OK");
});

test("headers that never end hold what was sent of them and no more, and other requests are answered", async () => {
  const memory = (): number => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  const before = memory();
  const SENT = 300_000;
  const COUNT = 100;
  let written = 0;
  const sockets: Socket[] = Array.from({ length: COUNT }, () => {
    const socket = connect(gateway.port, "127.0.0.1", () =>
      socket.write(`GET /v1/models HTTP/1.1\r\nHost: a\r\nx-filler: ${"x".repeat(SENT)}`, () => {
        written += 1;
      }),
    );
    socket.on("error", () => undefined); // the gateway may cut it
    return socket;
  });
  await until("all of it has been sent", () => written === COUNT, 20_000);
  expect(await chat(["x-gateway-provider: sandbox"])).toBe("HTTP/1.1 200 OK");
  const response = await fetch(`${gateway.base}/v2/configs`, { headers: { "x-gateway-api-key": ADMIN_KEY } });
  expect(response.status).toBe(200);
  expect(memory() - before).toBeLessThan(4 * SENT * COUNT);
  for (const socket of sockets) socket.destroy();
}, 30_000);
