/** Sixty long streams at once, each translated: whoever asks for something else does not wait for all of them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type GatewayProcess, startGateway, until } from "../e2e/process.ts";
import { nobodyWaits, type Probe, startProbe } from "./probing.ts";

const STREAMS = 60;
const BYTES = 40_000_000;
/** What each client reads while the others are asked for how long they wait: all that there is would take minutes. */
const READ_BYTES = 500_000;

const event = (data: { readonly type: string }): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const MESSAGE = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, usage: { input_tokens: 1 } };
const START =
  event({ type: "message_start", message: MESSAGE } as never) +
  event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } } as never);
/** In pieces of so many letters. */
function answerOf(letters: number): Buffer<ArrayBuffer> {
  const delta = event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "a".repeat(letters) } } as never);
  return Buffer.from(START + delta.repeat(Math.ceil(BYTES / delta.length)));
}

let gateway: GatewayProcess;
let probe: Probe;
let upstream: Bun.Server<undefined>;
let answer: Buffer<ArrayBuffer> = Buffer.alloc(0);
beforeAll(async () => {
  upstream = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: () => new Response(answer, { headers: { "content-type": "text/event-stream" } }),
  });
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: "127.0.0.1" } });
  probe = await startProbe(gateway.base);
});
afterAll(async () => {
  probe.close();
  await gateway.stop();
  gateway.remove();
  await upstream.stop(true);
});

const begun = (signal: AbortSignal): Promise<Response> =>
  fetch(`${gateway.base}/v1/chat/completions`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-gateway-api-key": gateway.gatewayKey,
      "x-gateway-config": JSON.stringify({
        ...{ provider: "anthropic", api_key: "key-of-this-test", custom_host: `http://127.0.0.1:${upstream.port}/v1` },
      }),
    },
    body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "hi" }] }),
    signal,
  });
/** A client, and how much it has read. */
interface Reading {
  bytes: number;
  readonly over: Promise<void>;
}
function reading({ body }: Response): Reading {
  const read: Reading = { bytes: 0, over: (async () => void (await all()))() };
  async function all(): Promise<void> {
    try {
      for await (const piece of body ?? []) read.bytes += piece.length;
    } catch {
      read.bytes = Number.NaN; // it has left
    }
  }
  return read;
}

test.each([20, 4_000])(
  "in pieces of %d letters",
  async (letters) => {
    answer = answerOf(letters);
    const leaving = new AbortController();
    const clients = (await Promise.all(Array.from({ length: STREAMS }, () => begun(leaving.signal)))).map(reading);
    const waits = await nobodyWaits(
      probe,
      async () => {
        const before = clients.map(({ bytes }) => bytes);
        const all = () => Promise.resolve(clients.every(({ bytes }, client) => bytes > (before[client] ?? 0) + READ_BYTES));
        await until("each has read some more", all, 20_000);
      },
      () => expect(clients.every(({ bytes }) => bytes < BYTES)).toBeTrue(),
    );
    leaving.abort();
    await Promise.all(clients.map(({ over }) => over));
    console.log(`pieces of ${letters} letters: /healthz ${waits.gateway.toFixed(0)} ms, idle ${waits.idle.toFixed(0)}`);
  },
  60_000,
);
