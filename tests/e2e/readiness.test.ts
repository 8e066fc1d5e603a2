/** What a load balancer and an operator are told. Stores that go away are among the slow tests. */
import { afterEach, expect, test } from "bun:test";
import packageInfo from "../../package.json" with { type: "json" };
import { ADMIN_KEY, chat, GATEWAY_KEY, until } from "./process.ts";
import { verifies } from "../requirements/verifies.ts";
import { endAll, butForTheMachine, get, readiness, start } from "./readiness.ts";

afterEach(endAll);

test("a gateway that is well is alive, ready, and its detail is shown to its own machine and to who may see its plugins", async () => {
  const gateway = await start();
  expect((await get(gateway, "/healthz")).json as unknown).toEqual({ status: "ok" });
  const ready = await readiness(gateway);
  const { status } = ready;
  expect({ code: ready.code, degraded: butForTheMachine(ready) }).toEqual({ code: 200, degraded: [] });
  expect(status).toBe(ready.degraded.length === 0 ? "ready" : "degraded");
  const detail = {
    status,
    generation: 1,
    version: expect.any(String),
    uptime_seconds: expect.any(Number),
    in_flight: expect.any(Number),
    event_loop_lag_ms: expect.any(Number),
    parts: {
      "store/records": { degraded: [] },
      spool: { degraded: [], detail: { bytes: 0, left_bytes: 0, limit_bytes: 1024 * 1024 * 1024 } },
      "exporter/logs": { degraded: [], detail: { waiting_records: expect.any(Number), disk_bytes: 0, given_up_records: 0 } },
    },
  };
  const near = await get(gateway, "/status");
  expect([near.status, near.json]).toEqual([200, expect.objectContaining({})]);
  expect(near.json as unknown).toMatchObject(detail);
  const forwarded = { "x-forwarded-for": "203.0.113.7" };
  expect((await get(gateway, "/status", null, forwarded)).status).toBe(401);
  expect((await get(gateway, "/status", "no-such-key", forwarded)).status).toBe(401);
  expect((await get(gateway, "/status", GATEWAY_KEY, forwarded)).status).toBe(403);
  const far = await get(gateway, "/status", ADMIN_KEY, forwarded);
  expect([far.status, far.json]).toMatchObject([200, detail]);
  for (const secret of [ADMIN_KEY, GATEWAY_KEY]) expect(near.text + far.text).not.toContain(secret);
}, 30_000);

test(verifies(
  "D7.15.health",
  "a gateway says without a key that it is there, at its root and with its version in the data plane",
), async () => {
  const gateway = await start();
  const root = await get(gateway, "/", null);
  expect([root.status, root.text, root.headers.get("content-type")]).toEqual([200, "AI gateway is running.", "text/plain; charset=utf-8"]);
  for (const key of [null, "no-such-key", GATEWAY_KEY]) {
    const health = await get(gateway, "/v1/health", key);
    expect(health.status).toBe(200);
    expect(health.json as unknown).toEqual({ status: "success", version: packageInfo.version });
  }
}, 30_000);

test("counters tell tokens, cost, durations and errors of checks by provider; off this machine an operator's key is needed", async () => {
  const gateway = await start();
  const guarded = { input_guardrails: [{ "default.webhook": { webhookURL: "http://127.0.0.1:9/nobody" }, deny: false }] };
  expect((await chat(gateway, {}, { "x-gateway-config": JSON.stringify(guarded) })).status).toBe(200);
  const near = await until("the request is counted", async () => {
    const { text } = await get(gateway, "/metrics");
    return text.includes("gateway_tokens_total{") && text;
  });
  expect(near).toMatch(/^gateway_tokens_total\{provider="sandbox",type="input"\} [1-9]\d*$/m);
  expect(near).toMatch(/^gateway_tokens_total\{provider="sandbox",type="output"\} [1-9]\d*$/m);
  expect(near).toMatch(/^gateway_request_duration_ms_count\{provider="sandbox"\} 1$/m);
  expect(near).toMatch(/^gateway_check_errors_total\{check="default\.webhook",error="[A-Za-z ]+"\} 1$/m);
  const forwarded = { "x-forwarded-for": "203.0.113.7" };
  const statuses = [null, "no-such-key", GATEWAY_KEY, ADMIN_KEY].map(
    async (key) => (await get(gateway, "/metrics", key, forwarded)).status,
  );
  expect(await Promise.all(statuses)).toEqual([401, 401, 403, 200]);
}, 30_000);

test("a gateway that is stopping says so to load balancers, takes nothing new, and ends what is under way", async () => {
  const gateway = await start();
  const slow = chat(gateway, { sandbox: { latency_ms: 3_000 } });
  await until("the request is under way", async () => /^gateway_in_flight_requests 1$/m.test((await get(gateway, "/metrics")).text));
  const ended = gateway.stop("SIGTERM");
  const stopping = await until("it is stopping", async () => {
    const ready = await readiness(gateway);
    return ready.code === 503 && ready;
  });
  expect(stopping.status).toBe("not ready");
  expect(butForTheMachine(stopping)).toEqual([{ part: "gateway", why: "The gateway is stopping." }]);
  expect((await get(gateway, "/healthz")).status).toBe(200);
  const refused = await chat(gateway, {});
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, expect.stringMatching(/^\d+$/)]);
  expect((await slow).status).toBe(200);
  expect(await ended).toBe(0);
}, 30_000);
