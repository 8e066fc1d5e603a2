/** Files pass through: neither what is uploaded nor what is downloaded is held, however large it is and however slow its reader. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as turn, setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { GATEWAY_KEY, type GatewayProcess, startGateway } from "../e2e/process.ts";
import { peakMb, resetPeak } from "./memory.ts";

const MB = 1024 * 1024;
const PIECE = Buffer.alloc(64 * 1024, crypto.getRandomValues(new Uint8Array(251))); // a prime length: no two blocks of a piece look alike
const MOST_GROWN_MB = 32;
const BOUNDARY = "a-boundary-of-this-test";
const HEAD = Buffer.from(
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n` +
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="large.jsonl"\r\nContent-Type: application/jsonl\r\n\r\n`,
);
const TAIL = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);

/** How long the provider waits before each piece that it reads, and how much it sends when asked. */
const provider = { pauseMs: 0, sends: 0, read: "", bytes: 0 };
let upstream: http.Server;
let gateway: GatewayProcess;
beforeAll(async () => {
  upstream = http.createServer((request, response) => void answer(request, response));
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: `127.0.0.1:${portOf(upstream)}` } });
}, 30_000);
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  upstream.closeAllConnections();
  upstream.close();
});
const portOf = (server: http.Server): number => (server.address() as AddressInfo).port; // it listens on a port

async function answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  if (request.method === "GET") {
    const type = request.url?.includes("/own") ? "video/mp4" : "application/json";
    response.writeHead(200, { "content-type": type });
    for (const piece of piecesOf(provider.sends)) if (!response.write(piece)) await once(response, "drain");
    response.end();
    return;
  }
  const hash = createHash("sha256");
  provider.bytes = 0;
  for await (const piece of request) {
    hash.update(piece as Buffer);
    provider.bytes += (piece as Buffer).length;
    if (provider.pauseMs > 0) await pause(provider.pauseMs);
  }
  provider.read = hash.digest("hex");
  response.writeHead(200, { "content-type": "application/json" });
  response.end(
    JSON.stringify({ id: "file-1", object: "file", bytes: provider.bytes, created_at: 1, filename: "large.jsonl", purpose: "batch" }),
  );
}
function* piecesOf(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= PIECE.length) yield PIECE.subarray(0, Math.min(left, PIECE.length));
}

const asking = (method: string, path: string, headers: Record<string, string> = {}): http.ClientRequest =>
  http.request(`${gateway.base}/v1${path}`, {
    method,
    headers: {
      ...{ "x-gateway-api-key": GATEWAY_KEY, "x-gateway-provider": "openai", authorization: "Bearer sk-own" },
      ...{ "x-gateway-custom-host": `http://127.0.0.1:${portOf(upstream)}/v1` },
      ...headers,
    },
  });
/** Sends a form with a file of so many bytes; gives the status and the hash of what was sent. */
async function upload(bytes: number, path = "/files"): Promise<{ status: number | undefined; sent: string }> {
  const length = HEAD.length + bytes + TAIL.length;
  const request = asking("POST", path, {
    "content-type": `multipart/form-data; boundary=${BOUNDARY}`,
    "content-length": String(length),
  });
  const answered = once(request, "response") as Promise<[http.IncomingMessage]>;
  const hash = createHash("sha256");
  for (const piece of [HEAD, ...piecesOf(bytes), TAIL]) {
    hash.update(piece);
    if (!request.write(piece)) await once(request, "drain");
  }
  request.end();
  const [response] = await answered;
  response.resume();
  return { status: response.statusCode, sent: hash.digest("hex") };
}
async function download(pauseMs = 0, path = "/files/file-1/content"): Promise<number> {
  const request = asking("GET", path);
  request.end();
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  let bytes = 0;
  for await (const piece of response) {
    bytes += (piece as Buffer).length;
    await (pauseMs > 0 ? pause(pauseMs) : turn());
  }
  return bytes;
}

/**
 * How much more memory the gateway had at its peak than before, in MB. The least of three: the
 * collector comes when it comes, and a file that is held shows each time.
 */
async function grownBy(work: () => Promise<void>): Promise<number> {
  let least = await grownOnce(work);
  for (let again = 0; again < 2 && least >= MOST_GROWN_MB; again += 1) least = Math.min(least, await grownOnce(work));
  return least;
}
async function grownOnce(work: () => Promise<unknown>): Promise<number> {
  resetPeak(gateway);
  const before = peakMb(gateway);
  await work();
  const grown = peakMb(gateway) - before;
  console.log(`grown by ${grown.toFixed(1)} MB`);
  return grown;
}
const onLinux = test.skipIf(process.platform !== "linux"); // elsewhere no process tells its peak

onLinux("a file of 200 MB is uploaded", async () => {
  expect((await upload(MB)).status).toBe(200);
  const grown = await grownBy(async () => {
    const { status, sent } = await upload(200 * MB);
    expect([status, provider.read]).toEqual([200, sent]);
  });
  expect(grown).toBeLessThan(MOST_GROWN_MB);
});
onLinux("a file of 100 MB is uploaded to a provider that reads slowly", async () => {
  provider.pauseMs = 1;
  const grown = await grownBy(async () => {
    const { status, sent } = await upload(100 * MB);
    expect([status, provider.read]).toEqual([200, sent]);
  });
  provider.pauseMs = 0;
  expect(grown).toBeLessThan(MOST_GROWN_MB);
});
onLinux.each([0, 1])(
  "a file of 100 MB is downloaded by a client that waits %d ms for each piece, though it calls itself JSON",
  async (pauseMs) => {
    provider.sends = MB;
    expect(await download()).toBe(MB);
    provider.sends = 100 * MB;
    const grown = await grownBy(async () => expect(await download(pauseMs)).toBe(100 * MB));
    expect(grown).toBeLessThan(MOST_GROWN_MB);
  },
);

onLinux.each(["/proxy/files", "/proxy/own/large", "/videos"])("what passes streams as well: 200 MB up to %s", async (path) => {
  expect((await upload(MB, path)).status).toBe(200);
  const grown = await grownBy(async () => {
    const { status, sent } = await upload(200 * MB, path);
    expect([status, provider.read]).toEqual([200, sent]);
  });
  expect(grown).toBeLessThan(MOST_GROWN_MB);
});
onLinux("and 100 MB down", async () => {
  provider.sends = 100 * MB;
  const grown = await grownBy(async () => expect(await download(0, "/proxy/own/film")).toBe(100 * MB));
  expect(grown).toBeLessThan(MOST_GROWN_MB);
});
