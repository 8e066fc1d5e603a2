/** What is withdrawn on one process is withdrawn on the other within a second, however warm it was there. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { isSkip, newDatabase, postgresServer } from "../../servers/index.ts";
import { verifies } from "../../requirements/verifies.ts";
import { at, bodyOf, type Json } from "../endpoints/api.ts";
import { ADMIN_KEY, ask, chat, type GatewayProcess, startGateway, until } from "../process.ts";

const running: GatewayProcess[] = [];
beforeAll(async () => {
  const server = await postgresServer();
  if (isSkip(server)) throw new Error(server.skip);
  const env = { DATABASE_URL: await newDatabase(server), GATEWAY_SECRET_KEY: "withdrawnOnBothProcesses0123456789ab" };
  for (const _ of [1, 2]) running.push(await startGateway({ env }));
}, 60_000);
afterAll(async () => {
  await Promise.all(running.map((gateway) => gateway.stop()));
  for (const gateway of running) gateway.remove();
});
const process = (i: number): GatewayProcess => running[i] ?? expect.unreachable();
const admin = async (method: string, path: string, body?: Json): Promise<Json> =>
  bodyOf(await ask(process(0).base + path, method, ADMIN_KEY, body));

/** A member of a new workspace who has a user key there; the second process knows it. */
async function member(name: string) {
  const workspace = await admin("POST", "/v2/admin/workspaces", { name });
  const workspaces = [{ id: workspace["id"], role: "manager" }];
  const email = `${name.toLowerCase()}@withdrawn.example`;
  const invite = { email, role: "member", workspaces, workspace_api_key_details: { scopes: ["*"] } };
  const link = String((await admin("POST", "/v2/admin/users/invites", invite))["invite_link"]);
  const accepted = bodyOf(await ask(link, "POST", null, { first_name: "Ada", last_name: name }));
  const key = String(at(accepted, "api_keys", "0", "key"));
  const allowed = {
    chats: async (): Promise<boolean> => (await chat({ base: process(1).base, gatewayKey: key }, {})).status === 200,
    writes: async (): Promise<boolean> => {
      const config = { name: "theirs", config: { retry: { attempts: 1 } } };
      return (await ask(`${process(1).base}/v2/configs`, "POST", key, config)).status === 200;
    },
  };
  await until("the key works on the other process", allowed.chats);
  expect(await allowed.writes()).toBeTrue();
  return {
    path: `/v2/admin/workspaces/${String(workspace["id"])}/users/${String(accepted["id"])}`,
    keyId: at(accepted, "api_keys", "0", "id"),
    allowed,
  };
}

test(verifies("R.at-once", "a role that is lowered bites on the other process within a second"), async () => {
  const { path, allowed } = await member("Lowered");
  await admin("PUT", path, { role: "member" });
  await until("what only managers may do is refused", async () => !(await allowed.writes()), 1_000);
  expect(await allowed.chats()).toBeTrue();
}, 30_000);
test(verifies("R.at-once", "a membership that is ended ends there too"), async () => {
  const { path, allowed } = await member("Ended");
  await admin("DELETE", path);
  await until("the key is refused", async () => !(await allowed.chats()), 1_000);
}, 30_000);
test(verifies("R.at-once", "a key that is deleted is refused there"), async () => {
  const { keyId, allowed } = await member("Deleted");
  await admin("DELETE", `/v2/api-keys/${String(keyId)}`);
  await until("the key is refused", async () => !(await allowed.chats()), 1_000);
}, 30_000);
