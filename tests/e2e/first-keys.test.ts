/** A data folder of an older build, whose first gateway key held every scope of its workspace. */
import { afterEach, expect, test } from "bun:test";
import { type Json, scopesOf } from "#contract";
import { ADMIN_KEY, ask, chat, GATEWAY_KEY, type GatewayProcess, SOURCE, startGateway, until } from "./process.ts";

const running: GatewayProcess[] = [];
afterEach(async () => {
  for (const gateway of running.splice(0)) {
    await gateway.stop();
    gateway.remove();
  }
});
async function start(dataDir?: string): Promise<GatewayProcess> {
  const gateway = await startGateway({ ...(dataDir !== undefined && { dataDir }) });
  running.push(gateway);
  return gateway;
}
/** What an operator types beside the running gateway. */
async function command(dataDir: string, ...words: readonly string[]): Promise<{ code: number; printed: string }> {
  const env = { ...process.env, GATEWAY_DATA_DIR: dataDir, PORT: "0" };
  const child = Bun.spawn([...SOURCE, ...words], { env, stdout: "pipe", stderr: "pipe" });
  const printed = await new Response(child.stdout).text();
  return { code: await child.exited, printed };
}
const firstKey = async ({ base }: GatewayProcess): Promise<Json> => {
  const { json } = await ask(`${base}/v2/api-keys?page_size=100`, "GET", ADMIN_KEY);
  const found = (json["data"] as unknown as Json[]).find(({ name }) => name === "First gateway key"); // what the list holds
  return found ?? expect.unreachable();
};
const WIDE = scopesOf("workspace-service");
const CONFIGS = "/v2/configs";

test("a first gateway key that its operator narrowed is not called wide", async () => {
  const before = await start();
  const { id } = await firstKey(before);
  await ask(`${before.base}/v2/api-keys/${String(id)}`, "PUT", ADMIN_KEY, { scopes: ["completions.write", "models.list"] });
  await before.stop();
  const gateway = await start(before.dataDir);
  expect((await chat(gateway, {})).status).toBe(200);
  expect(gateway.output()).not.toContain("gateway-key.wide");
}, 30_000);

test("the first gateway key of a new data folder holds the data plane, and the start says nothing of it", async () => {
  const gateway = await start();
  expect(await firstKey(gateway)).toMatchObject({ scopes: ["data_plane.*"] });
  expect(gateway.output()).not.toContain("gateway-key.wide");
});

test("a wide first gateway key is kept, each start says once how to narrow it, and the command narrows it while the gateway runs", async () => {
  const before = await start();
  const { id } = await firstKey(before);
  expect((await ask(`${before.base}/v2/api-keys/${String(id)}`, "PUT", ADMIN_KEY, { scopes: WIDE })).status).toBe(200);
  await before.stop();

  const gateway = await start(before.dataDir);
  expect(await firstKey(gateway)).toMatchObject({ scopes: [...WIDE] });
  expect((await ask(gateway.base + CONFIGS, "GET", GATEWAY_KEY)).status).toBe(200);
  const warnings = (): number => gateway.output().split("gateway keys narrow").length - 1;
  await until("the start says it", () => warnings() === 1);

  expect(await command(gateway.dataDir, "keys", "narrow")).toMatchObject({ code: 0, printed: expect.stringContaining("configs.create") });
  await until("the running gateway has heard", async () => (await ask(gateway.base + CONFIGS, "GET", GATEWAY_KEY)).status === 403, 1_000);
  expect((await chat(gateway, {})).status).toBe(200);
  expect(await firstKey(gateway)).toMatchObject({ id, scopes: ["data_plane.*"] });
  expect(await command(gateway.dataDir, "keys", "narrow")).toMatchObject({
    code: 0,
    printed: expect.stringContaining("Nothing to narrow"),
  });
  expect(warnings()).toBe(1);
}, 30_000);

test("keys without a verb is a wrong command line", async () => {
  expect((await command("./data", "keys")).code).toBe(2);
});
