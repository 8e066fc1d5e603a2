/** kill -9 under load: what was acknowledged is there after the next start. */
import { afterAll, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { ADMIN_KEY, ask, type GatewayProcess, startGateway, until } from "../e2e/process.ts";
import { writeUntilGone } from "./writers.ts";

const started: GatewayProcess[] = [];
afterAll(async () => {
  for (const gateway of started) await gateway.stop("SIGKILL");
  started[0]?.remove();
});

test("kill -9 under load loses no acknowledged record", async () => {
  let gateway = await startGateway();
  started.push(gateway);
  const acknowledged: string[] = [];
  const logged: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    const load = writeUntilGone(gateway, { acknowledged, logged });
    const enough = acknowledged.length + 150;
    await until("some writes are acknowledged", () => acknowledged.length >= enough, 30_000);
    await gateway.stop("SIGKILL");
    await load;
    gateway = await startGateway({ dataDir: gateway.dataDir });
    started.push(gateway);
  }
  const missing = [];
  for (const id of acknowledged)
    if ((await ask(`${gateway.base}/v2/policies/rate-limits/${id}`, "GET", ADMIN_KEY)).status !== 200) missing.push(id);
  const lost = [];
  for (const id of logged) if ((await ask(`${gateway.base}/v1/logs/${id}`, "GET", gateway.gatewayKey)).status !== 200) lost.push(id);
  console.log(`acknowledged: ${acknowledged.length} records, ${logged.length} log records seen before a kill`);
  expect(missing).toEqual([]);
  expect(lost).toEqual([]);
  await gateway.stop();
  for (const file of ["main.db", "logs.db"]) {
    const database = new Database(join(gateway.dataDir, file), { readonly: true });
    expect(database.query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
    database.close();
  }
}, 180_000);
