/** The database's journal, or the whole data folder, taken away under a running gateway: what it answers, what it keeps, how to go on. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { ADMIN_KEY, ask, chat, type GatewayProcess, SOURCE, startGateway, until } from "./process.ts";

setDefaultTimeout(60_000);
const on: { gateway?: GatewayProcess; removed?: GatewayProcess } = {};
beforeAll(async () => {
  on.gateway = await startGateway();
});
afterAll(async () => {
  for (const gateway of [on.gateway, on.removed]) {
    await gateway?.stop("SIGKILL");
    gateway?.remove();
  }
});

const create = (base: string, name: string) =>
  ask(`${base}/v2/configs`, "POST", ADMIN_KEY, { name, config: { retry: { attempts: 1 } }, workspace_id: "default" });

test("writes are 503 with a sentence, requests go on, and the saved file goes on where the gateway stopped", async () => {
  const { base, dataDir, output, stop } = on.gateway ?? expect.unreachable("it runs from beforeAll on");
  expect((await create(base, "before")).status).toBe(200);
  expect((await chat({ base, gatewayKey: on.gateway?.gatewayKey ?? "" }, {})).status).toBe(200);
  for (const end of ["-wal", "-shm"]) renameSync(join(dataDir, `main.db${end}`), join(dataDir, `taken${end}`));

  const refused = await create(base, "after");
  const [saved = ""] = readdirSync(dataDir).filter((name) => name.startsWith("main.db.saved-"));
  expect(refused.status).toBe(503);
  expect(refused.text).toContain(
    "The records storage cannot be used: main.db takes no more writes, because another program has removed main.db-wal",
  );
  expect(refused.text).toContain(`was saved to ${saved}, beside it. Stop the gateway, put that file in the place of main.db`);
  expect(refused.headers.get("retry-after")).not.toBeNull();
  expect((await ask(`${base}/v2/configs`, "GET", ADMIN_KEY)).text).toContain('"name":"before"');
  expect((await chat({ base, gatewayKey: on.gateway?.gatewayKey ?? "" }, {})).status).toBe(200);
  for (let again = 0; again < 5; again += 1) expect((await create(base, "after")).status).toBe(503);
  expect([output().match(/storage\.lost/g), output().match(/feed\.away/g)].map((lines) => lines?.length)).toEqual([1, 1]);

  await stop("SIGKILL");
  const { DATABASE_URL: _d, REDIS_URL: _r, ...inherited } = process.env;
  const { exitCode, stderr } = Bun.spawnSync([...SOURCE, "serve"], {
    env: { ...inherited, PORT: "0", GATEWAY_DATA_DIR: dataDir },
    stderr: "pipe",
  });
  expect(exitCode).toBe(1);
  expect(stderr.toString()).toContain(`${saved} beside it holds what was written last, and main.db does not`);
  for (const end of ["", "-wal", "-shm"]) rmSync(join(dataDir, `main.db${end}`), { force: true });
  renameSync(join(dataDir, saved), join(dataDir, "main.db"));
  on.gateway = await startGateway({ dataDir });
  expect((await ask(`${on.gateway.base}/v2/configs`, "GET", ADMIN_KEY)).text).toContain('"name":"before"');
  expect((await create(on.gateway.base, "again")).status).toBe(200);
});

test("of a data folder that is removed under a running gateway all that is needed to go on is written again, the secret key too", async () => {
  const { base, dataDir, output, stop } = (on.removed = await startGateway());
  expect((await create(base, "before")).status).toBe(200);
  const key = readFileSync(join(dataDir, "secret.key"), "utf8");
  rmSync(dataDir, { recursive: true });
  expect((await create(base, "after")).status).toBe(503);
  const saved = await until("both databases are saved", () => {
    const names = readdirSync(dataDir).filter((name) => name.includes(".saved-"));
    return names.length === 2 && names;
  });
  await until("the key is back", () => existsSync(join(dataDir, "secret.key")));
  expect(readFileSync(join(dataDir, "secret.key"), "utf8")).toBe(key);
  expect((statSync(join(dataDir, "secret.key")).mode & 0o777).toString(8)).toBe("600");
  expect(output()).toContain("secret-key.put_back");
  expect(output()).not.toContain(key.trim());

  await stop("SIGKILL");
  for (const name of saved) renameSync(join(dataDir, name), join(dataDir, name.replace(/\.saved-.*/, "")));
  on.removed = await startGateway({ dataDir });
  expect((await ask(`${on.removed.base}/v2/configs`, "GET", ADMIN_KEY)).text).toContain('"name":"before"');
});
