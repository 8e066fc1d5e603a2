/** Two processes of one deployment: what is written on one is seen on the other within a second. */
import { afterEach, describe, expect, test } from "bun:test";
import { isSkip, newDatabase, postgresServer, redisServer } from "../servers/index.ts";
import { ADMIN_KEY, ask, chat, type GatewayProcess, startGateway, until } from "./process.ts";

const running: GatewayProcess[] = [];
afterEach(async () => {
  await Promise.all(running.map((gateway) => gateway.stop()));
  for (const gateway of running.splice(0)) gateway.remove();
});
const start = async (options: Parameters<typeof startGateway>[0]): Promise<GatewayProcess> => {
  const gateway = await startGateway(options);
  running.push(gateway);
  return gateway;
};
const SECRET = "twoProcessesShareThisSecretKey0123456789";

/** Where two processes may share their truth. */
const SHARED: Readonly<Record<string, () => Promise<Record<string, string> | { skip: string }>>> = {
  "one SQLite folder": async () => ({}),
  PostgreSQL: async () => {
    const server = await postgresServer();
    return isSkip(server) ? server : { DATABASE_URL: await newDatabase(server) };
  },
  "PostgreSQL and Redis": async () => {
    const [postgres, redis] = [await postgresServer(), await redisServer()];
    if (isSkip(postgres)) return postgres;
    return isSkip(redis) ? redis : { DATABASE_URL: await newDatabase(postgres), REDIS_URL: redis.url };
  },
};

describe.each(Object.keys(SHARED))("two processes on %s", (name) => {
  test("see each other's changes within a second", async () => {
    const env = (await SHARED[name]?.()) ?? {};
    if ("skip" in env) return console.warn(`skipped: ${env["skip"]}`);
    const one = await start({ env: { ...env, GATEWAY_SECRET_KEY: SECRET } });
    const two = await start({ env: { ...env, GATEWAY_SECRET_KEY: SECRET }, dataDir: one.dataDir });

    const made = await ask(`${one.base}/v2/configs`, "POST", ADMIN_KEY, {
      name: "shared",
      workspace_id: "default",
      config: { provider: "sandbox", override_params: { model: "echo" } },
    });
    expect(made.status).toBe(200);
    const slug = String((made.json as unknown as { data: { slug: string } }).data.slug);
    const onTwo = (): ReturnType<typeof chat> =>
      chat(two, { model: "no-such-thing" }, { "x-gateway-config": slug, "x-gateway-provider": "" });
    await until("a new config is seen on the other process", async () => (await onTwo()).status === 200, 1_000);

    await ask(`${one.base}/v2/configs/${slug}`, "PUT", ADMIN_KEY, {
      config: { provider: "sandbox", override_params: { model: "sandbox-error-503" } },
    });
    await until("a changed config is seen on the other process", async () => (await onTwo()).status === 503, 1_000);

    await ask(`${one.base}/v2/configs/${slug}`, "DELETE", ADMIN_KEY);
    await until("a deleted config is gone on the other process", async () => (await onTwo()).status === 400, 1_000);

    const key = await ask(`${one.base}/v2/api-keys/service`, "POST", ADMIN_KEY, {
      name: "k",
      workspace_id: "default",
      scopes: ["completions.write"],
    });
    const secret = String(key.json["key"]);
    await until(
      "a new key works on the other process",
      async () => (await chat({ base: two.base, gatewayKey: secret }, {})).status === 200,
      1_000,
    );
    await ask(`${one.base}/v2/api-keys/${key.json["id"]}`, "DELETE", ADMIN_KEY);
    await until(
      "a deleted key is refused on the other process",
      async () => (await chat({ base: two.base, gatewayKey: secret }, {})).status === 401,
      1_000,
    );
  }, 30_000);
});
