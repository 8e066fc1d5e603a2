/**
 * Built-in checks through the running gateway: what they ask of services, what they change for the provider, and what
 * never reaches it or its client.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { jsonAnswer, type ReplayServer, replayServer, sseAnswer } from "../kit/replay.ts";
import { verifies } from "../requirements/verifies.ts";
import { ADMIN_KEY, type Answer, ask, GATEWAY_KEY, type GatewayProcess, startGateway } from "./process.ts";

type Json = Readonly<Record<string, unknown>>;
let upstream: ReplayServer;
let service: ReplayServer;
/** On this machine, and no operator vouches for it. */
let inside: ReplayServer;
let gateway: GatewayProcess;
let token: string;
let keys: Json;

beforeAll(async () => {
  [upstream, service, inside] = [replayServer(), replayServer(), replayServer()];
  const trusted = [upstream, service].map(({ url }) => new URL(url).host).join(",");
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: trusted } });
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  keys = { keys: [{ ...(await exportJWK(publicKey)), kid: "k" }] };
  token = await new SignJWT({ sub: "ada", team: "a" }).setProtectedHeader({ alg: "ES256", kid: "k" }).setIssuedAt().sign(privateKey);
});
beforeEach(() => {
  upstream.answer(jsonAnswer(said("fine")));
  service.answer(({ path }) => (path === "/jwks" ? jsonAnswer(keys) : jsonAnswer({ verdict: true })));
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await Promise.all([upstream.close(), service.close(), inside.close()]);
});

const said = (content: unknown): Json => ({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
const streamed = (content: string): string =>
  [{ role: "assistant", content }, {}]
    .map((delta, at) => ({
      id: "c",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta, finish_reason: at ? "stop" : null }],
    }))
    .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
    .concat("data: [DONE]\n\n")
    .join("");
const user = (content: unknown): Json => ({ role: "user", content });

interface Asking {
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
  readonly config?: Json;
  readonly path?: string;
}
const send = (checks: Json, { body, headers, config, path = "/v1/chat/completions" }: Asking = {}, side = "input"): Promise<Answer> =>
  ask(`${gateway.base}${path}`, "POST", GATEWAY_KEY, body ?? { model: "m", messages: [user("hi")] }, {
    "x-gateway-config": JSON.stringify({
      provider: "openai",
      api_key: "k",
      custom_host: `${upstream.url}/v1`,
      [`${side}_guardrails`]: [{ ...checks, deny: true }],
      ...config,
    }),
    ...headers,
  });
const sentBody = (): Json => upstream.received.at(-1)?.json() as Json;
const reached = async (asking: () => Promise<Answer>): Promise<readonly [number, boolean]> => {
  const before = upstream.received.length;
  const { status } = await asking();
  return [status, upstream.received.length > before];
};

describe("default.jwt", () => {
  const jwt = (more: Json = {}): Json => ({
    "default.jwt": {
      jwksUri: `${service.url}/jwks`,
      headerKey: "x-user-token",
      algorithms: ["ES256"],
      extractClaims: ["sub", "role"],
      ...more,
    },
  });
  test(verifies("2.6.jwt", "lets a signed token pass, and nothing else reach the provider"), async () => {
    expect(await reached(() => send(jwt(), { headers: { "x-user-token": `Bearer ${token}` } }))).toEqual([200, true]);
    const headers = { authorization: `Bearer ${token}` };
    expect(await reached(() => send(jwt({ headerKey: "Authorization" }), { headers }))).toEqual([200, true]);
    expect(await reached(() => send(jwt(), { headers: { "x-user-token": `${token}x` } }))).toEqual([446, false]);
    expect(await reached(() => send(jwt()))).toEqual([446, false]);
  });
  test("never takes the gateway's own key for a token, and shows neither", async () => {
    const own = await ask(
      `${gateway.base}/v1/chat/completions`,
      "POST",
      null,
      { model: "m", messages: [user("hi")] },
      {
        authorization: `Bearer ${GATEWAY_KEY}`,
        "x-gateway-config": JSON.stringify({
          provider: "sandbox",
          input_guardrails: [{ ...jwt({ headerKey: "Authorization" }), deny: true }],
        }),
      },
    );
    expect([own.status, own.text]).toEqual([446, expect.stringContaining("has no token")]);
    const wrong = await send(jwt(), { headers: { "x-user-token": `${token}x` } });
    expect(wrong.text).not.toContain(token.slice(0, 40));
  });
  test(verifies("2.6.jwt-claims", "gives its claims to the provider and to later checks, whatever the client wrote"), async () => {
    const headers = { "x-user-token": token, "x-jwt-sub": "root", "x-jwt-role": "admin" };
    const webhook = {
      "default.webhook": { webhookURL: `${service.url}/hook`, forwardHeaders: ["x-jwt-sub", "x-jwt-role"] },
      sequential: true,
    };
    const { status } = await send({ ...jwt(), ...webhook }, { headers, config: { forward_headers: ["x-jwt-sub", "x-jwt-role"] } });
    expect(status).toBe(200);
    for (const server of [upstream, service]) {
      const received = server.received.at(-1)?.headers;
      expect([received?.get("x-jwt-sub"), received?.get("x-jwt-role"), received?.get("x-user-token")]).toEqual(["ada", null, null]);
    }
  });
  test.each<[string, Json, string]>([
    ["the token is not accepted", {}, "no token"],
    ["its keys cannot be had", { jwksUri: "http://127.0.0.1:9/jwks" }, "a.b.c"],
    ["the guardrail is in shadow", { shadow: true }, "no token"],
  ])("takes a client's own headers of its claims away when %s and nothing denies", async (_, { shadow = false, ...more }, sent) => {
    const headers = { "x-user-token": sent, "x-jwt-sub": "root", "x-jwt-role": "admin" };
    const before = upstream.received.length;
    const config = { input_guardrails: [{ ...jwt(more), shadow }], forward_headers: ["x-jwt-sub", "x-jwt-role"] };
    await send({}, { headers, config });
    expect(upstream.received.length).toBe(before + 1);
    const received = upstream.received.at(-1)?.headers;
    expect([received?.get("x-jwt-sub"), received?.get("x-jwt-role")]).toEqual([null, null]);
  });
  test("judges a token that somebody shows for a try, in whichever header", async () => {
    const checks = [{ id: "default.jwt", parameters: jwt({ headerKey: "Authorization" })["default.jwt"] }];
    const made = { name: "k", workspace_id: "default", scopes: ["guardrails.invoke"] };
    const key = String((await ask(`${gateway.base}/v2/api-keys/service`, "POST", ADMIN_KEY, made)).json["key"]);
    const shown = { event: "beforeRequestHook", request_type: "chatComplete", checks };
    const verdictOf = async (authorization: string): Promise<unknown> => {
      const request = { json: { model: "m", messages: [user("hi")] }, headers: { authorization } };
      return (await ask(`${gateway.base}/v2/guardrails/evaluate`, "POST", key, { ...shown, request })).json["verdict"];
    };
    expect([await verdictOf(`Bearer ${token}`), await verdictOf(`Bearer ${token}x`)]).toEqual([true, false]);
  });
  test("asks nobody inside for keys, and stays shut without them", async () => {
    const headers = { "x-user-token": token };
    expect(await reached(() => send(jwt({ jwksUri: `${inside.url}/jwks` }), { headers }))).toEqual([446, false]);
    expect(inside.received).toEqual([]);
    service.answer(jsonAnswer({}, { status: 503 }));
    expect(await reached(() => send(jwt({ jwksUri: `${service.url}/other` }), { headers }))).toEqual([446, false]);
  });
});

describe(verifies("2.6.valid-urls", "default.validUrls"), () => {
  test("judges an answer's addresses, whole and streamed, and asks nobody inside", async () => {
    service.answer(({ path, method }) => ({ status: path === "/there" && method === "HEAD" ? 200 : 404, body: "" }));
    const statusOf = async (text: string, stream: boolean) => {
      upstream.answer(stream ? sseAnswer(streamed(text)) : jsonAnswer(said(text)));
      const asked = { model: "m", messages: [user("hi")], stream };
      const { status, text: answer } = await send({ "default.validUrls": {} }, { body: asked }, "output");
      return [status, answer.includes('"delta"')];
    };
    for (const stream of [false, true]) {
      expect(await statusOf(`See ${service.url}/there.`, stream)).toEqual([200, stream]);
      for (const url of [`${service.url}/gone`, `${inside.url}/there`]) expect(await statusOf(`See ${url}.`, stream)).toEqual([446, false]);
    }
    expect(inside.received).toEqual([]);
  });
});

describe("what is changed on its way to the provider", () => {
  test(verifies("2.6.add-prefix", "a prefix, in the request's own form"), async () => {
    const prefix = { "default.addPrefix": { prefix: "Be brief. " } };
    expect((await send(prefix)).status).toBe(200);
    expect(sentBody()["messages"]).toEqual([user("Be brief. hi")]);
    upstream.answer(jsonAnswer({ id: "r", object: "response", output: [], status: "completed" }));
    await send(prefix, { path: "/v1/responses", body: { model: "m", input: "hi" } });
    expect(JSON.stringify(sentBody())).toContain("Be brief. hi");
  });
  test(verifies("2.6.regex-replace", "what matches a pattern, however dear it is, and on answers too"), async () => {
    const replacing = (rule: string): Json => ({ "default.regexReplace": { rule, redactText: "-" } });
    expect((await send(replacing("\\d{4}"), { body: { model: "m", messages: [user("pin 1234")] } })).status).toBe(200);
    expect(sentBody()["messages"]).toEqual([user("pin -")]);
    const parts = [
      { type: "text", text: `x${"a".repeat(2_000)}b` },
      { type: "text", text: "aay" },
    ];
    expect((await send(replacing("a+b|a"), { body: { model: "m", messages: [user(parts)] } })).status).toBe(200);
    expect(sentBody()["messages"]).toEqual([
      user([
        { type: "text", text: "x-" },
        { type: "text", text: "--y" },
      ]),
    ]);
    upstream.answer(jsonAnswer(said("pin 1234")));
    const answer = await send(replacing("\\d{4}"), {}, "output");
    expect([answer.status, answer.text.includes("1234"), answer.text.includes("pin -")]).toEqual([200, false, true]);
  });
  test(verifies("2.6.inline-images", "images that a request names, and none of those inside"), async () => {
    service.answer({ body: "image", headers: { "content-type": "image/png" } });
    inside.answer({ body: "image", headers: { "content-type": "image/png" } });
    const picture = (url: string): Json => ({ type: "image_url", image_url: { url } });
    const body = (url: string): Json => ({ model: "m", messages: [user([{ type: "text", text: "what?" }, picture(url)])] });
    expect((await send({ "default.inlineImageUrls": {} }, { body: body(`${service.url}/a.png`) })).status).toBe(200);
    expect(sentBody()).toMatchObject(body(`data:image/png;base64,${btoa("image")}`));
    const refused = await reached(() => send({ "default.inlineImageUrls": { failOnError: true } }, { body: body(`${inside.url}/a.png`) }));
    expect([refused, inside.received]).toEqual([[446, false], []]);
  });
  test(verifies("2.6.inline-images", "images of several megabytes, and none that is larger than the check allows"), async () => {
    const image = Buffer.alloc(2 * 1024 * 1024, "2 MB!");
    service.answer({ body: image, headers: { "content-type": "image/png" } });
    const picture = (url: string): Json => ({ type: "image_url", image_url: { url } });
    const body = (url: string): Json => ({ model: "m", messages: [user([{ type: "text", text: "what?" }, picture(url)])] });
    const asked = (maxSizeBytes: number): Promise<Answer> =>
      send({ "default.inlineImageUrls": { failOnError: true, maxSizeBytes } }, { body: body(`${service.url}/large.png`) });
    expect((await asked(3_000_000)).status).toBe(200);
    expect(sentBody()).toEqual(body(`data:image/png;base64,${image.toString("base64")}`));
    expect((await asked(2_000_000)).status).toBe(446);
  });
});

describe("what a request may be", () => {
  test(verifies("2.6.request-params", "its tools and parameters"), async () => {
    const check = {
      "default.requestParametersCheck": { tools: { allowedFunctionNames: ["ask"] }, params: { blockedKeys: ["logit_bias"] } },
    };
    const asking = (more: Json) => reached(() => send(check, { body: { model: "m", messages: [user("hi")], ...more } }));
    const tool = (name: string): Json => ({ tools: [{ type: "function", function: { name, parameters: {} } }] });
    expect([await asking(tool("ask")), await asking(tool("pay")), await asking({ logit_bias: {} })]).toEqual([
      [200, true],
      [446, false],
      [446, false],
    ]);
  });
  test("its metadata, and its model by that", async () => {
    const headers = { "x-gateway-metadata": JSON.stringify({ team: "a" }) };
    const pairs = { "default.requiredMetadataKeyPairs": { metadataPairs: { team: ["a", "b"] } } };
    const rules = (models: readonly string[]): Json => ({ "default.modelRules": { rules: { metadata: { team: { a: models } } } } });
    expect(await reached(() => send({ ...pairs, ...rules(["m"]) }, { headers }))).toEqual([200, true]);
    expect(await reached(() => send(pairs))).toEqual([446, false]);
    expect(await reached(() => send(rules(["other"]), { headers }))).toEqual([446, false]);
  });
  test(verifies("2.6.execute-on-proxy", "what passes, by a webhook that opted in: with its method, path and content type"), async () => {
    const hooked = (executeOnProxy: boolean): Json => ({ "default.webhook": { webhookURL: `${service.url}/hook`, executeOnProxy } });
    const passing = { path: "/v1/proxy/own/thing", body: { a: 1 } };
    expect((await send(hooked(false), passing)).status).toBe(403);
    expect((await send(hooked(true), passing)).status).toBe(200);
    expect(service.received.at(-1)?.json()).toMatchObject({
      requestType: "proxy",
      request: { method: "POST", path: "/own/thing", contentType: "application/json" },
    });
  });
});

describe("what is done with an answer", () => {
  test(verifies("2.6.not-null", "one that says nothing does not reach its client"), async () => {
    upstream.answer(jsonAnswer(said("")));
    expect((await send({ "default.notNull": {} }, {}, "output")).status).toBe(446);
    upstream.answer(jsonAnswer(said("fine")));
    expect((await send({ "default.notNull": {} }, {}, "output")).status).toBe(200);
  });
  test(verifies("2.6.log", "it is sent to a log, which may fail"), async () => {
    const log = { "default.log": { logURL: `${service.url}/take`, headers: { "x-key": "1" } } };
    expect((await send(log, {}, "output")).status).toBe(200);
    const taken = service.received.at(-1);
    expect([taken?.path, taken?.headers.get("x-key"), taken?.json()]).toMatchObject(["/take", "1", { response: { text: "fine" } }]);
    service.answer(jsonAnswer({}, { status: 500 }));
    expect((await send(log, {}, "output")).status).toBe(200);
  });
});

test(verifies("2.6.aliases", "a saved guardrail keeps a check's other spelling, and results say it as well"), async () => {
  const feedback = { feedback: { value: 1, weight: 1, metadata: "" } };
  const made = await ask(`${gateway.base}/v2/guardrails`, "POST", ADMIN_KEY, {
    name: "spelt otherwise",
    workspace_id: "default",
    checks: [{ id: "default.modelwhitelist", parameters: { models: ["other"] } }],
    actions: { deny: true, async: false, on_success: feedback, on_fail: feedback },
  });
  const read = await ask(`${gateway.base}/v2/guardrails/${String(made.json["id"])}`, "GET", ADMIN_KEY);
  expect(read.json).toMatchObject({ checks: [{ id: "default.modelwhitelist" }] });
  const denied = await send({}, { config: { input_guardrails: [made.json["slug"]] } });
  expect([denied.status, denied.json]).toMatchObject([
    446,
    { hook_results: { before_request_hooks: [{ checks: [{ id: "default.modelwhitelist" }] }] } },
  ]);
});
