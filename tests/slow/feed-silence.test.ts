/** The feed of two processes falls silent: what changes meanwhile is seen all the same, and what is known goes on. */
import { afterEach, describe, expect, test } from "bun:test";
import postgres from "postgres";
import { isSkip, newDatabase, ownPostgres, ownRedis, postgresServer } from "../servers/index.ts";
import { ADMIN_KEY, type Answer, ask, chat, type GatewayProcess, startGateway, until } from "../e2e/process.ts";

const SECRET = "silentFeedsShareThisSecretKey0123456789";
/** 2 s until the silence is known, 5 s of age, and what a request takes. */
const SEEN_MS = 7_500;

const running: GatewayProcess[] = [];
type OwnServer = Exclude<Awaited<ReturnType<typeof ownRedis>>, { readonly skip: string }>;
const servers: OwnServer[] = [];
afterEach(async () => {
  await Promise.all(running.map((gateway) => gateway.stop()));
  for (const gateway of running.splice(0)) gateway.remove();
  for (const server of servers.splice(0)) await server.remove();
});
async function start(env: Readonly<Record<string, string>>, dataDir?: string): Promise<GatewayProcess> {
  const gateway = await startGateway({ env: { ...env, GATEWAY_SECRET_KEY: SECRET }, ...(dataDir !== undefined && { dataDir }) });
  running.push(gateway);
  return gateway;
}
const admin = (at: GatewayProcess, method: string, path: string, body?: Readonly<Record<string, unknown>>): Promise<Answer> =>
  ask(at.base + path, method, ADMIN_KEY, body);
async function newKey(at: GatewayProcess): Promise<{ id: string; secret: string }> {
  const { json, status } = await admin(at, "POST", "/v2/api-keys/service", {
    ...{ name: "k", workspace_id: "default", scopes: ["completions.write"] },
  });
  expect(status).toBe(200);
  return { id: String(json["id"]), secret: String(json["key"]) };
}
const used = async (at: GatewayProcess, secret: string): Promise<number> => (await chat({ base: at.base, gatewayKey: secret }, {})).status;

async function twoNodes(): Promise<{ one: GatewayProcess; two: GatewayProcess; database: OwnServer; redis: OwnServer }> {
  const [database, redis] = [await ownPostgres(), await ownRedis()];
  if (isSkip(database) || isSkip(redis)) throw new Error("PostgreSQL and Redis are needed");
  servers.push(database, redis);
  const env = { DATABASE_URL: await newDatabase(database), REDIS_URL: redis.url };
  const one = await start(env);
  return { one, two: await start(env, one.dataDir), database, redis };
}

describe("PostgreSQL and Redis, Redis away", () => {
  test("a key that is deleted, limited or narrowed on one node is refused on the other within seven seconds", async () => {
    const { one, two, redis } = await twoNodes();
    const [deleted, limited, narrowed, kept] = await Promise.all([newKey(one), newKey(one), newKey(one), newKey(one)]);
    const keys = [deleted, limited, narrowed, kept];
    for (const { secret } of keys) expect(await used(two, secret)).toBe(200);
    await redis.stop();
    await until("the first node knows that Redis is away", () => one.output().includes("redis.unreachable"));
    expect((await admin(one, "DELETE", `/v2/api-keys/${deleted.id}`)).status).toBe(200);
    expect((await admin(one, "PUT", `/v2/api-keys/${limited.id}`, { rate_limits: [{ unit: "rph", value: 0 }] })).status).toBe(200);
    expect((await admin(one, "PUT", `/v2/api-keys/${narrowed.id}`, { scopes: ["models.list"] })).status).toBe(200);
    const changedAt = performance.now();
    await until("the deleted key is refused", async () => (await used(two, deleted.secret)) === 401, SEEN_MS);
    await until("the narrowed key is refused", async () => (await used(two, narrowed.secret)) === 403, SEEN_MS);
    // Redis counts, so a limit cannot be judged now: that it is known shows in the refusal.
    await until("the limit is known", async () => (await used(two, limited.secret)) === 503, SEEN_MS);
    const seen = performance.now() - changedAt;
    console.log(`seen ${seen.toFixed(0)} ms after the change`);
    expect(seen).toBeLessThan(SEEN_MS);
    expect(await used(two, kept.secret)).toBe(200);
    expect(two.output().split("feed.silent")).toHaveLength(2);
    await redis.start();
    await until("the limit is judged again", async () => (await used(two, limited.secret)) === 429, 5_000);
    await until("the feed is heard again", () => two.output().includes("feed.heard"), 5_000);
    expect(await used(two, deleted.secret)).toBe(401);
  }, 60_000);

  test("with PostgreSQL away as well what is known goes on, and both coming back is enough", async () => {
    const { one, two, database, redis } = await twoNodes();
    const [known, cold, doomed] = await Promise.all([newKey(one), newKey(one), newKey(one)]);
    for (const { secret } of [known, doomed]) expect(await used(two, secret)).toBe(200);
    await Promise.all([redis.stop(), database.stop()]);
    const until12s = performance.now() + 12_000;
    const statuses = new Set<number>();
    while (performance.now() < until12s) statuses.add(await used(two, known.secret));
    expect([...statuses]).toEqual([200]);
    expect(await used(two, cold.secret)).toBe(503);
    await redis.start(); // the feed first: what was missed is doubted, and goes on while nothing better can be read
    await until("the feed is heard again", () => two.output().includes("feed.heard"), 5_000);
    expect(await used(two, known.secret)).toBe(200);
    await database.start();
    const backAt = performance.now();
    await until("a key nobody used is judged", async () => (await used(two, cold.secret)) === 200, 5_000);
    await until("the other node reaches it too", async () => (await admin(one, "GET", `/v2/api-keys/${doomed.id}`)).status === 200, 5_000);
    expect((await admin(one, "DELETE", `/v2/api-keys/${doomed.id}`)).status).toBe(200);
    await until("a deletion is seen again", async () => (await used(two, doomed.secret)) === 401, 5_000);
    expect(performance.now() - backAt).toBeLessThan(10_000);
    expect(await used(two, known.secret)).toBe(200);
  }, 90_000);
});

/** The connection that listens asks nothing but whether the server is there. */
const CUT_LISTENERS =
  "select pg_terminate_backend(pid) from pg_stat_activity where (query = 'select 1' or query like 'listen %') and pid <> pg_backend_pid() and datname = current_database()";

test("PostgreSQL ends the connection that listens: nothing said meanwhile is missed", async () => {
  const server = await postgresServer();
  if (isSkip(server)) throw new Error("PostgreSQL is needed");
  const url = await newDatabase(server);
  const one = await start({ DATABASE_URL: url });
  const two = await start({ DATABASE_URL: url }, one.dataDir);
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    for (let round = 0; round < 5; round += 1) {
      const key = await newKey(one);
      expect(await used(two, key.secret)).toBe(200);
      await Promise.all([sql.unsafe(CUT_LISTENERS), admin(one, "DELETE", `/v2/api-keys/${key.id}`)]);
      await until("the deletion is seen", async () => (await used(two, key.secret)) === 401, 3_000);
    }
  } finally {
    await sql.end();
  }
}, 60_000);
