/** A job of one process in the deployment: two real processes, one of which is killed in the middle of a run. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verifies } from "../requirements/verifies.ts";
import { isSkip, newDatabase, postgresServer, redisServer } from "../servers/index.ts";
import { ask, type GatewayProcess, startGateway, until } from "./process.ts";

const SOURCE = join(import.meta.dir, "../external/turns");
const SECRET = "twoProcessesShareThisSecretKey0123456789";
let home: string;
let profile: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "gateway-turns-"));
  const folder = join(home, "plugins/turns");
  const built = Bun.spawnSync(
    [process.execPath, "build", join(SOURCE, "index.ts"), "--target", "bun", "--outfile", join(folder, "dist/index.js")],
    { cwd: SOURCE },
  );
  if (built.exitCode !== 0) throw new Error(built.stderr.toString());
  cpSync(join(SOURCE, "manifest.json"), join(folder, "manifest.json"));
  profile = join(home, "profile.json");
  writeFileSync(profile, JSON.stringify({ title: "Turns", extends: "default", pluginsDir: "plugins" }));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const running: GatewayProcess[] = [];
afterEach(async () => {
  await Promise.all(running.map((gateway) => gateway.stop()));
  for (const gateway of running.splice(0)) gateway.remove();
});
const start = async (env: Record<string, string>, dataDir?: string): Promise<GatewayProcess> => {
  const shared = { ...env, GATEWAY_PROFILE: profile, GATEWAY_SECRET_KEY: SECRET };
  const gateway = await startGateway({ env: shared, ...(dataDir !== undefined && { dataDir }) });
  running.push(gateway);
  return gateway;
};
const times = (gateway: GatewayProcess, event: string): number => gateway.output().split(event).length - 1;

interface JobDetail {
  readonly runs: string;
  readonly running: boolean;
}
async function jobOf({ base }: GatewayProcess): Promise<JobDetail | undefined> {
  const status = await ask(`${base}/status`, "GET", null);
  return (status.json as { parts?: Record<string, { detail: JobDetail }> }).parts?.["job/exporter/turns:long"]?.detail;
}

/** Where processes may share their truth. */
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
  test(verifies("D7.kept.jobs", "one process does the job, another takes over when it is killed, and the next when it ends"), async () => {
    const env = (await SHARED[name]?.()) ?? {};
    if ("skip" in env) return console.warn(`skipped: ${env["skip"]}`);
    const first = await start(env);
    await until("the first one's turn", () => times(first, "turn.begun") === 1);
    expect(await jobOf(first)).toMatchObject({ runs: "one", running: true });

    const second = await start(env, first.dataDir);
    await until("the second one shows the job", async () => (await jobOf(second)) !== undefined);
    expect(await jobOf(second)).toMatchObject({ runs: "one", running: false });

    await first.stop("SIGKILL");
    expect(times(second, "turn.begun")).toBe(0);
    await until("the second one's turn", () => times(second, "turn.begun") === 1, 30_000);

    const third = await start(env, first.dataDir);
    await second.stop();
    expect(times(second, "turn.ended")).toBe(1);
    await until("the third one's turn", () => times(third, "turn.begun") === 1, 30_000);
  }, 90_000);
});
