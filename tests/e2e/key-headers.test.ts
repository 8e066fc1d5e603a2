/** The header in which clients of a vendor's dialect say their only key: the plugin of the dialect declares it. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask, GATEWAY_KEY, type GatewayProcess, startGateway, until } from "./process.ts";

const folder = mkdtempSync(join(tmpdir(), "key-headers-"));
const running: GatewayProcess[] = [];
afterAll(async () => {
  await Promise.all(running.map((gateway) => gateway.stop()));
  for (const gateway of running) gateway.remove();
  rmSync(folder, { recursive: true });
});
async function start(disabled: readonly string[]): Promise<GatewayProcess> {
  const profile = join(folder, `profile-${disabled.length}.json`);
  const plugins = Object.fromEntries(disabled.map((name) => [name, { enabled: false }]));
  writeFileSync(profile, JSON.stringify({ title: "p", extends: "default", plugins }));
  const gateway = await startGateway({ env: { GATEWAY_PROFILE: profile } });
  running.push(gateway);
  return gateway;
}
const asked = ({ base }: GatewayProcess, headers: Readonly<Record<string, string>>) =>
  ask(
    `${base}/v1/chat/completions`,
    "POST",
    null,
    { model: "echo", messages: [{ role: "user", content: "Hello" }] },
    {
      "x-gateway-provider": "sandbox",
      ...headers,
    },
  );

describe.each([
  ["with the plugin", [], 200],
  ["without it", ["api/gemini"], 401],
] as const)("%s that declares x-goog-api-key", (_, disabled, status) => {
  let gateway: GatewayProcess;
  test(`a key there is ${status === 200 ? "the gateway's" : "nobody's"}`, async () => {
    gateway = await start(disabled);
    expect((await asked(gateway, { "x-goog-api-key": GATEWAY_KEY })).status).toBe(status);
    expect((await asked(gateway, { "x-api-key": GATEWAY_KEY })).status).toBe(200);
    const { text } = await ask(`${gateway.base}/openapi.json`, "GET", null);
    expect(text.includes("x-goog-api-key")).toBe(status === 200);
  }, 30_000);
  test("a key there is in no log", async () => {
    const { headers } = await asked(gateway, { "x-gateway-api-key": GATEWAY_KEY, "x-goog-api-key": "a-key-of-the-vendor" });
    const record = `${gateway.base}/v1/logs/${headers.get("x-gateway-request-id")}`;
    const log = await until("it is logged", async () => {
      const found = await ask(record, "GET", GATEWAY_KEY);
      return found.status === 200 ? found.text : undefined;
    });
    expect([log.includes('"x-goog-api-key":"*****"'), log.includes("a-key-of-the-vendor")]).toEqual([true, false]);
  });
});
