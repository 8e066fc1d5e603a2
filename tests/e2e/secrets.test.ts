/** Secrets and prompts, planted as canaries, and looked for wherever they could come out. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "bun:test";
import { jsonAnswer, type Received, type Replay, sseAnswer } from "../kit/replay.ts";
import { verifies } from "../requirements/verifies.ts";
import { at, bodyOf, chatWith, forAll, type Json, logOf, newKey, SANDBOX } from "./endpoints/api.ts";
import { ADMIN_KEY, type Answer, ask, GATEWAY_KEY, until } from "./process.ts";

const api = forAll({ LOG_LEVEL: "debug" });
const canary = (name: string): string => `canary-${name}-${crypto.randomUUID().slice(0, 13)}`;
/** What must not come out anywhere. */
const SECRETS = {
  providerKey: canary("provider-key"),
  /** One word, as parsers quote it. */
  wordKey: canary("word-key").replaceAll("-", "_"),
  integrationKey: canary("integration-key"),
  rotatedKey: canary("rotated-key"),
  configKey: canary("config-key"),
  inlineKey: canary("inline-key"),
  keyFile: canary("key-file"),
  webhookHeader: canary("webhook-header"),
  unknownKey: "canaryUnknownGatewayKey0123456789",
  cookie: canary("cookie"),
  sensitive: canary("sensitive-header"),
  prompt: canary("prompt-not-to-be-logged"),
};
/** Stands where bodies are kept, and nowhere else. */
const LOGGED_PROMPT = canary("prompt-that-may-be-logged");
let createdKey = "";
const answers: Answer[] = [];
const controlAnswers: Answer[] = [];

const COMPLETION: Json = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
};
const chatBody = (content: string, more: Json = {}): Json => ({ model: "m", messages: [{ role: "user", content }], ...more });
const QUIET = { "x-gateway-debug": "false" };
const asked = async (body: Json, headers: Readonly<Record<string, string>>, key: string = GATEWAY_KEY): Promise<Answer> => {
  const answer = await ask(`${api.gateway.base}/v1/chat/completions`, "POST", key, body, headers);
  answers.push(answer);
  return answer;
};
const controlled = async (method: string, path: string, body?: Json): Promise<Answer> => {
  const answer = await api.admin(method, path, body);
  controlAnswers.push(answer);
  return answer;
};

beforeAll(async () => {
  createdKey = await newKey(api, { scopes: ["completions.write", "logs.view"] });
  const host = `${api.upstream.url}/v1`;
  bodyOf(
    await controlled("POST", "/admin/v2/integrations", {
      name: "Canary",
      slug: "canary",
      ai_provider_id: "openai",
      key: SECRETS.integrationKey,
      workspace_id: "default",
      configurations: { custom_host: host },
    }),
  );
  const config = bodyOf(
    await controlled("POST", "/v2/configs", {
      name: "Canary",
      workspace_id: "default",
      config: { provider: "openai", api_key: SECRETS.configKey, custom_host: host },
    }),
  );
  const slug = String(at(config, "data", "slug"));
  const direct = {
    ...api.replayed,
    authorization: `Bearer ${SECRETS.providerKey}`,
    cookie: `sid=${SECRETS.cookie}`,
    "x-patient": SECRETS.sensitive,
    "x-gateway-sensitive-headers": "x-patient",
  };
  const ways = [
    direct,
    { "x-gateway-provider": "@canary" },
    { "x-gateway-config": slug },
    { "x-gateway-config": JSON.stringify({ provider: "openai", api_key: SECRETS.inlineKey, custom_host: host }) },
  ];
  const guards = {
    input_guardrails: [{ deny: true, "default.wordCount": { minWords: 99 }, "default.regexMatch": { rule: "nothing like it" } }],
  };
  for (const way of ways) {
    api.upstream.answer(jsonAnswer(COMPLETION)); // success, whole, with bodies kept and not
    expect((await asked(chatBody(SECRETS.prompt), { ...way, ...QUIET })).status).toBe(200);
    expect((await asked(chatBody(LOGGED_PROMPT), way, createdKey)).status).toBe(200);
    api.upstream.answer(jsonAnswer({ error: { message: "it broke", type: "server_error" } }, { status: 500 })); // a provider's error
    expect((await asked(chatBody(SECRETS.prompt), { ...way, ...QUIET })).status).toBe(500);
    api.upstream.answer({ body: "<html>not JSON</html>", headers: { "content-type": "text/html" } }); // not its format
    expect((await asked(chatBody(SECRETS.prompt), { ...way, ...QUIET })).status).toBe(502);
    api.upstream.answer({ body: "{", ends: "hang" }); // a timeout
    expect((await asked(chatBody(SECRETS.prompt), { ...way, ...QUIET, "x-gateway-request-timeout": "40" })).status).toBe(408);
    api.upstream.answer({
      body: 'data: {"id":"c","choices":[{"index":0,"delta":{"content":"x"}}]}\n\n',
      headers: { "content-type": "text/event-stream" },
    }); // a stream cut off
    await asked(chatBody(SECRETS.prompt, { stream: true }), { ...way, ...QUIET });
    expect((await asked({ ...chatBody(SECRETS.prompt), messages: 5, user: SECRETS.prompt }, { ...way, ...QUIET })).status).toBe(400); // a body that is refused
    expect((await asked(chatBody(SECRETS.prompt), { ...way, ...QUIET }, SECRETS.unknownKey)).status).toBe(401); // a key that is not known
  }
  const denied = await asked(chatBody(SECRETS.prompt), {
    ...QUIET,
    "x-gateway-config": JSON.stringify({ provider: "openai", api_key: SECRETS.inlineKey, custom_host: host, ...guards }),
  });
  expect(denied.status).toBe(446);
  await asked(chatBody(SECRETS.prompt), {
    ...QUIET,
    authorization: `Bearer ${SECRETS.providerKey}`,
    "x-gateway-provider": "openai",
    "x-gateway-custom-host": `http://user:${SECRETS.providerKey}@10.0.0.1/v1?key=${SECRETS.providerKey}`,
  });
  const keyFile = {
    type: "service_account",
    client_email: "a@example.com",
    private_key: SECRETS.keyFile,
    token_uri: `${api.upstream.url}/token`,
  };
  for (const vertex_service_account_json of [JSON.stringify(keyFile), keyFile]) {
    const config = { provider: "vertex-ai", vertex_project_id: "p", vertex_region: "us-central1", vertex_service_account_json };
    expect((await asked(chatBody(SECRETS.prompt), { ...QUIET, "x-gateway-config": JSON.stringify(config) })).status).toBeGreaterThanOrEqual(
      400,
    );
  }
  api.upstream.answer(jsonAnswer({ verdict: false }));
  for (const headers of [{ "x-tenant": SECRETS.webhookHeader }, JSON.stringify({ "x-tenant": SECRETS.webhookHeader })]) {
    const webhook = { "default.webhook": { webhookURL: api.upstream.url, headers }, deny: true };
    const config = { provider: "sandbox", input_guardrails: [webhook] };
    expect((await asked(chatBody(SECRETS.prompt), { ...QUIET, "x-gateway-config": JSON.stringify(config) })).status).toBe(446);
    expect(api.upstream.received.at(-1)?.headers.get("x-tenant")).toBe(SECRETS.webhookHeader);
  }
  await asked(chatBody(SECRETS.prompt), { ...QUIET, "x-gateway-provider": SECRETS.inlineKey.toUpperCase() });
  bodyOf(await controlled("PUT", "/admin/v2/integrations/canary", { key: SECRETS.rotatedKey }));
  bodyOf(
    await controlled("PUT", `/v2/configs/${slug}`, { config: { provider: "openai", api_key: SECRETS.rotatedKey, custom_host: host } }),
  );
  for (const path of [
    "/v2/configs",
    `/v2/configs/${slug}`,
    `/v2/configs/${slug}/versions`,
    "/v2/api-keys",
    "/v2/providers",
    "/v2/providers/canary",
    "/admin/v2/integrations",
    "/admin/v2/integrations/canary",
    "/admin/v2/plugins",
    "/v2/guardrails",
    "/v2/policies/rate-limits",
  ]) {
    bodyOf(await controlled("GET", path));
  }
  const long = SECRETS.providerKey.repeat(3_000);
  for (const [path, body] of [
    ["/admin/v2/integrations", { name: "Wrong", ai_provider_id: "openai", key: [SECRETS.providerKey] }],
    ["/admin/v2/integrations", { name: "Wrong", ai_provider_id: "openai", key: long }],
    [
      "/admin/v2/integrations",
      { name: "Wrong", ai_provider_id: "openai", key: "k", configurations: { openai_organization: { secret: SECRETS.providerKey } } },
    ],
    ["/v2/configs", { name: "Wrong", config: { provider: "openai", api_key: [SECRETS.providerKey] } }],
    ["/v2/configs", { name: "Wrong", config: { targets: [{ provider: "openai", api_key: long }] } }],
    ["/v2/configs", { name: "Wrong", config: JSON.stringify({ api_key: SECRETS.providerKey, filler: "x".repeat(60) }) }],
  ] as const)
    bodyOf(await controlled("POST", path, body), 400);
  await api.data("GET", "/v1/batches/batch_1", SANDBOX);
  for (const id of loggedIds()) await logOf(api, id); // not written in order: answers without usage are counted first
}, 60_000);

/** Of the requests that have a log record: of a key that is not known there is none. */
const loggedIds = (): readonly string[] =>
  answers.filter(({ status }) => status !== 401).map(({ headers }) => String(headers.get("x-gateway-trace-id")));

/** Names of the secrets a text holds; the preset keys and the made one are secrets too. */
const found = (text: string, allowed: readonly string[] = []): readonly string[] =>
  Object.entries({ ...SECRETS, adminKey: ADMIN_KEY, gatewayKey: GATEWAY_KEY, createdKey })
    .filter(([name, secret]) => !allowed.includes(name) && text.includes(secret))
    .map(([name]) => name);

/** Looks into every file of the data folder but the keys' own. */
function expectNoneStored(): readonly string[] {
  const files = readdirSync(api.gateway.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  expect(files.some((file) => file.endsWith("main.db"))).toBe(true);
  expect(files.some((file) => file.endsWith("logs.db"))).toBe(true);
  for (const file of files.filter((name) => !name.endsWith(".key")))
    expect({ file, found: found(readFileSync(file, "latin1")) }).toEqual({ file, found: [] });
  return files;
}

describe("a secret", () => {
  test(verifies("5.not-leaked", "is not in any file: neither database, nor their journals, nor blobs"), () => {
    const files = expectNoneStored();
    expect(files.some((file) => readFileSync(file, "latin1").includes(LOGGED_PROMPT))).toBe(true);
  });
  test("is not in what the process prints, and neither are the keys that its operator set", () => {
    const printed = api.gateway.output();
    expect(printed).toContain("taken from GATEWAY_ADMIN_KEY");
    expect(found(printed)).toEqual([]);
    expect(printed).not.toContain(LOGGED_PROMPT);
  });
  test("is not in an error the data plane answers", () => {
    const errors = answers.filter(({ status }) => status >= 400);
    expect(errors.length).toBeGreaterThan(20);
    for (const { status, text, headers } of errors) {
      const deniedData = status === 446 ? ["prompt"] : []; // the caller's own text, in what the check says of it
      expect({ status, text, found: found(text + JSON.stringify([...headers]), deniedData) }).toMatchObject({ found: [] });
    }
  });
  test(verifies("5.masked", "is masked in every answer of the control and admin planes"), () => {
    expect(controlAnswers.length).toBeGreaterThan(12);
    for (const { text } of controlAnswers) expect({ text, found: found(text) }).toMatchObject({ found: [] });
    expect(controlAnswers.some(({ text }) => /ca\*{3,}/.test(text))).toBe(true);
  });
  test.each(["/", "/v1/health", "/metrics", "/openapi.json", "/docs", "/readyz", "/healthz", "/status"])("is not in %s", async (path) => {
    const text = await (await fetch(api.gateway.base + path)).text();
    expect(found(text)).toEqual([]);
    expect(text).not.toContain(LOGGED_PROMPT);
  });
  test("is not in a log that is read, where the prompt of a request with x-gateway-debug: false is not either", async () => {
    for (const id of loggedIds()) {
      const record = JSON.stringify([await logOf(api, id), await logOf(api, id, "?type=hooks")]);
      expect({ id, found: found(record) }).toEqual({ id, found: [] });
    }
  }, 30_000);
  test("that a provider repeats in its error is told to nobody", async () => {
    api.upstream.answer((request) =>
      jsonAnswer(
        {
          error: {
            message: `Incorrect API key provided: ${request.headers.get("authorization")?.slice(7)}.`,
            type: "invalid_request_error",
            code: "invalid_api_key",
          },
        },
        { status: 401 },
      ),
    );
    const answer = await chatWith(api, GATEWAY_KEY, chatBody("x"), { "x-gateway-provider": "@canary" });
    expect({ status: answer.status, says: answer.text.includes("Incorrect API key"), found: found(answer.text) }).toEqual({
      status: 401,
      says: true,
      found: [],
    });
    expect(found(JSON.stringify(await logOf(api, String(answer.headers.get("x-gateway-trace-id")))))).toEqual([]);
  });
  describe("that a provider repeats", () => {
    const keyOf = (request: Received): string => request.headers.get("authorization")?.slice(7) ?? "";
    const sse = (content: string): string => `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { content } }] })}\n\n`;
    const failure = (more: Json): Json => ({ error: { message: "It failed.", type: "t", param: null, code: null, ...more } });
    const WAYS: Readonly<Record<string, (key: string) => Replay>> = {
      "in a whole answer": (key) => jsonAnswer({ ...COMPLETION, choices: [], said: `auth was ${key}` }),
      "in a model's name": (key) => jsonAnswer({ ...COMPLETION, model: key }),
      "in a stream": (key) => sseAnswer(`${sse(`auth was ${key}`)}data: [DONE]\n\n`),
      "in what is no JSON": (key) => jsonAnswer(`{"a": ${key}`),
      "as the message of an error": (key) => jsonAnswer(failure({ message: `Bearer ${key}` }), { status: 401 }),
      "as the type of an error": (key) => jsonAnswer(failure({ type: key }), { status: 401 }),
      "as the param of an error": (key) => jsonAnswer(failure({ param: `auth.${key}` }), { status: 400 }),
      "as the code of an error": (key) => jsonAnswer(failure({ code: `invalid:${key}` }), { status: 403 }),
    };
    test.each(Object.keys(WAYS))("%s and in headers, stands in no header, no error and no log record", async (way) => {
      const read: Json[] = [];
      for (const headers of [{ "x-gateway-provider": "@canary" }, { ...api.replayed, authorization: `Bearer ${SECRETS.wordKey}` }]) {
        api.upstream.answer((request) => {
          const key = keyOf(request);
          const made = WAYS[way]?.(key) ?? { body: "" };
          const echoed = { "x-echo": key, "x-sent": JSON.stringify({ authorization: `Bearer ${key}` }), "x-kept": "as it was" };
          return { ...made, headers: { ...made.headers, ...echoed } };
        });
        const answer = await chatWith(api, createdKey, chatBody("x", { stream: way === "in a stream" }), headers);
        expect(
          found([SECRETS.rotatedKey, SECRETS.wordKey].find((key) => key === keyOf(api.upstream.received.at(-1) ?? never())) ?? ""),
        ).toHaveLength(1);
        const shown = JSON.stringify([...answer.headers]) + (answer.status < 400 ? "" : answer.text);
        const record = JSON.stringify(await logOf(api, String(answer.headers.get("x-gateway-trace-id"))));
        read.push({ kept: answer.headers.get("x-kept") ?? "none", shown: found(shown), record: found(record) });
      }
      const kept = way === "in what is no JSON" ? "none" : "as it was"; // of an answer that cannot be read, no header is passed on
      expect(read).toEqual([1, 2].map(() => ({ kept, shown: [], record: [] })));
    });
    const never = (): never => expect.unreachable();
  });
  test("is nowhere after a crash in the middle of a request, either", async () => {
    api.upstream.answer({ body: "{", ends: "hang" });
    const way = { ...api.replayed, authorization: `Bearer ${SECRETS.providerKey}`, ...QUIET };
    const before = api.upstream.received.length;
    const cut = [chatBody(SECRETS.prompt), chatBody(SECRETS.prompt, { stream: true })].map((body) =>
      ask(`${api.gateway.base}/v1/chat/completions`, "POST", GATEWAY_KEY, body, way).then(
        () => "answered",
        () => "cut",
      ),
    );
    await until("both are under way", () => api.upstream.received.length === before + 2);
    await api.gateway.stop("SIGKILL");
    expect(await Promise.all(cut)).toEqual(["cut", "cut"]);
    expectNoneStored();
    expect(found(api.gateway.output())).toEqual([]);
  });
});
