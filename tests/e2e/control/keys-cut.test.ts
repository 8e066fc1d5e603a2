/** Rotations that are cut off: real processes, killed in the middle. */
import { afterEach, describe, expect, test } from "bun:test";
import postgres from "postgres";
import { verifies } from "../../requirements/verifies.ts";
import { isSkip, newDatabase, postgresServer } from "../../servers/index.ts";
import { ADMIN_KEY, ask, chat, type GatewayProcess, startGateway, until } from "../process.ts";

const SECRET = "keysThatAreCutOffSecretKey0123456789";
const running: GatewayProcess[] = [];
afterEach(async () => {
  await Promise.all(running.map((gateway) => gateway.stop("SIGKILL")));
  for (const gateway of running.splice(0)) gateway.remove();
});
const start = async (env: Readonly<Record<string, string>>, dataDir?: string): Promise<GatewayProcess> => {
  const gateway = await startGateway({ env: { ...env, GATEWAY_SECRET_KEY: SECRET }, ...(dataDir !== undefined && { dataDir }) });
  running.push(gateway);
  return gateway;
};
const database = async (): Promise<string> => {
  const server = await postgresServer();
  if (isSkip(server)) throw new Error(server.skip);
  return newDatabase(server);
};
interface Made {
  readonly id: string;
  readonly key: string;
}
const admin = ({ base }: GatewayProcess, method: string, path: string, body?: Readonly<Record<string, unknown>>) =>
  ask(base + path, method, ADMIN_KEY, body);
async function newKey(gateway: GatewayProcess): Promise<Made> {
  const body = { name: "cut", workspace_id: "default", scopes: ["completions.write"] };
  const { json } = await admin(gateway, "POST", "/v2/api-keys/service", body);
  return { id: String(json["id"]), key: String(json["key"]) };
}
const works = async ({ base }: GatewayProcess, gatewayKey: string): Promise<boolean> =>
  (await chat({ base, gatewayKey }, {})).status === 200;

describe.each(["SQLite", "PostgreSQL"])("a rotation by request, on %s", (name) => {
  test(verifies(
    "K.rotate-cut",
    "that is cut off before or after its write leaves a key that works, and a secret that can be read",
  ), async () => {
    const env = name === "PostgreSQL" ? { DATABASE_URL: await database() } : {};
    const gateway = await start(env);
    const keys: Made[] = [];
    for (let count = 0; count < 60; count += 1) keys.push(await newKey(gateway));
    const answered = new Map<string, string>();
    const rotations = keys.map(async ({ id }) => {
      const answer = await admin(gateway, "POST", `/v2/api-keys/${id}/rotate`);
      if (answer.status === 200) answered.set(id, String(answer.json["key"]));
    });
    await Promise.any(rotations);
    await gateway.stop("SIGKILL");
    await Promise.allSettled(rotations);

    const again = await start(env, gateway.dataDir);
    for (const { id, key } of keys) {
      expect(await works(again, key)).toBe(true);
      const { rotated_at } = (await admin(again, "GET", `/v2/api-keys/${id}`)).json;
      const kept = await admin(again, "GET", `/v2/api-keys/${id}/secret`);
      expect(kept.status).toBe(rotated_at === null ? 404 : 200);
      if (kept.status === 200) expect(await works(again, String(kept.json["key"]))).toBe(true);
      if (answered.has(id)) expect(kept.json["key"] as unknown).toBe(answered.get(id));
      if (rotated_at === null) expect((await admin(again, "POST", `/v2/api-keys/${id}/rotate`)).status).toBe(200);
    }
  }, 120_000);
});

const JOB = "job/admin/api-keys:api-keys";
async function isHolder({ base }: GatewayProcess): Promise<boolean> {
  const { parts } = (await ask(`${base}/status`, "GET", null)).json as { parts?: Record<string, { detail: { running: boolean } }> };
  return parts?.[JOB]?.detail.running === true;
}
const MANY = 4_000;
/** As many keys as one, due now; each is known by its digest. */
const copies = (sql: postgres.Sql, id: string) => sql`
  insert into api_keys (id, created_at, last_updated_at, organisation_id, workspace_id, created_by, type, creation_mode, name,
    digest, masked_key, status, scopes, rate_limits, defaults, alert_emails, rotation_policy, next_rotation_at)
  select gen_random_uuid()::text, created_at, last_updated_at, organisation_id, workspace_id, created_by, type, creation_mode, 'copy ' || n,
    'digest ' || n, masked_key, status, scopes, rate_limits, defaults, alert_emails, '{"rotation_period":"weekly"}', 1
  from api_keys, generate_series(1, ${MANY}) n where id = ${id}`;

test(verifies(
  "K.schedule-once",
  "keys that are due are rotated once each, also when the process that does it is killed in the middle",
), async () => {
  const DATABASE_URL = await database();
  const env = { DATABASE_URL, API_KEY_JOB_INTERVAL: "1" };
  const both = [await start(env), await start(env)];
  const sql = postgres(DATABASE_URL, { max: 1, onnotice: () => undefined });
  try {
    const { id } = await newKey(both[0] ?? expect.unreachable());
    const rotated = async (): Promise<number> =>
      Number((await sql`select count(*) as n from api_keys where name like 'copy %' and rotated_at is not null`)[0]?.["n"]);
    await copies(sql, id);
    await until("the first keys are rotated", async () => (await rotated()) > 0, 30_000);
    const holder = await until("one process holds the job", () => holding(both));
    await holder.stop("SIGKILL");
    const before = await rotated();
    expect(before).toBeLessThan(MANY);
    await until("the other process did the rest", async () => (await rotated()) === MANY, 120_000);
    const twice = await sql`select name from api_keys where name like 'copy %' and previous_digest <> 'digest ' || substr(name, 6)`;
    expect(twice).toHaveLength(0);
  } finally {
    await sql.end();
  }
}, 240_000);
async function holding(gateways: readonly GatewayProcess[]): Promise<GatewayProcess | undefined> {
  for (const gateway of gateways) if (await isHolder(gateway)) return gateway;
  return undefined;
}

test(verifies("K.transition", "another process knows both secrets, and refuses the one before by the clock, with no worker"), async () => {
  const DATABASE_URL = await database();
  const [one, two] = [
    await start({ DATABASE_URL, API_KEY_JOB_INTERVAL: "3600" }),
    await start({ DATABASE_URL, API_KEY_JOB_INTERVAL: "3600" }),
  ];
  const { id, key } = await newKey(one);
  await until("the key works on the other process", () => works(two, key));
  const next = String((await admin(one, "POST", `/v2/api-keys/${id}/rotate`)).json["key"]);
  await until("the new secret works on the other process", () => works(two, next));
  for (const gateway of [one, two]) expect(await works(gateway, key)).toBe(true);

  const sql = postgres(DATABASE_URL, { max: 1, onnotice: () => undefined });
  await sql`update api_keys set key_transition_expires_at = ${Date.now() + 3_000} where id = ${id}`;
  await sql.end();
  expect((await admin(one, "PUT", `/v2/api-keys/${id}`, { description: "ends soon" })).status).toBe(200); // both hear of it
  for (const gateway of [one, two]) {
    await until("the secret before is refused", async () => !(await works(gateway, key)), 10_000);
    expect((await chat({ base: gateway.base, gatewayKey: key }, {})).status).toBe(401);
    expect(await works(gateway, next)).toBe(true);
  }
}, 60_000);
