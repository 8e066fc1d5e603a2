/**
 * A secret inside a URL (before its host, in its query, as a segment of its path), wherever a record holds one: sealed in
 * the store, hidden in answers and logs, whole on the wire, and kept when it is written back as it was shown.
 */
import { Database } from "bun:sqlite";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { jsonAnswer, type ReplayServer, replayServer } from "../kit/replay.ts";
import { ADMIN_KEY, type Answer, ask, chat, type GatewayProcess, startGateway, until } from "./process.ts";

type Json = Readonly<Record<string, unknown>>;
const QUERY = "canaryInTheQuery0123456789";
const PATH = "canaryInThePath0123456789";
/** A short one, in the address of what calls itself a hook. */
const CODE = "3canary";

let gateway: GatewayProcess;
let called: ReplayServer;
beforeAll(async () => {
  called = replayServer(jsonAnswer({ verdict: true, id: "c", object: "chat.completion", created: 1, model: "m", choices: [] }));
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: new URL(called.url).host } });
}, 30_000);
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await called.close();
});

const admin = (method: string, path: string, body?: Json): Promise<Answer> => ask(gateway.base + path, method, ADMIN_KEY, body);
/** The answer to what must have gone well. */
function good<Wanted>(answer: Answer): Wanted {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
  return answer.json as unknown as Wanted; // of a shape the assertions look at
}
const secretUrl = (more = ""): string => `${called.url}/services/${PATH}?token=${QUERY}${more}`;
const shownUrl = (more = ""): string => `${called.url}/services/***?token=***${more}`;
/** What was called since the last look. */
const calls = (): readonly string[] => called.received.slice(seen, (seen = called.received.length)).map(({ path }) => path);
let seen = 0;
/** What is called during a chat with this config. */
async function callsOf(config: string, headers: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  seen = called.received.length;
  good(await chat(gateway, {}, { "x-gateway-config": config, ...headers }));
  return calls();
}
function expectSealed(): void {
  const files = readdirSync(gateway.dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.map(({ name }) => name)).toContain("main.db");
  for (const { name, parentPath } of files) {
    const bytes = readFileSync(join(parentPath, name));
    expect({ name, found: [QUERY, PATH, CODE].filter((canary) => bytes.includes(canary)) }).toEqual({ name, found: [] });
  }
}
const feedback = (value: number) => ({ feedback: { value, weight: 1, metadata: "" } });
const actions = { deny: true, async: false, on_success: feedback(5), on_fail: feedback(-5) };
const check = (webhookURL: string, more: Json = {}) => ({ id: "default.webhook", parameters: { webhookURL, ...more } });
const WHOLE = `/services/${PATH}?token=${QUERY}`;

describe("a saved guardrail's webhook", () => {
  const make = async (...checks: Json[]): Promise<string> =>
    good<{ slug: string }>(await admin("POST", "/v2/guardrails", { name: "g", workspace_id: "default", actions, checks })).slug;
  const read = async (slug: string) => good<{ checks: ReturnType<typeof check>[] }>(await admin("GET", `/v2/guardrails/${slug}`)).checks;
  const using = (slug: string): string => JSON.stringify({ provider: "sandbox", input_guardrails: [slug] });

  test("is sealed and hidden, however its address is written: whoever parses it takes a backslash for a slash", async () => {
    const backslashed = (path: string): string => `${called.url}\\services\\${path}`;
    const slug = await make(check(backslashed(PATH)), check(`${called.url}/hooks/1234567/${CODE}/`));
    expect((await read(slug)).map(({ parameters }) => parameters.webhookURL)).toEqual([backslashed("***"), `${called.url}/hooks/***/***/`]);
    expectSealed();
    expect((await callsOf(using(slug))).toSorted()).toEqual([`/hooks/1234567/${CODE}/`, `/services/${PATH}`]);
  });
  test("is sealed, shown with *** and called whole", async () => {
    const slug = await make(check(secretUrl("&x=1")));
    expect((await read(slug))[0]?.parameters.webhookURL).toBe(shownUrl("&x=***"));
    expect(await callsOf(using(slug))).toEqual([`${WHOLE}&x=1`]);
    expectSealed();
  });
  test("keeps what is written back as ***, parameter by parameter", async () => {
    const slug = await make(check(secretUrl("&x=1")));
    good(await admin("PUT", `/v2/guardrails/${slug}`, { checks: await read(slug) }));
    expect(await callsOf(using(slug))).toEqual([`${WHOLE}&x=1`]);
    good(await admin("PUT", `/v2/guardrails/${slug}`, { checks: [check(shownUrl("&x=2&y=3"))] }));
    expect(await callsOf(using(slug))).toEqual([`${WHOLE}&x=2&y=3`]);
    good(await admin("PUT", `/v2/guardrails/${slug}`, { checks: [check(`${called.url}/services/***?token=given-anew`)] }));
    expect(await callsOf(using(slug))).toEqual([`/services/${PATH}?token=given-anew`]);
  });
  test("of two that look alike, each keeps its own", async () => {
    const slug = await make(check(secretUrl()), check(`${called.url}/services/${PATH}?token=other`));
    good(await admin("PUT", `/v2/guardrails/${slug}`, { checks: await read(slug) }));
    expect((await callsOf(using(slug))).toSorted()).toEqual([WHOLE, `/services/${PATH}?token=other`].toSorted());
  });
  test.each([
    ["another host", () => shownUrl().replace("127.0.0.1", "localhost")],
    ["another path", () => shownUrl().replace("services", "elsewhere")],
    ["a parameter it has not", () => shownUrl("&other=***")],
  ])("gives nothing of it to %s", async (_, url) => {
    const slug = await make(check(secretUrl()));
    const answer = await admin("PUT", `/v2/guardrails/${slug}`, { checks: [check(url())] });
    expect(answer).toMatchObject({
      status: 400,
      json: { error: { param: "webhookURL", message: expect.stringContaining("give it again") } },
    });
    expect(await callsOf(using(slug))).toEqual([WHOLE]);
  });
  test("keeps its headers only where the whole address stays", async () => {
    const slug = await make(check(secretUrl(), { headers: { "x-token": "a-secret-header-value" } }));
    const [kept] = await read(slug);
    good(await admin("PUT", `/v2/guardrails/${slug}`, { checks: [kept] }));
    const { headers }: Json = kept?.parameters ?? {};
    expect((await admin("PUT", `/v2/guardrails/${slug}`, { checks: [check(shownUrl("&to=elsewhere"), { headers })] })).status).toBe(400);
  });
  test("is not made of *** that was never anything else", async () => {
    expect(
      (await admin("POST", "/v2/guardrails", { name: "g", workspace_id: "default", actions, checks: [check(shownUrl())] })).status,
    ).toBe(400);
  });
  test("that was stored before URLs were sealed is shown like the others, is called, and is sealed when it is written next", async () => {
    const slug = await make(check(`${called.url}/services/x?token=plain-of-old`));
    await gateway.stop();
    const main = new Database(join(gateway.dataDir, "main.db"));
    const checks = JSON.stringify([check(secretUrl())]);
    main.query("update guardrails set checks = ? where slug = ?").run(checks, slug);
    main.close();
    gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: new URL(called.url).host }, dataDir: gateway.dataDir });
    const shown = await read(slug);
    expect(shown[0]?.parameters.webhookURL).toBe(shownUrl());
    expect(await callsOf(using(slug))).toEqual([WHOLE]);
    good(await admin("PUT", `/v2/guardrails/${slug}`, { checks: shown }));
    expect(await callsOf(using(slug))).toEqual([WHOLE]);
    const row = new Database(join(gateway.dataDir, "main.db"), { readonly: true });
    expect(JSON.stringify(row.query("select checks from guardrails where slug = ?").get(slug))).not.toContain(QUERY);
    row.close();
  }, 30_000);
});

describe("a saved config's", () => {
  const make = async (config: Json): Promise<string> =>
    good<{ data: { slug: string } }>(await admin("POST", "/v2/configs", { name: "c", workspace_id: "default", config })).data.slug;
  const read = async (slug: string) => good<{ data: { config: Json } }>(await admin("GET", `/v2/configs/${slug}`)).data.config;

  test("inline webhooks and custom host are sealed, hidden in every answer, kept, and called whole", async () => {
    const config = {
      strategy: { mode: "single" },
      input_guardrails: [{ "default.webhook": { webhookURL: secretUrl("&n=1") } }],
      before_request_hooks: [{ checks: [{ id: "webhook", parameters: { webhookURL: secretUrl("&n=2") } }] }],
      targets: [{ provider: "openai", api_key: "a-provider-key-0123", custom_host: `${called.url}/base/${PATH}` }],
    };
    const wanted = [`${WHOLE}&n=1`, `${WHOLE}&n=2`, `/base/${PATH}/chat/completions`].toSorted();
    const slug = await make(config);
    expect((await callsOf(slug)).toSorted()).toEqual(wanted);
    const shown = await read(slug);
    expect(JSON.stringify(shown)).toContain(`${called.url}/base/***`);
    good(await admin("PUT", `/v2/configs/${slug}`, { config: shown }));
    expect((await callsOf(slug)).toSorted()).toEqual(wanted);
    for (const path of [`/v2/configs/${slug}`, "/v2/configs", `/v2/configs/${slug}/versions`]) {
      const { text } = await admin("GET", path);
      expect({ path, found: [QUERY, PATH].filter((canary) => text.includes(canary)) }).toEqual({ path, found: [] });
    }
  });
  test("stored key does not follow a custom host to another address", async () => {
    const slug = await make({ provider: "openai", api_key: "a-provider-key-0123", custom_host: `${called.url}/base/${PATH}` });
    const shown = await read(slug);
    expect((await admin("PUT", `/v2/configs/${slug}`, { config: { ...shown, custom_host: `${called.url}/other/***` } })).status).toBe(400);
    expect((await admin("PUT", `/v2/configs/${slug}`, { config: { ...shown, custom_host: `${called.url}/other` } })).status).toBe(400);
  });
});

test("an integration's custom host is sealed, hidden, kept and called", async () => {
  const configurations = { custom_host: `${called.url}/base/${PATH}` };
  const body = { name: "I", slug: "urls", ai_provider_id: "openai", key: "a-provider-key-0123", workspace_id: "default", configurations };
  good(await admin("POST", "/admin/v2/integrations", body));
  const shown = good<{ configurations: Json }>(await admin("GET", "/admin/v2/integrations/urls"));
  expect(shown.configurations).toEqual({ custom_host: `${called.url}/base/***` });
  good(await admin("PUT", "/admin/v2/integrations/urls", { configurations: shown.configurations, name: "J" }));
  seen = called.received.length;
  good(await chat(gateway, {}, { "x-gateway-provider": "@urls" }));
  expect(calls()).toEqual([`/base/${PATH}/chat/completions`]);
  expect(
    (await admin("PUT", "/admin/v2/integrations/urls", { configurations: { custom_host: "https://evil.example.com/base/***" } })).status,
  ).toBe(400);
});

/** Short enough to be quoted by the error that refuses them. */
const refusedUrls = (): readonly string[] => {
  const url = `${called.url}/x/${PATH}`;
  return [
    ` ${url}`,
    url.replace("http", "HTTP"),
    `"${url}"`,
    `see ${url}`,
    url.replace("http:", "ftp:"),
    url.replace("http://", "http:\\\\"),
  ];
};

test("no log record, no hook result, no error and no line of the process holds one", async () => {
  const texts: string[] = [];
  const inline = (webhookURL: string, more: Json = {}): string =>
    JSON.stringify({ provider: "sandbox", input_guardrails: [{ "default.webhook": { webhookURL }, ...more }] });
  called.answer(jsonAnswer({ verdict: false }));
  for (const config of [
    inline(secretUrl()),
    inline(secretUrl(), { deny: true }),
    inline(secretUrl("#x"), { deny: true }),
    inline(secretUrl().replace("//", "//user:pass@"), { deny: true }),
  ])
    texts.push((await chat(gateway, {}, { "x-gateway-config": config })).text);
  for (const url of refusedUrls()) {
    const refused = [
      await chat(gateway, {}, { "x-gateway-config": inline(url) }),
      await admin("POST", "/v2/guardrails", { name: "g", workspace_id: "default", actions, checks: [check(url)] }),
      await admin("POST", "/v2/configs", { name: "c", workspace_id: "default", config: JSON.parse(inline(url)) }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400]);
    texts.push(...refused.map(({ text }) => text));
  }
  called.answer(jsonAnswer({ error: { message: "broken" } }, { status: 500 }));
  texts.push((await chat(gateway, {}, { "x-gateway-config": inline(secretUrl(), { deny: true }) })).text);
  const last = await chat(gateway, {}, { "x-gateway-provider": "openai", authorization: "Bearer k", "x-gateway-custom-host": secretUrl() });
  texts.push(last.text, gateway.output());
  const rows = await until("the last one is in the log", () => {
    const logs = new Database(join(gateway.dataDir, "logs.db"), { readonly: true });
    const text = JSON.stringify(logs.query("select * from logs").all());
    logs.close();
    return text.includes(String(last.headers.get("x-gateway-trace-id"))) && text;
  });
  expect([...texts, rows].flatMap((text) => [QUERY, PATH, "user:pass"].filter((canary) => text.includes(canary)))).toEqual([]);
});
