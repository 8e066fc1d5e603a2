/** The client leaves at every moment of a stream: its provider is cut, the request settled once, and nothing is kept. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type GatewayProcess, startGateway, until } from "../e2e/process.ts";
import { chunk, head, LAST_CHUNK, type WireCall, type WireUpstream, wireUpstream } from "../e2e/wire-upstream.ts";
import { metric, rawClient, rssMb } from "./memory.ts";

let gateway: GatewayProcess;
let upstream: WireUpstream;
const frame = (content: string, finish: string | null = null): Uint8Array =>
  chunk(
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`,
  );
/** How far the provider goes before it waits. */
const STEPS: Readonly<Record<string, readonly (string | Uint8Array)[]>> = {
  accepted: [],
  headers: [head("text/event-stream")],
  "the first chunk": [head("text/event-stream"), frame("first")],
  "some chunks": [head("text/event-stream"), ...Array.from({ length: 50 }, (_, i) => frame(`${i} `))],
  "the finish": [head("text/event-stream"), frame("first"), frame("", "stop")],
};
const playing =
  (parts: readonly (string | Uint8Array)[]) =>
  (call: WireCall): void => {
    for (const part of parts) call.send(part);
  };
const keyOf = (step: string): string => step.replaceAll(" ", "-");

beforeAll(async () => {
  upstream = await wireUpstream({
    ...Object.fromEntries(Object.entries(STEPS).map(([step, parts]) => [keyOf(step), playing(parts)])),
    whole: (call) => {
      call.send(head("text/event-stream"));
      for (const part of [frame("all"), frame("", "stop"), chunk("data: [DONE]\n\n")]) call.send(part);
      call.send(LAST_CHUNK);
    },
  });
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: "127.0.0.1" } });
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  upstream.close();
});

const GUARD = { output_guardrails: [{ "default.contains": { words: ["bad"], operator: "none" }, deny: true }] };
const to = (path: string, guarded: boolean) => ({
  "x-gateway-config": JSON.stringify({ provider: "openai", api_key: "k", custom_host: `${upstream.url}/${path}`, ...(guarded && GUARD) }),
  "x-gateway-debug": "false",
});
const BODY = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "Hi" }] });
/** Requests settled so far, however they ended. */
const settled = async (): Promise<number> =>
  [...(await (await fetch(`${gateway.base}/metrics`)).text()).matchAll(/^gateway_requests_total\{.*\} (\d+)$/gm)].reduce(
    (sum, [, n]) => sum + Number(n),
    0,
  );
async function nothingKept(): Promise<void> {
  for (const name of ["gateway_in_flight_requests", "gateway_upstream_open", "gateway_memory_used_bytes"])
    await until(`${name} is 0`, async () => (await metric(gateway, name)) === 0, 10_000);
}
/** A busy machine may be late; an upstream that is not cut waits for minutes. */
const CUT_MS = 100 + 400;

describe.each([false, true])("held back by a guardrail: %p", (guarded) => {
  for (const step of Object.keys(STEPS)) {
    test(`the client leaves when its provider has got to: ${step}`, async () => {
      const before = await settled();
      const rounds = 20;
      for (let round = 0; round < rounds; round += 1) {
        const calls = upstream.calls.length;
        const client = rawClient(gateway, to(keyOf(step), guarded), BODY);
        const call = await until("the provider was asked", () => upstream.calls[calls]);
        if (!guarded && step.includes("chunk")) await until("it has a part of the answer", () => client.received().includes("data: "));
        const leftAt = performance.now();
        client.socket.destroy();
        const closedAt = await until("the provider was cut", () => call.closedAt ?? undefined);
        expect(closedAt - leftAt).toBeLessThan(CUT_MS);
      }
      await nothingKept();
      expect((await settled()) - before).toBe(rounds);
    }, 60_000);
  }
  test("the client leaves before its request is whole, and behind the end of its answer", async () => {
    const before = await settled();
    const early = rawClient(gateway, to("whole", guarded), BODY.slice(0, 20), BODY.length);
    await until("it is on its way", async () => (await metric(gateway, "gateway_in_flight_requests")) === 1);
    early.socket.destroy();
    await nothingKept();
    const late = rawClient(gateway, to("whole", guarded), BODY);
    await until("it has the answer", () => late.received().includes("[DONE]"));
    late.socket.destroy();
    await nothingKept();
    expect((await settled()) - before).toBe(2);
  }, 30_000);
});

test("three thousand leavers leave memory flat", async () => {
  const leave = async (count: number): Promise<void> => {
    let left = count;
    const one = async (): Promise<void> => {
      while (left-- > 0) {
        const client = rawClient(gateway, to(left % 2 ? "the-first-chunk" : "whole", left % 3 === 0), BODY);
        client.socket.on("error", () => undefined);
        await Promise.race([client.status.catch(() => 0), new Promise((resolve) => setTimeout(resolve, 20))]);
        client.socket.destroy();
      }
    };
    await Promise.all(Array.from({ length: 16 }, one));
    await nothingKept();
  };
  await leave(1_500); // the heap first grows to what this load needs
  const before = rssMb(gateway);
  const after: number[] = [];
  for (let batch = 0; batch < 3; batch += 1) {
    await leave(500);
    after.push(rssMb(gateway));
  }
  console.log(`memory over 1,500 leavers: ${[before, ...after].map((mb) => mb.toFixed(0)).join(" -> ")} MB`);
  expect(Math.min(...after) - before).toBeLessThan(40);
}, 120_000);
