/** Streams and bodies made to exhaust: a million small events, one that is huge, a body that trickles, a reader that does not read. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { chat, type GatewayProcess, startGateway, until } from "../e2e/process.ts";
import { metric, peakMb, rawClient, resetPeak, rssMb, watchHealth } from "./memory.ts";

const MB = 1024 * 1024;
const MANY = 1_000_000;
const frame = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const END = `${frame({}, "stop")}data: [DONE]\n\n`;
const piled = Buffer.from(frame({ content: "a" }).repeat(1_000));
const parts: Readonly<Record<string, () => Iterable<Uint8Array>>> = {
  *many() {
    for (let i = 0; i < MANY; i += 1_000) yield piled;
    yield Buffer.from(END);
  },
  *huge() {
    const event = Buffer.from(frame({ content: "x".repeat(30 * MB) }));
    for (let at = 0; at < event.length; at += 64 * 1024) yield event.subarray(at, at + 64 * 1024);
    yield Buffer.from(END);
  },
  *unending() {
    yield Buffer.from('data: {"id":"c","choices":[{"index":0,"delta":{"content":"');
    const more = Buffer.alloc(64 * 1024, 120);
    for (;;) yield more;
  },
};

/** Endless events of which a client sees nothing, unless it asked. */
const typed = (event: { readonly type: string; readonly [more: string]: unknown }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const usage = { input_tokens: 1, output_tokens: 1 };
const begun = typed({ type: "message_start", message: { id: "m", type: "message", role: "assistant", model: "m", content: [], usage } });
const delta = (delta: object): string => typed({ type: "content_block_delta", index: 0, delta });
const HIDDEN: Readonly<Record<string, readonly [provider: string, begin: string, event: string]>> = {
  thinking: ["anthropic", begun, delta({ type: "thinking_delta", thinking: "a".repeat(1_000) })],
  signatures: ["anthropic", begun, delta({ type: "signature_delta", signature: "a" })],
  "anthropic-usage": ["anthropic", begun, typed({ type: "message_delta", delta: {}, usage })],
  "openai-usage": ["openai", frame({ content: "a" }), 'data: {"choices":[],"usage":{"prompt_tokens":1}}\n\n'],
  "google-usage": [
    "google",
    'data: {"candidates":[{"index":0,"content":{"parts":[{"text":"a"}]}}]}\n\n',
    'data: {"usageMetadata":{"promptTokenCount":1}}\n\n',
  ],
};
function* endless(begin: string, event: string): Generator<Uint8Array> {
  yield Buffer.from(begin);
  const more = Buffer.from(event.repeat(Math.ceil((64 * 1024) / event.length)));
  for (;;) yield more;
}

let gateway: GatewayProcess;
let upstream: Bun.Server<undefined>;
let idleMb = 0;
beforeAll(async () => {
  upstream = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: ({ url }) => {
      const [, what = ""] = new URL(url).pathname.split("/");
      const [, begin = "", event = ""] = HIDDEN[what] ?? [];
      const rest = (parts[what]?.() ?? endless(begin, event))[Symbol.iterator]();
      const pull = (to: ReadableStreamDefaultController<Uint8Array>): void => {
        const next = rest.next();
        if (next.done) to.close();
        else to.enqueue(next.value);
      };
      return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { headers: { "content-type": "text/event-stream" } });
    },
  });
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: "127.0.0.1", GATEWAY_MEMORY_MB: "512", REQUEST_TIMEOUT: "30000" } });
  for (let i = 0; i < 20; i += 1) await chat(gateway, {});
  idleMb = rssMb(gateway);
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await upstream.stop(true);
});

const GUARD = { output_guardrails: [{ "default.contains": { words: ["bad"], operator: "none" }, deny: true }] };
const to = (path: string, guarded = false, provider = "openai") => ({
  "x-gateway-provider": "",
  "x-gateway-config": JSON.stringify({
    provider,
    api_key: "k",
    custom_host: `http://127.0.0.1:${upstream.port}/${path}`,
    ...(guarded && GUARD),
  }),
});
async function watched<T>(what: string, attack: () => Promise<T>): Promise<T> {
  resetPeak(gateway);
  const health = watchHealth(gateway);
  const result = await attack();
  const { asked, failed, slowestMs } = await health.stop();
  console.log(
    `${what}: peak ${peakMb(gateway).toFixed(0)} MB (idle ${idleMb.toFixed(0)}); /healthz ${asked} times, slowest ${slowestMs.toFixed(0)} ms`,
  );
  expect(failed).toBe(0);
  await until("the budget is whole again", async () => (await metric(gateway, "gateway_memory_used_bytes")) === 0, 20_000);
  return result;
}

const ASKED = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "Hello" }] });

/** First, while the heap is as small as at idle: what others left behind would hide the growth. */
test("two seconds of endless reasoning, of which a client sees nothing, cost no memory", async () => {
  await watched("endless thinking", async () => {
    const { socket, status } = rawClient(gateway, to("thinking", false, "anthropic"), ASKED);
    expect(await status).toBe(200);
    const startedAt = performance.now();
    await until("it was read for long", () => performance.now() - startedAt > 2_000, 5_000);
    socket.destroy();
  });
  expect(peakMb(gateway) - idleMb).toBeLessThan(200);
}, 30_000);

test("a million small events pass, and cost no memory", async () => {
  const length = await watched("1e6 events", async () => (await chat(gateway, { stream: true }, to("many"))).text.length);
  expect(length).toBeGreaterThan(MANY * 100);
  expect(peakMb(gateway) - idleMb).toBeLessThan(200);
}, 120_000);

test("held back by a guardrail they end with a sentence, at the largest answer that may be held", async () => {
  const answer = await watched("1e6 events, guarded", () => chat(gateway, { stream: true }, to("many", true)));
  expect([answer.status, answer.text]).toEqual([502, expect.stringContaining("larger than 64 MB")]);
}, 120_000);

test("one event of 30 MB passes", async () => {
  const answer = await watched("one event of 30 MB", () => chat(gateway, { stream: true }, to("huge")));
  expect(answer.text.length).toBeGreaterThan(30 * MB);
  expect(answer.text.endsWith("data: [DONE]\n\n")).toBe(true);
}, 60_000);

test("one event without an end is refused, before and with a guardrail", async () => {
  for (const guarded of [false, true]) {
    const answer = await watched("an event without an end", () => chat(gateway, { stream: true }, to("unending", guarded)));
    expect([502, 503]).toContain(answer.status);
    expect(answer.text).toMatch(/32 MB|memory budget/);
  }
}, 60_000);

test("bodies that trickle hold no more than they said, and leave room for others", async () => {
  await watched("fifty trickling bodies", async () => {
    const trickling = Array.from({ length: 50 }, () => rawClient(gateway, to("many"), '{"model":"m",', 20_000_000));
    for (const { socket } of trickling) socket.on("error", () => undefined);
    await until("some are refused", async () => (await metric(gateway, "gateway_memory_refused_total")) > 0, 10_000);
    expect((await chat(gateway, {})).status).toBe(200);
    for (const { socket } of trickling) socket.destroy();
  });
}, 60_000);

for (const [what, [provider]] of Object.entries(HIDDEN))
  test(`endless ${what}, of which a client sees nothing, is counted while a guardrail holds it back`, async () => {
    await watched(`endless ${what}, guarded`, async () => {
      const { socket } = rawClient(gateway, to(what, true, provider), ASKED);
      await until("the budget knows of it", async () => (await metric(gateway, "gateway_memory_used_bytes")) > 8 * MB, 10_000);
      socket.destroy();
    });
  }, 30_000);
