/** Limits are exact under concurrency: two processes, every store that counts for several of them. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "bun:test";
import { ADMIN_KEY, ask, chat, type GatewayProcess, startGateway } from "../e2e/process.ts";
import { isSkip, newDatabase, postgresServer, redisServer } from "../servers/index.ts";

const running: GatewayProcess[] = [];
afterEach(async () => {
  await Promise.all(running.map((gateway) => gateway.stop()));
  for (const gateway of running.splice(0)) gateway.remove();
});
const SECRET = "twoProcessesCountTogether0123456789abc";

/** Where two processes may count together. Exactness is tested, not haste: a burst on a busy machine may take its time. */
const COUNTERS: Readonly<Record<string, () => Promise<Readonly<Record<string, string>>>>> = {
  "one SQLite folder": async () => ({}),
  PostgreSQL: async () => {
    const server = await postgresServer();
    if (isSkip(server)) throw new Error(server.skip);
    return { DATABASE_URL: await newDatabase(server) };
  },
  Redis: async () => {
    const server = await redisServer();
    if (isSkip(server)) throw new Error(server.skip);
    return { REDIS_URL: server.url };
  },
};
const PATIENT = {
  ...{ title: "Patient", extends: "default" },
  plugins: {
    "storage/redis": { config: { commandTimeoutMs: 20_000 } },
    "storage/postgres": { config: { statementTimeoutMs: 20_000 } },
  },
};

async function pair(counters: () => Promise<Readonly<Record<string, string>>>): Promise<readonly [GatewayProcess, GatewayProcess]> {
  const dataDir = mkdtempSync(join(tmpdir(), "gateway-"));
  const profile = join(dataDir, "patient.json");
  writeFileSync(profile, JSON.stringify(PATIENT));
  const env = { ...(await counters()), GATEWAY_PROFILE: profile, GATEWAY_SECRET_KEY: SECRET };
  const one = await startGateway({ dataDir, env });
  running.push(one);
  const two = await startGateway({ dataDir, env });
  running.push(two);
  return [one, two];
}
const admin = async ({ base }: GatewayProcess, path: string, body: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> => {
  const { status, json, text } = await ask(base + path, "POST", ADMIN_KEY, { name: "ten", workspace_id: "default", ...body });
  expect({ status, text }).toMatchObject({ status: 200 });
  return json;
};
const newKey = async (gateway: GatewayProcess, more = {}): Promise<string> =>
  String((await admin(gateway, "/v2/api-keys/service", { scopes: ["completions.write"], ...more }))["key"]);

/** 200 requests at once, half on each process; how many of each status. */
async function burst(gateways: readonly GatewayProcess[], key: string, headers = {}): Promise<Readonly<Record<string, number>>> {
  const send = (i: number): Promise<{ status: number }> =>
    chat({ base: gateways[i % gateways.length]?.base ?? "", gatewayKey: key }, {}, headers);
  const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => send(i)));
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe.each(Object.keys(COUNTERS))("two processes that count in %s", (name) => {
  test("let exactly ten of two hundred through, of a key's limit and of a policy's", async () => {
    const gateways = await pair(COUNTERS[name] ?? expect.unreachable());
    const [one] = gateways;
    // A day's window: a burst falls into one of them. The policy stands before anybody has asked for it.
    await admin(one, "/v2/policies/rate-limits", {
      ...{ type: "requests", unit: "rpd", value: 10 },
      ...{ conditions: [{ key: "metadata.team", value: "red" }], group_by: [{ key: "workspace_id" }] },
    });
    const limited = await newKey(one, { rate_limits: [{ type: "requests", unit: "rpd", value: 10 }] });
    expect(await burst(gateways, limited)).toEqual({ 200: 10, 429: 190 });
    expect(await burst(gateways, await newKey(one), { "x-gateway-metadata": '{"team":"red"}' })).toEqual({ 200: 10, 429: 190 });
  }, 120_000);
});
