/** What new keys of a deployment begin with. */
import { afterEach, expect, test } from "bun:test";
import { verifies } from "../requirements/verifies.ts";
import { ADMIN_KEY, ask, chat, type GatewayProcess, SOURCE, startGateway } from "./process.ts";

const running: GatewayProcess[] = [];
afterEach(async () => {
  await Promise.all(running.map((gateway) => gateway.stop()));
  for (const gateway of running.splice(0)) gateway.remove();
});
async function start(prefix: string, dataDir?: string): Promise<GatewayProcess> {
  const gateway = await startGateway({ env: { API_KEY_PREFIX: prefix }, ...(dataDir !== undefined && { dataDir }) });
  running.push(gateway);
  return gateway;
}
const newKey = async ({ base }: GatewayProcess): Promise<Record<"id" | "key", string>> =>
  (await ask(`${base}/v2/api-keys/service`, "POST", ADMIN_KEY, { name: "k", workspace_id: "default", scopes: ["completions.write"] })).json;
const works = async (gateway: GatewayProcess, gatewayKey: string): Promise<number> =>
  (await chat({ base: gateway.base, gatewayKey }, {})).status;

test(verifies("K.prefix", "new and rotated keys begin with it; those made before, and with another one, go on working"), async () => {
  const before = await start("");
  const plain = await newKey(before);
  expect(plain.key).toMatch(/^[A-Za-z0-9]{48}$/);
  await before.stop();

  const gateway = await start("acme", before.dataDir);
  const prefixed = await newKey(gateway);
  expect(prefixed.key).toMatch(/^acme[A-Za-z0-9]{48}$/);
  const shown = await ask(`${gateway.base}/v2/api-keys/${prefixed.id}`, "GET", ADMIN_KEY);
  expect(String(shown.json["key"])).toMatch(/^acme..\*{7}..$/);
  const rotated = (await ask(`${gateway.base}/v2/api-keys/${plain.id}/rotate`, "POST", ADMIN_KEY)).json["key"];
  expect(String(rotated)).toMatch(/^acme[A-Za-z0-9]{48}$/);
  for (const key of [plain.key, prefixed.key, rotated]) expect(await works(gateway, String(key))).toBe(200);
  await gateway.stop();

  const after = await start("other", before.dataDir);
  for (const key of [plain.key, prefixed.key, rotated]) expect(await works(after, String(key))).toBe(200);
  // A key of the gateway's is no vendor's, whichever prefix it was made with.
  const given = { name: "v", ai_provider_id: "openai", key: prefixed.key };
  const refused = await ask(`${after.base}/admin/v2/integrations`, "POST", ADMIN_KEY, given);
  expect({ status: refused.status, text: refused.text }).toMatchObject({
    status: 400,
    text: expect.stringContaining("key of the gateway"),
  });
}, 60_000);

test("an invite's link works beside a prefix", async () => {
  const { base } = await start("acme");
  const invite = await ask(`${base}/v2/admin/users/invites`, "POST", ADMIN_KEY, {
    ...{ email: "prefixed@keys.example", role: "member", workspaces: [{ id: "default", role: "member" }] },
    workspace_api_key_details: { scopes: ["completions.write"] },
  });
  const accepted = await ask(String(invite.json["invite_link"]), "POST", null, { first_name: "A", last_name: "B" });
  expect(accepted.status).toBe(200);
  expect(accepted.text).toMatch(/"key":"acme[A-Za-z0-9]{48}"/);
});

test.each(["pk-", "a_b", "é", "x".repeat(33)])("the prefix %p is refused at start, with a sentence", async (prefix) => {
  const env = { ...process.env, API_KEY_PREFIX: prefix, PORT: "0", GATEWAY_DATA_DIR: "/nonexistent-and-never-made" };
  const child = Bun.spawn([...SOURCE, "serve"], { env, stdout: "pipe", stderr: "pipe" });
  expect(await child.exited).not.toBe(0);
  expect((await new Response(child.stderr).text()) + (await new Response(child.stdout).text())).toContain("API_KEY_PREFIX");
});
