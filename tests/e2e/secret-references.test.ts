/** A provider's key that is kept in a Vault, from the control plane to the provider, with the official client. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import OpenAI from "openai";
import { jsonAnswer, type ReplayServer, replayServer } from "../kit/replay.ts";
import { verifies } from "../requirements/verifies.ts";
import { ADMIN_KEY, ask, GATEWAY_KEY, type GatewayProcess, startGateway } from "./process.ts";

const TOKEN = "hvs.e2e-token-0123456789";
const VALUE = "sk-kept-in-vault-0123456789";
let upstream: ReplayServer;
let vault: ReplayServer;
let gateway: GatewayProcess;

beforeAll(async () => {
  [upstream, vault] = [replayServer(), replayServer()];
  const hosts = [upstream, vault].map(({ url }) => new URL(url).host);
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: hosts.join(",") } });
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await Promise.all([upstream.close(), vault.close()]);
});

const admin = (method: string, path: string, body?: object) =>
  ask(`${gateway.base}/admin/v2${path}`, method, ADMIN_KEY, body && { ...body });
async function mapped(name: string): Promise<OpenAI> {
  const reference = {
    name,
    slug: `${name}-key`,
    manager_type: "hashicorp_vault",
    auth_config: { vault_auth_type: "token", vault_addr: vault.url, vault_token: TOKEN },
    secret_path: `secret/data/${name}`,
    secret_key: "api_key",
  };
  expect((await admin("POST", "/secret-references", reference)).status).toBe(200);
  const workspaces = await ask(`${gateway.base}/v2/workspaces`, "GET", ADMIN_KEY);
  const integration = {
    name,
    slug: name,
    ai_provider_id: "openai",
    workspace_id: "default",
    configurations: { custom_host: `${upstream.url}/v1` },
    secret_mappings: [{ target_field: "key", secret_reference_id: `${name}-key` }],
  };
  expect([workspaces.status, await admin("POST", "/integrations", integration)]).toMatchObject([expect.any(Number), { status: 200 }]);
  return new OpenAI({
    apiKey: GATEWAY_KEY,
    baseURL: `${gateway.base}/v1`,
    maxRetries: 0,
    defaultHeaders: { "x-gateway-provider": `@${name}` },
  });
}
const asked = (client: OpenAI) => client.chat.completions.create({ model: "gpt-x", messages: [{ role: "user", content: "Hello" }] });
const completion = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "gpt-x",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
};

test(
  verifies(
    "1.control-secret-references",
    verifies("A.mappings.used", "the provider gets the key that the Vault keeps, which is asked once, and nobody else sees it"),
  ),
  async () => {
    const client = await mapped("kept");
    vault.answer(jsonAnswer({ data: { data: { api_key: VALUE }, metadata: { version: 1 } } }));
    for (let i = 0; i < 3; i += 1) {
      upstream.answer(jsonAnswer(completion));
      expect((await asked(client)).choices[0]?.message.content).toBe("Hi");
      expect(upstream.received.at(-1)?.headers.get("authorization")).toBe(`Bearer ${VALUE}`);
    }
    expect(vault.received.map(({ headers }) => headers.get("x-vault-token"))).toEqual([TOKEN]);
    const shown = await Promise.all(
      ["/secret-references/kept-key", "/integrations/kept", "/secret-references"].map((path) => admin("GET", path)),
    );
    expect(gateway.output() + shown.map(({ text }) => text).join("")).not.toMatch(new RegExp(`${VALUE}|${TOKEN}`));
    expect((await admin("DELETE", "/secret-references/kept-key")).status).toBe(400);
  },
);

test(verifies("A.mappings.away", "a Vault that is away, with nothing kept, is said with the reference's name"), async () => {
  const client = await mapped("away");
  vault.answer(jsonAnswer({ errors: ["sealed"] }, { status: 503 }));
  const refusal = asked(client).catch((error: unknown) => error);
  expect(await refusal).toMatchObject({ status: 503, message: expect.stringContaining("away-key") });
  expect(gateway.output()).toContain("secret.manager_away");
  expect(gateway.output()).not.toContain(TOKEN);
});
