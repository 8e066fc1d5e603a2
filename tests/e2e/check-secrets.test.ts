/**
 * Secret parameters of checks (a webhook's headers), in saved guardrails and written out in saved configs: sealed in
 * the store, masked in answers, whole on the wire, and never sent to another address than the one they were given for.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ADMIN_KEY, type Answer, ask, chat, type GatewayProcess, startGateway } from "./process.ts";

type Json = Readonly<Record<string, unknown>>;

const TOKEN = "canaryWebhookToken0123456789";
let gateway: GatewayProcess;
let webhook: Bun.Server<undefined>;
/** What was asked at the webhook's host: where, and the token that came. */
interface WebhookRequest {
  readonly path: string;
  readonly token: string | null;
}
const seen: WebhookRequest[] = [];

beforeAll(async () => {
  webhook = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { headers, url } = request;
      seen.push({ path: new URL(url).pathname, token: headers.get("x-token") ?? headers.get("authorization") });
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

const admin = (method: string, path: string, body?: Json): Promise<Answer> => ask(`${gateway.base}/v2${path}`, method, ADMIN_KEY, body);
const webhookURL = (path = ""): string => `http://127.0.0.1:${webhook.port}/${path}`;
/** What the webhooks are asked during a chat with this config, by path. */
async function asked(config: string | Json): Promise<readonly WebhookRequest[]> {
  seen.length = 0;
  const answer = await chat(gateway, {}, { "x-gateway-config": typeof config === "string" ? config : JSON.stringify(config) });
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  return seen.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
/** The answer to what must have gone well. */
function good<Wanted>(answer: Answer): Wanted {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  return answer.json as unknown as Wanted; // of a shape the assertions look at
}
/** No file of the gateway's data folder, read as bytes, holds one of these texts. */
function expectSealed(...canaries: string[]): void {
  const files = readdirSync(gateway.dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.map(({ name }) => name)).toContain("main.db");
  for (const { name, parentPath } of files) {
    const bytes = readFileSync(join(parentPath, name));
    expect({ name, found: canaries.filter((canary) => bytes.includes(canary)) }).toEqual({ name, found: [] });
  }
}

describe("in a saved guardrail, a webhook's headers", () => {
  const feedback = (value: number) => ({ feedback: { value, weight: 1, metadata: "" } });
  const actions = { deny: true, async: false, on_success: feedback(5), on_fail: feedback(-5) };
  const checkWith = (headers: unknown, path = "") => ({ id: "default.webhook", parameters: { webhookURL: webhookURL(path), headers } });
  const make = (...checks: Json[]): Promise<Answer> =>
    admin("POST", "/guardrails", { name: "hook", workspace_id: "default", actions, checks });
  const made = async (...checks: Json[]): Promise<string> => good<{ slug: string }>(await make(...checks)).slug;
  const shown = async (slug: string) => good<{ checks: ReturnType<typeof checkWith>[] }>(await admin("GET", `/guardrails/${slug}`)).checks;
  const using = (slug: string): Json => ({ provider: "sandbox", input_guardrails: [slug] });

  test("are sealed, masked, kept when sent back as shown, and sent whole", async () => {
    const slug = await made(checkWith({ "x-token": TOKEN }));
    expect(await asked(using(slug))).toEqual([{ path: "/", token: TOKEN }]);
    const checks = await shown(slug);
    expect(JSON.stringify(checks)).not.toContain(TOKEN);
    good(await admin("PUT", `/guardrails/${slug}`, { checks }));
    expect(await asked(using(slug))).toEqual([{ path: "/", token: TOKEN }]);
    expectSealed(TOKEN);
  });

  test("stay with their webhook, in whatever order two are sent back", async () => {
    const [first, second] = ["canaryOfTheFirst", "canaryOfTheSecond"];
    const slug = await made(checkWith({ "x-token": first }, "1"), checkWith({ "x-token": second }, "2"));
    good(await admin("PUT", `/guardrails/${slug}`, { checks: (await shown(slug)).toReversed() }));
    expect(await asked(using(slug))).toEqual([
      { path: "/1", token: first },
      { path: "/2", token: second },
    ]);
  });

  test("are not sent to another address for who knows only their mask", async () => {
    const slug = await made(checkWith({ "x-token": TOKEN }));
    const [check] = await shown(slug);
    expect(await admin("PUT", `/guardrails/${slug}`, { checks: [checkWith(check?.parameters.headers, "elsewhere")] })).toMatchObject({
      status: 400,
      json: { error: { code: "AB01", param: "checks[0]", message: expect.stringContaining("give it again") } },
    });
    expect(await asked(using(slug))).toEqual([{ path: "/", token: TOKEN }]);
  });

  test("that are wrong are still refused with a sentence", async () => {
    const answer = await make(checkWith("not json"));
    expect(answer.status).toBe(400);
    expect(answer.text).toContain("headers must be an object");
  });
});

describe("in a saved config, the headers of webhooks written out in it", () => {
  const CANARIES = { input: "canaryInput0123", output: "canaryOutput0123", before: "canaryBefore0123", after: "canaryAfter0123" };
  const webhookOf = (side: keyof typeof CANARIES) => ({ webhookURL: webhookURL(side), headers: { "x-token": CANARIES[side] } });
  /** Both forms, on both sides, at the root and in a target. */
  const CONFIG = () => ({
    strategy: { mode: "single" },
    output_guardrails: [{ mine: { id: "webhook", is_enabled: true, ...webhookOf("output") } }],
    after_request_hooks: [{ type: "guardrail", id: "h", checks: [{ id: "default.webhook", parameters: webhookOf("after") }] }],
    targets: [
      {
        provider: "sandbox",
        input_guardrails: [{ "default.webhook": webhookOf("input"), deny: true }],
        before_request_hooks: [{ checks: [{ id: "webhook", parameters: webhookOf("before") }] }],
      },
    ],
  });
  type Config = ReturnType<typeof CONFIG>;
  const EVERY_TOKEN = Object.entries(CANARIES)
    .map(([side, token]) => ({ path: `/${side}`, token }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const made = async (config: Json = CONFIG()): Promise<string> =>
    good<{ data: { slug: string } }>(await admin("POST", "/configs", { name: "hooks", workspace_id: "default", config })).data.slug;
  const shown = async (slug: string): Promise<Config> =>
    good<{ data: { config: Config } }>(await admin("GET", `/configs/${slug}`)).data.config;

  test("are sealed, masked in every answer, kept when sent back as shown, and sent whole", async () => {
    const slug = await made();
    expect(await asked(slug)).toEqual(EVERY_TOKEN);
    good(await admin("PUT", `/configs/${slug}`, { config: await shown(slug) }));
    expect(await asked(slug)).toEqual(EVERY_TOKEN);
    for (const path of [`/configs/${slug}`, "/configs", `/configs/${slug}/versions`]) {
      const { status, text } = await admin("GET", path);
      expect({ path, status, shown: Object.values(CANARIES).filter((canary) => text.includes(canary)) }).toEqual({
        path,
        status: 200,
        shown: [],
      });
    }
    expectSealed(...Object.values(CANARIES));
  });

  test("can be given anew, one alone", async () => {
    const slug = await made();
    const config = await shown(slug);
    const output = { ...config.output_guardrails[0]?.mine, headers: { "x-token": "canaryGivenAnew" } };
    good(await admin("PUT", `/configs/${slug}`, { config: { ...config, output_guardrails: [{ mine: output }] } }));
    expect(await asked(slug)).toEqual(
      EVERY_TOKEN.map(({ path, token }) => ({ path, token: path === "/output" ? "canaryGivenAnew" : token })),
    );
    expectSealed("canaryGivenAnew");
  });

  test("are not sent to another address for who knows only their mask", async () => {
    const slug = await made();
    const config = await shown(slug);
    const moved = { ...config.output_guardrails[0]?.mine, webhookURL: webhookURL("elsewhere") };
    expect(await admin("PUT", `/configs/${slug}`, { config: { ...config, output_guardrails: [{ mine: moved }] } })).toMatchObject({
      status: 400,
      json: { error: { code: "AB01", param: "config.output_guardrails[0].mine", message: expect.stringContaining("give it again") } },
    });
  });

  test("are no provider's key for who knows only their mask", async () => {
    const slug = await made();
    const mask = (await shown(slug)).output_guardrails[0]?.mine.headers;
    const config = { provider: "openai", custom_host: webhookURL("provider"), api_key: String(mask) };
    good(await admin("PUT", `/configs/${slug}`, { config }));
    seen.length = 0;
    await chat(gateway, {}, { "x-gateway-config": slug, "x-gateway-provider": "openai" });
    expect(seen).toEqual([{ path: "/provider/chat/completions", token: `Bearer ${String(mask)}` }]);
  });

  test("that are wrong are refused with a sentence", async () => {
    const config = { provider: "sandbox", input_guardrails: [{ webhook: { webhookURL: webhookURL(), headers: "not json" } }] };
    const answer = await admin("POST", "/configs", { name: "bad", workspace_id: "default", config });
    expect(answer).toMatchObject({ status: 400, json: { error: { param: "config.input_guardrails[0].webhook.parameters" } } });
    expect(answer.text).toContain("headers must be an object");
  });
});
