/** PostgreSQL or Redis stopped for 30 s under load: 503s or the configured fallback, never 401; back within 5 s by itself. Both wait at the same time. */
import { expect, test } from "bun:test";
import { ownPostgres, ownRedis, isSkip, newDatabase, type TestServer } from "../servers/index.ts";
import { ADMIN_KEY, ask, chat, type GatewayProcess, startGateway, until } from "../e2e/process.ts";

const OUTAGE_MS = 30_000;

interface Seen {
  readonly at: number;
  readonly status: number;
}

/** Eight clients that never stop asking: each with a known key, every fourth request with one made just before the outage (cold). */
function load(gateway: GatewayProcess, keys: readonly string[]): { seen: Seen[]; stop(): Promise<void> } {
  const seen: Seen[] = [];
  let on = true;
  const client = async (who: number): Promise<void> => {
    for (let i = 0; on; i += 1) {
      const key = keys[(who + i) % keys.length] ?? gateway.gatewayKey;
      const answer = await chat({ base: gateway.base, gatewayKey: key }, {}).catch(() => undefined);
      seen.push({ at: performance.now(), status: answer?.status ?? 0 });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const clients = Promise.all(Array.from({ length: 8 }, (_, who) => client(who)));
  return {
    seen,
    stop: async () => {
      on = false;
      await clients;
    },
  };
}

async function makeKeys(gateway: GatewayProcess, count: number): Promise<string[]> {
  const keys: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const made = await ask(`${gateway.base}/v2/api-keys/service`, "POST", ADMIN_KEY, {
      name: `k${i}`,
      workspace_id: "default",
      scopes: ["completions.write"],
      rate_limits: [{ type: "requests", unit: "rpd", value: 1_000_000 }],
    });
    expect(made.status).toBe(200);
    keys.push(String(made.json["key"]));
  }
  return keys;
}

async function outage(gateway: GatewayProcess, server: TestServer): Promise<void> {
  const keys = await makeKeys(gateway, 40);
  for (const key of keys.slice(0, 20)) expect((await chat({ base: gateway.base, gatewayKey: key }, {})).status).toBe(200);
  expect((await chat(gateway, {})).status).toBe(200);
  const traffic = load(gateway, keys.slice(0, 20));
  await server.stop();
  const stoppedAt = performance.now();
  const cold = load(gateway, keys.slice(20)); // keys no request has used: they cannot be judged while the store is away
  await new Promise((resolve) => setTimeout(resolve, OUTAGE_MS));
  expect((await chat(gateway, {})).status).toBe(200); // a warm key without limits needs no store at all
  const during = [...traffic.seen, ...cold.seen].filter(({ at }) => at > stoppedAt + 2_000);
  await server.start();
  const backAt = performance.now();
  await until(
    "requests are answered again",
    async () =>
      (await chat({ base: gateway.base, gatewayKey: keys[0] ?? "" }, {})).status === 200 &&
      (await chat({ base: gateway.base, gatewayKey: keys.at(-1) ?? "" }, {})).status === 200,
    10_000,
  );
  const recovered = performance.now() - backAt;
  await traffic.stop();
  await cold.stop();
  const statuses = Object.groupBy(during, ({ status }) => String(status));
  console.log(
    `during ${OUTAGE_MS / 1000} s: ${Object.entries(statuses)
      .map(([status, list]) => `${list?.length} × ${status}`)
      .join(", ")}; recovered after ${recovered.toFixed(0)} ms`,
  );
  expect(Object.keys(statuses).filter((status) => status !== "200" && status !== "503")).toEqual([]);
  expect(during.length).toBeGreaterThan(100);
  expect(recovered).toBeLessThan(5_000);
  expect((await ask(`${gateway.base}/healthz`, "GET", null)).status).toBe(200);
}

test.concurrent("PostgreSQL away for 30 s", async () => {
  const server = await ownPostgres();
  if (isSkip(server)) return console.warn(`skipped: ${server.skip}`);
  const gateway = await startGateway({ env: { DATABASE_URL: await newDatabase(server) } });
  try {
    await outage(gateway, server);
  } finally {
    await gateway.stop();
    gateway.remove();
    await server.stop();
  }
}, 180_000);

test.concurrent("Redis away for 30 s", async () => {
  const server = await ownRedis();
  if (isSkip(server)) return console.warn(`skipped: ${server.skip}`);
  const gateway = await startGateway({ env: { REDIS_URL: server.url } });
  try {
    await outage(gateway, server);
  } finally {
    await gateway.stop();
    gateway.remove();
    await server.stop();
  }
}, 180_000);
