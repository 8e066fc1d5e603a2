import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { isSkip, newDatabase, ownPostgres, ownRedis, postgresServer, redisServer, until } from "./index.ts";
import { findOrInstall } from "./install.ts";
import { given } from "./server.ts";

const own = { postgres: await ownPostgres(), redis: await ownRedis() };

for (const [name, server] of Object.entries(own)) {
  describe.skipIf(isSkip(server))(`a ${name} server for tests`, () => {
    if (isSkip(server)) return;

    test("stops, starts again on the same port, and leaves nothing behind", async () => {
      const pid = Number(readFileSync(join(server.folder, "server.pid"), "utf8"));
      await server.stop();
      expect(await answers(server.port)).toBe(false);
      expect(() => process.kill(pid, 0)).toThrow();
      await server.start();
      expect(await answers(server.port)).toBe(true);
      await server.remove();
      expect(existsSync(server.folder)).toBe(false);
      expect(await answers(server.port)).toBe(false);
    });
  });
}

describe.skipIf(isSkip(await postgresServer()))("the run's PostgreSQL", () => {
  test("freezes in mid-query and goes on after", async () => {
    const server = await ownPostgres();
    if (isSkip(server)) throw new Error(server.skip);
    const sql = postgres(await newDatabase(server), { max: 1 });
    await sql`select 1`;
    server.pause();
    const asked = sql`select 2 as two`.then((rows) => rows[0]?.two);
    expect(await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, 50, "silence"))])).toBe("silence");
    server.resume();
    expect(await asked).toBe(2);
    await sql.end();
    await server.remove();
  });

  test("is the same one for every caller of a run", async () => {
    expect(await postgresServer()).toBe(await postgresServer());
    expect(await redisServer()).toBe(await redisServer());
  });
});

test("a test process that is killed leaves no server and no folder", async () => {
  if (isSkip(own.redis)) return;
  const script = `import { ownRedis } from ${JSON.stringify(join(import.meta.dir, "index.ts"))};
    const server = await ownRedis(); console.log(server.folder + " " + server.port); setInterval(() => {}, 1000);`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
  const { value } = await child.stdout.getReader().read();
  const [folder = "", port] = new TextDecoder().decode(value).trim().split(" ");
  child.kill("SIGKILL");
  await until("the folder is gone", 5_000, () => !existsSync(folder));
  expect(await answers(Number(port))).toBe(false);
});

test("without the programs and without leave to install them, one line says what to install", () => {
  const before = process.env.TEST_INSTALL_SERVERS;
  process.env.TEST_INSTALL_SERVERS = "OFF";
  try {
    const outcome = findOrInstall("redis", () => undefined);
    expect(outcome).toHaveProperty("skip");
    expect("skip" in outcome && outcome.skip).toMatch(/^redis is not here; (install it with: \S.*redis|install redis).*$/);
  } finally {
    if (before === undefined) delete process.env.TEST_INSTALL_SERVERS;
    else process.env.TEST_INSTALL_SERVERS = before;
  }
});

test("a server given by URL is never stopped", () => {
  expect(() => given("TEST_REDIS_URL", "redis://127.0.0.1:6379").stop()).toThrow("not ours to stop");
});

const answers = async (port: number): Promise<boolean> => {
  try {
    const socket = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data: () => undefined } });
    socket.end();
    return true;
  } catch {
    return false; // refused: nobody listens
  }
};
