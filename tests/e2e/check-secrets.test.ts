/** Secret parameters of checks (a webhook's headers): sealed in the store, masked in answers, whole on the wire. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ADMIN_KEY, ask, chat, type GatewayProcess, startGateway } from "./process.ts";

const TOKEN = "canaryWebhookToken0123456789";
let gateway: GatewayProcess;
let webhook: Bun.Server<undefined>;
const seen: (string | null)[] = [];

beforeAll(async () => {
  webhook = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      seen.push(request.headers.get("x-token"));
      return Response.json({ verdict: true });
    },
  });
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: `127.0.0.1:${webhook.port}` } });
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await webhook.stop(true);
});

const feedback = (value: number) => ({ feedback: { value, weight: 1, metadata: "" } });
const checkWith = (headers: unknown) => ({
  id: "default.webhook",
  parameters: { webhookURL: `http://127.0.0.1:${webhook.port}/`, headers },
});
const shownHeaders = async (slug: string): Promise<string> => {
  const { checks } = (await ask(`${gateway.base}/v2/guardrails/${slug}`, "GET", ADMIN_KEY)).json as unknown as {
    checks: { parameters: { headers: string } }[];
  };
  return checks[0]?.parameters.headers ?? "";
};
const asked = async (slug: string): Promise<string | null | undefined> => {
  const answer = await chat(gateway, {}, { "x-gateway-config": JSON.stringify({ provider: "sandbox", input_guardrails: [slug] }) });
  expect(answer.status).toBe(200);
  return seen.at(-1);
};

test("a webhook's headers are sealed, masked, kept when sent back as shown, and sent whole", async () => {
  const actions = { deny: true, async: false, on_success: feedback(5), on_fail: feedback(-5) };
  const made = await ask(`${gateway.base}/v2/guardrails`, "POST", ADMIN_KEY, {
    name: "hook",
    workspace_id: "default",
    actions,
    checks: [checkWith({ "x-token": TOKEN })],
  });
  expect({ status: made.status, text: made.text }).toMatchObject({ status: 200 });
  const slug = String(made.json["slug"]);
  expect(await asked(slug)).toBe(TOKEN);

  const mask = await shownHeaders(slug);
  expect(mask).not.toContain(TOKEN);
  expect((await ask(`${gateway.base}/v2/guardrails/${slug}`, "PUT", ADMIN_KEY, { checks: [checkWith(mask)] })).status).toBe(200);
  expect(await asked(slug)).toBe(TOKEN);
  for (const file of ["main.db", "main.db-wal"]) expect(readFileSync(join(gateway.dataDir, file)).includes(TOKEN)).toBe(false);
});

test("wrong headers are still refused with a sentence", async () => {
  const actions = { deny: true, async: false, on_success: feedback(5), on_fail: feedback(-5) };
  const made = await ask(`${gateway.base}/v2/guardrails`, "POST", ADMIN_KEY, {
    name: "bad",
    workspace_id: "default",
    actions,
    checks: [checkWith("not json")],
  });
  expect(made.status).toBe(400);
  expect(made.text).toContain("headers must be an object");
});
