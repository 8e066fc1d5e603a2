/** More upstream calls at once than the runtime allows by default. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { chat, type GatewayProcess, startGateway, until } from "./process.ts";

let gateway: GatewayProcess;
let upstream: Bun.Server<undefined>;
let waiting = 0;
const gate = Promise.withResolvers<void>();

beforeAll(async () => {
  upstream = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch() {
      waiting += 1;
      await gate.promise;
      return Response.json({
        id: "c",
        object: "chat.completion",
        created: 1,
        model: "m",
        choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
      });
    },
  });
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: `127.0.0.1:${upstream.port}` } });
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await upstream.stop(true);
});

test("600 slow requests are all under way at once", async () => {
  // The test's own client has the same limit: half of the load comes from another process.
  const script = `await Promise.all(Array.from({ length: 200 }, () => fetch("${gateway.base}/v1/chat/completions", { method: "POST", headers: { "content-type": "application/json", "x-gateway-api-key": "${gateway.gatewayKey}", "x-gateway-provider": "openai", "x-gateway-custom-host": "http://127.0.0.1:${upstream.port}/v1" }, body: '{"model":"m","messages":[{"role":"user","content":"x"}]}' }).then((r) => r.text())))`;
  const others = [1, 2].map(() => Bun.spawn([process.execPath, "-e", script], { stdout: "ignore", stderr: "inherit" }));
  const own = Array.from({ length: 200 }, () =>
    chat(gateway, {}, { "x-gateway-provider": "openai", "x-gateway-custom-host": `http://127.0.0.1:${upstream.port}/v1` }),
  );
  await until("600 calls have reached the provider", () => waiting === 600, 20_000);
  gate.resolve();
  expect((await Promise.all(own)).every(({ status }) => status === 200)).toBe(true);
  await Promise.all(others.map((other) => other.exited));
}, 40_000);
