/** Limits under concurrency, on one process and on two that share their counters. */
import { afterEach, expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isSkip, redisServer } from "../servers/index.ts";
import { freePort } from "../servers/port.ts";
import { verifies } from "../requirements/verifies.ts";
import { ADMIN_KEY, ask, chat, type GatewayProcess, startGateway, until } from "./process.ts";

const running: GatewayProcess[] = [];
afterEach(async () => {
  for (const gateway of running.splice(0)) {
    await gateway.stop();
    gateway.remove();
  }
});
const start = async (options: Parameters<typeof startGateway>[0] = {}): Promise<GatewayProcess> => {
  const gateway = await startGateway(options);
  running.push(gateway);
  return gateway;
};

async function limitedKey(gateway: GatewayProcess): Promise<string> {
  const made = await ask(`${gateway.base}/v2/api-keys/service`, "POST", ADMIN_KEY, {
    name: "ten",
    workspace_id: "default",
    scopes: ["completions.write"],
    rate_limits: [{ type: "requests", unit: "rpm", value: 10 }],
  });
  expect(made.status).toBe(200);
  return String(made.json["key"]);
}

async function passed(
  gateways: readonly GatewayProcess[],
  key: string,
): Promise<{ passed: number; refused: number; other?: readonly string[] }> {
  // A window that ends while the burst runs would be two windows: begin early in one.
  const inWindow = Date.now() % 60_000;
  if (inWindow > 50_000) await new Promise((resolve) => setTimeout(resolve, 60_000 - inWindow));
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, i) => chat({ base: gateways[i % gateways.length]?.base ?? "", gatewayKey: key }, {})),
  );
  const other = answers.filter(({ status }) => status !== 200 && status !== 429).map(({ text }) => text);
  return {
    ...(other.length > 0 && { other }),
    passed: answers.filter(({ status }) => status === 200).length,
    refused: answers.filter(({ status }) => status === 429).length,
  };
}

test(verifies("E3.rate-limits", "200 requests at once on a key limited to 10 a minute: exactly 10 pass"), async () => {
  const gateway = await start();
  expect(await passed([gateway], await limitedKey(gateway))).toEqual({ passed: 10, refused: 190 });
}, 90_000);

test("exactly 10 pass on two processes that share a SQLite folder", async () => {
  const one = await start();
  const two = await start({ dataDir: one.dataDir });
  expect(await passed([one, two], await limitedKey(one))).toEqual({ passed: 10, refused: 190 });
}, 90_000);

test("exactly 10 pass on two workers of one gateway, and both serve", async () => {
  const gateway = await start({ env: { GATEWAY_WORKERS: "2", PORT: String(await freePort()) } });
  const key = await limitedKey(gateway);
  await until("the key is known to both workers", async () =>
    (await Promise.all(Array.from({ length: 8 }, () => ask(`${gateway.base}/v1/models`, "GET", key)))).every(
      ({ status }) => status !== 401,
    ),
  );
  expect(await passed([gateway], key)).toEqual({ passed: 10, refused: 190 });
}, 90_000);

test("exactly 10 pass on two processes that share Redis", async () => {
  const redis = await redisServer();
  if (isSkip(redis)) return console.warn(`skipped: ${redis.skip}`);
  // Exactness is tested here, not haste: on a busy machine a burst may take longer than a request's usual patience.
  const folder = mkdtempSync(join(tmpdir(), "gateway-"));
  const profile = join(folder, "patient.json");
  await Bun.write(
    profile,
    JSON.stringify({ title: "Patient", extends: "default", plugins: { "storage/redis": { config: { commandTimeoutMs: 10_000 } } } }),
  );
  const env = { REDIS_URL: redis.url, GATEWAY_PROFILE: profile };
  const one = await start({ dataDir: folder, env });
  const two = await start({ dataDir: folder, env });
  expect(await passed([one, two], await limitedKey(one))).toEqual({ passed: 10, refused: 190 });
}, 90_000);

test(verifies("D4.429-when", "a refused request says which limit, and when to come back"), async () => {
  const gateway = await start();
  const key = await limitedKey(gateway);
  await passed([gateway], key);
  const refused = await chat({ base: gateway.base, gatewayKey: key }, {});
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(refused.text).toContain("10");
}, 90_000);
