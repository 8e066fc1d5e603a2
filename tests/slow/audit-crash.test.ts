/** A gateway that is killed while it writes: each write is there with its entry of the audit log, or neither is. */
import { afterAll, expect, test } from "bun:test";
import { ADMIN_KEY, ask, type GatewayProcess, SOURCE, startGateway, until } from "../e2e/process.ts";
import { isSkip, newDatabase, postgresServer } from "../servers/index.ts";

const WRITES = 1_000;
const KILLS = 4;
const WRITERS = 6;
const SECRET = "auditCrashTestsSecretKey0123456789";

const started: GatewayProcess[] = [];
afterAll(async () => {
  for (const gateway of started) await gateway.stop("SIGKILL");
  for (const gateway of started) gateway.remove();
});

const policy = (name: string): Record<string, unknown> => ({
  ...{ name, workspace_id: "default", type: "requests", unit: "rpd", value: 1_000_000 },
  ...{ conditions: [{ key: "api_key", value: "*" }], group_by: [{ key: "api_key" }] },
});

/** Makes policies until so many are acknowledged in all, or the gateway is gone. */
async function write(gateway: GatewayProcess, acknowledged: string[], most: number): Promise<void> {
  const writer = async (): Promise<void> => {
    while (acknowledged.length < most) {
      const made = await ask(`${gateway.base}/v2/policies/rate-limits`, "POST", ADMIN_KEY, policy(crypto.randomUUID())).catch(
        () => undefined,
      );
      if (made?.status !== 200) return;
      acknowledged.push(String(made.json["id"]));
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
}

/** All ids that a list names, page by page. */
async function all(gateway: GatewayProcess, path: string, members: string, id: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (let page = 0; ; page += 1) {
    const { json } = await ask(`${gateway.base}${path}&page_size=100&current_page=${page}`, "GET", ADMIN_KEY);
    const items = (json[members] ?? []) as Record<string, unknown>[];
    found.push(...items.map((item) => String(item[id])));
    if (items.length < 100) return found;
  }
}

async function verified(env: Record<string, string>, dataDir: string): Promise<string> {
  const at = { ...process.env, ...env, GATEWAY_DATA_DIR: dataDir };
  const child = Bun.spawn([...SOURCE, "audit", "verify"], { env: at, stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
  return `${code} ${out}${err}`;
}

test.each(["SQLite", "PostgreSQL"])(
  "kill -9 in the middle of a thousand writes keeps each with its entry, on %s",
  async (name) => {
    const server = name === "PostgreSQL" ? await postgresServer() : undefined;
    if (server && isSkip(server)) throw new Error(server.skip);
    const env: Record<string, string> = { GATEWAY_SECRET_KEY: SECRET };
    if (server) env["DATABASE_URL"] = await newDatabase(server);
    const acknowledged: string[] = [];
    let gateway = await startGateway({ env });
    started.push(gateway);
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const due = (kill * WRITES) / (KILLS + 1);
      const load = write(gateway, acknowledged, WRITES);
      await until(`${Math.floor(due)} are written`, () => acknowledged.length >= due, 60_000);
      await gateway.stop("SIGKILL"); // with writers under way
      await load;
      gateway = await startGateway({ env, dataDir: gateway.dataDir });
      started.push(gateway);
    }
    await write(gateway, acknowledged, WRITES);
    const records = await all(gateway, "/v2/policies/rate-limits?workspace_id=default", "data", "id");
    const entries = await all(gateway, "/v2/audit-logs?resource_type=rate_limit_policies", "records", "resource_id");
    const told = new Set(entries);
    const there = new Set(records);
    expect(acknowledged.length).toBeGreaterThanOrEqual(WRITES);
    expect({
      lost: acknowledged.filter((id) => !there.has(id)),
      untold: records.filter((id) => !told.has(id)),
      invented: entries.filter((id) => !there.has(id)),
      doubled: entries.length - told.size,
    }).toEqual({ lost: [], untold: [], invented: [], doubled: 0 });
    expect(await verified(env, gateway.dataDir)).toStartWith("0 ");
    console.log(`${name}: ${records.length} records and as many entries after ${KILLS} kills, ${acknowledged.length} acknowledged`);
  },
  300_000,
);
