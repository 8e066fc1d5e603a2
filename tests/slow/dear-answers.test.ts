/** An upstream of the caller's choosing answers what is dear to read: whoever asks for something else does not wait for it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type GatewayProcess, startGateway, until } from "../e2e/process.ts";
import { STREAMS, TRANSLATED, WHOLE } from "./dear-answers.ts";
import { metric, peakMb, resetPeak } from "./memory.ts";
import { nobodyWaits, type Probe, startProbe } from "./probing.ts";

let gateway: GatewayProcess;
let probe: Probe;
let upstream: Bun.Server<undefined>;
/** What it answers, and as what. */
let answer = { bytes: Buffer.alloc(0), type: "" };
beforeAll(async () => {
  upstream = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: () => new Response(answer.bytes, { headers: { "content-type": answer.type } }),
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

const GUARD = { output_guardrails: [{ "default.contains": { words: ["bad"], operator: "none" }, deny: false }] };
const CHAT = { messages: [{ role: "user", content: "hi" }] };
interface Got {
  readonly length: number;
  readonly end: string;
}

/** Long answers are not kept: their end says what they were. */
async function asked(path: string, body: object, guarded = false, provider = "openai", more = {}): Promise<Got> {
  const config = { provider, api_key: "k", custom_host: `http://127.0.0.1:${upstream.port}/v1`, ...(guarded && GUARD), ...more };
  const headers = {
    "content-type": "application/json",
    "x-gateway-api-key": gateway.gatewayKey,
    "x-gateway-config": JSON.stringify(config),
  };
  const response = await fetch(gateway.base + path, { method: "POST", headers, body: JSON.stringify({ model: "m", ...body }) });
  const got = { length: 0, end: "" };
  for await (const chunk of response.body ?? []) {
    got.length += chunk.length;
    got.end = (got.end + Buffer.from(chunk.subarray(-2_000)).toString()).slice(-2_000);
  }
  return got;
}

/** The answer is read, others do not wait for it, and nothing of it is left. */
async function read(what: string, text: string | Uint8Array, type: string, attack: () => Promise<Got>, gets: RegExp): Promise<Got> {
  answer = { bytes: Buffer.from(text), type };
  resetPeak(gateway);
  const got: Got[] = [];
  const waits = await nobodyWaits(
    probe,
    async () => got[got.push(await attack()) - 1] as Got,
    ({ end }) => expect(end).toMatch(gets),
  );
  console.log(`${what}: /healthz ${waits.gateway.toFixed(0)} ms, idle ${waits.idle.toFixed(0)}; peak ${peakMb(gateway).toFixed(0)} MB`);
  await until("nothing of it is held", async () => (await metric(gateway, "gateway_memory_used_bytes")) === 0, 20_000);
  return got[0] as Got;
}

describe("a whole answer of a provider with a form of its own", () => {
  for (const [name, { make, gets }] of Object.entries(TRANSLATED))
    for (const stream of [true, false])
      test(`${name}, ${stream ? "streamed" : "whole"}`, async () => {
        const attack = () => asked("/v1/chat/completions", { ...CHAT, stream }, false, "anthropic");
        await read(`${name}, ${stream ? "streamed" : "whole"}`, make(), "application/json", attack, gets);
      }, 60_000);
});

describe("a conversation in a provider's own form", () => {
  const turns = (count: number, content: string) =>
    Array.from({ length: count }, (_, at) => ({ role: at % 2 ? "assistant" : "user", content }));
  const LONG = {
    "13,000 messages": turns(13_000, "a"),
    "two messages of 10 MB": turns(2, `${"a b c ".repeat(12)}\n`.repeat(130_000)),
  } as const;
  const KEYS = { aws_access_key_id: "a", aws_secret_access_key: "s", aws_region: "eu-west-1" };
  for (const provider of ["anthropic", "bedrock", "google"])
    for (const [name, messages] of Object.entries(LONG))
      test(`${name}, for ${provider}`, async () => {
        const attack = () =>
          asked("/v1/chat/completions", { messages, max_tokens: 5 }, false, provider, provider === "bedrock" ? KEYS : {});
        await read(`${name}, for ${provider}`, "{}", "application/json", attack, /something that is not its format/);
      }, 60_000);
});

describe("a stream", () => {
  for (const [name, { make, gets, ...more }] of Object.entries(STREAMS)) {
    test(
      name,
      async () =>
        void (await read(name, make(), "text/event-stream", () => asked("/v1/chat/completions", { ...CHAT, stream: true }), gets)),
      60_000,
    );
    if ("guarded" in more || name.includes("first") || name.includes("[DONE]"))
      test(`${name}, through a guardrail`, async () => {
        const attack = () => asked("/v1/chat/completions", { ...CHAT, stream: true }, true);
        await read(`${name}, guarded`, make(), "text/event-stream", attack, "guarded" in more ? more.guarded : gets);
      }, 60_000);
  }
  test("a large event, and what stands around it, comes as it was sent", async () => {
    const text = STREAMS["one event of 30 MB"].make();
    const got = await read(
      "one large event",
      text,
      "text/event-stream",
      () => asked("/v1/chat/completions", { ...CHAT, stream: true }),
      /DONE/,
    );
    expect(got.length).toBe(text.length);
  }, 60_000);
});

describe("a whole answer", () => {
  for (const [name, { make, gets }] of Object.entries(WHOLE))
    test(name, async () => void (await read(name, make(), "application/json", () => asked("/v1/chat/completions", CHAT), gets)), 60_000);
  for (const name of ["ten million numbers", "two million members", "a text of 30 MB"] as const)
    test(`${name}, in place of a stream`, async () => {
      const { make, gets } = WHOLE[name];
      const attack = () => asked("/v1/chat/completions", { ...CHAT, stream: true });
      await read(`${name}, in place of a stream`, make(), "application/json", attack, name === "a text of 30 MB" ? /DONE/ : gets);
    }, 60_000);
});
