/** What ten thousand leavers and a reader that does not read do to memory: nothing. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { chat, GATEWAY_KEY, type GatewayProcess, startGateway, until } from "../e2e/process.ts";

let gateway: GatewayProcess;
let upstream: Bun.Server<undefined>;
let pulled = 0;
let open = 0;

const encoder = new TextEncoder();
const piece = (content: string): Uint8Array =>
  encoder.encode(
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`,
  );
const small = piece("word ");
const large = piece("x".repeat(64 * 1024));

/** So many small pieces come as fast as they are taken, the rest as a model writes: what leaving costs is tested, not what reading does. */
const AT_ONCE = 4;
const WRITTEN_EVERY_MS = 10;

/** Streams until it is left: `model` large gives 64 kB pieces as fast as they are taken. */
function endless(big: boolean, signal: AbortSignal): ReadableStream<Uint8Array> {
  open += 1;
  let closed = false;
  let given = 0;
  const left = (): void => {
    if (!closed) {
      closed = true;
      open -= 1;
    }
  };
  signal.addEventListener("abort", left, { once: true });
  return new ReadableStream(
    {
      async pull(controller) {
        const bytes = big ? large : small;
        given += 1;
        if (!big) await new Promise((resolve) => (given > AT_ONCE ? setTimeout(resolve, WRITTEN_EVERY_MS) : setImmediate(resolve)));
        if (big) pulled += bytes.length;
        controller.enqueue(bytes);
      },
      cancel: left,
    },
    { highWaterMark: 0 },
  );
}

beforeAll(async () => {
  upstream = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const body = (await request.json()) as { model: string };
      return new Response(endless(body.model === "large", request.signal), { headers: { "content-type": "text/event-stream" } });
    },
  });
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: `127.0.0.1:${upstream.port}` } });
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await upstream.stop(true);
});

const headers = (): Record<string, string> => ({
  "x-gateway-provider": "openai",
  "x-gateway-custom-host": `http://127.0.0.1:${upstream.port}/v1`,
  "x-gateway-debug": "false",
});
const rssMb = (): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8"))?.[1]) / 1024;

async function abortStreams(count: number): Promise<void> {
  let left = count;
  const client = async (): Promise<void> => {
    while (left-- > 0) {
      const controller = new AbortController();
      const response = await fetch(`${gateway.base}/v1/chat/completions`, {
        method: "POST",
        signal: controller.signal,
        headers: { "content-type": "application/json", "x-gateway-api-key": GATEWAY_KEY, ...headers() },
        body: JSON.stringify({ model: "small", stream: true, messages: [{ role: "user", content: "go on" }] }),
      });
      const reader = response.body?.getReader();
      await reader?.read();
      if (left % 3 === 0) await reader?.read();
      controller.abort();
      await reader?.cancel().catch(() => undefined); // aborted above
    }
  };
  await Promise.all(Array.from({ length: 32 }, client));
  await until("every upstream stream is cut", () => open === 0, 10_000);
}

test.skipIf(process.platform !== "linux")(
  "10,000 aborted streams leave memory flat and no upstream open",
  async () => {
    // The heap first grows to the size that this load needs, over some thousand streams; a leak goes on growing.
    await abortStreams(12_000);
    const before = rssMb();
    const after: number[] = [];
    for (let batch = 0; batch < 4; batch += 1) {
      await abortStreams(2_500);
      after.push(rssMb());
    }
    console.log(`memory over 10,000 aborted streams: ${[before, ...after].map((mb) => mb.toFixed(0)).join(" -> ")} MB`);
    // The collector runs when it likes: the lowest of the later readings tells what is kept.
    expect(Math.min(...after.slice(2)) - before).toBeLessThan(40);
    await Promise.all(Array.from({ length: 200 }, () => chat(gateway, {})));
    const metrics = await (await fetch(`${gateway.base}/metrics`)).text();
    expect(metrics).toContain("gateway_upstream_open 0");
  },
  300_000,
);

test.skipIf(process.platform !== "linux")(
  "a slow reader slows its provider, and memory does not grow",
  async () => {
    const before = rssMb();
    const body = JSON.stringify({ model: "large", stream: true, messages: [{ role: "user", content: "much" }] });
    const head = [
      "POST /v1/chat/completions HTTP/1.1",
      "Host: gateway",
      "content-type: application/json",
      `x-gateway-api-key: ${GATEWAY_KEY}`,
      ...Object.entries(headers()).map(([name, value]) => `${name}: ${value}`),
      `content-length: ${body.length}`,
    ];
    const socket = connect(gateway.port, "127.0.0.1");
    socket.pause();
    socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
    await until("the provider began", () => pulled > 0);
    const settledAt = await quiet();
    expect(settledAt).toBeLessThan(64 * 1024 * 1024);
    expect(rssMb() - before).toBeLessThan(64);
    socket.destroy();
    await until("the provider was let go", () => open === 0, 5_000);
  },
  60_000,
);

/** Resolves with the bytes pulled once no more were pulled for a second. */
async function quiet(): Promise<number> {
  for (let last = -1; last !== pulled; ) {
    last = pulled;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  return pulled;
}
