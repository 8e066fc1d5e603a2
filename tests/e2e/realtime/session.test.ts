/** GET /v1/realtime over real sockets, with the official clients and against a provider of raw frames. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { OpenAIRealtimeWebSocket } from "openai/realtime/websocket";
import { verifies } from "../../requirements/verifies.ts";
import { forAll, logOf, newKey, at, bodyOf } from "../endpoints/api.ts";
import { GATEWAY_KEY, until } from "../process.ts";
import { dial, dialForLog, refusalOf } from "./client.ts";
import { RealtimeWS, withPlainSockets } from "./plain-clients.ts";
import { closeFrame, frame, type StandIn, standIn } from "./stand-in.ts";

const upstream: StandIn = await standIn();
/** With all that is done to other answers on their way out. */
const WRAPPED = { GATEWAY_HEADER_ALIASES: "x-acme-", CORS_ALLOWED_ORIGINS: "https://app.example.com" };
const api = forAll({ GATEWAY_TRUSTED_HOSTS: upstream.host, ...WRAPPED });
afterAll(() => upstream.close());
beforeAll(() => upstream.script(() => undefined));

const PROVIDER_KEY = "sk-provider-key-of-these-sessions";
const STAND_IN = { "x-gateway-provider": "openai", "x-gateway-custom-host": `${upstream.url}/v1`, authorization: `Bearer ${PROVIDER_KEY}` };
const SANDBOX = { "x-gateway-provider": "sandbox" };
const DONE = {
  type: "response.done",
  response: {
    id: "resp_1",
    object: "realtime.response",
    status: "completed",
    output: [],
    usage: {
      total_tokens: 230,
      input_tokens: 130,
      output_tokens: 100,
      input_token_details: {
        text_tokens: 30,
        audio_tokens: 100,
        cached_tokens: 20,
        cached_tokens_details: { text_tokens: 10, audio_tokens: 10 },
      },
      output_token_details: { text_tokens: 25, audio_tokens: 75 },
    },
  },
};

describe("official clients", () => {
  test(verifies("1.tag-realtime", "OpenAI's client holds a session, its key in a header"), async () => {
    const client = new OpenAI({ apiKey: GATEWAY_KEY, baseURL: `${api.gateway.base}/v1` });
    const session = new RealtimeWS({ model: "sandbox-echo", options: { headers: SANDBOX } }, client);
    let said = "";
    session.on("response.output_text.delta", ({ delta }) => void (said += delta));
    session.on("session.created", () => {
      session.send({
        type: "conversation.item.create",
        item: { type: "message", role: "user", content: [{ type: "input_text", text: "Hello from a client" }] },
      });
      session.send({ type: "response.create" });
    });
    const done = await new Promise<{ readonly usage?: unknown }>((resolve, reject) => {
      session.on("response.done", ({ response }) => resolve(response));
      session.on("error", reject);
    });
    session.close();
    expect([said, done.usage]).toMatchObject(["Hello from a client", { input_tokens: 4, output_tokens: 4 }]);
  });
  test(verifies("D7.12.key", "the browser's client says its key in a sub-protocol, and no provider sees it"), async () => {
    const slug = "realtime-browser";
    const integration = {
      name: slug,
      slug,
      ai_provider_id: "openai",
      key: PROVIDER_KEY,
      configurations: { custom_host: `${upstream.url}/v1` },
    };
    bodyOf(await api.admin("POST", "/admin/v2/integrations", { ...integration, workspace_id: "default" }));
    const client = new OpenAI({ apiKey: GATEWAY_KEY, baseURL: `${api.gateway.base}/v1`, dangerouslyAllowBrowser: true });
    const session = withPlainSockets(
      () => new OpenAIRealtimeWebSocket({ model: `@${slug}/gpt-realtime`, dangerouslyAllowBrowser: true }, client),
    );
    await new Promise((resolve, reject) => {
      session.socket.addEventListener("open", resolve);
      session.on("error", reject);
    });
    expect(session.socket.protocol).toBe("realtime");
    const asked = upstream.asked.at(-1) ?? "";
    expect([upstream.last.path, upstream.last.headers.authorization]).toEqual([
      "/v1/realtime?model=gpt-realtime",
      `Bearer ${PROVIDER_KEY}`,
    ]);
    expect([asked.includes(GATEWAY_KEY), asked.includes("insecure")]).toEqual([false, false]);
    session.close();
    await until("the provider hears that", () => upstream.last.closed);
    expect(upstream.last.closed).toEqual({ code: 1000, reason: "OK" });
  });
  test("beside a key in the header, the one in the sub-protocol is the provider's", async () => {
    const session = await dial(
      api.gateway,
      { "x-gateway-provider": "openai", "x-gateway-custom-host": `${upstream.url}/v1` },
      { protocols: ["realtime", `openai-insecure-api-key.${PROVIDER_KEY}`] },
    );
    expect([upstream.last.headers.authorization, upstream.last.headers["sec-websocket-protocol"]]).toEqual([
      `Bearer ${PROVIDER_KEY}`,
      "realtime",
    ]);
    session.close();
  });
  test.each(["x-ai", "openai-compatible"])(verifies("D7.12.providers", "%s is asked in the same way"), async (provider) => {
    const session = await dial(api.gateway, { ...STAND_IN, "x-gateway-provider": provider });
    expect([upstream.last.path, upstream.last.headers.authorization]).toEqual([
      "/v1/realtime?model=gpt-realtime",
      `Bearer ${PROVIDER_KEY}`,
    ]);
    session.close();
  });
  test(verifies("D7.12.model-slug", "the model's name may choose a saved provider, whose key and host it brings"), async () => {
    const integration = { name: "Voices", slug: "voices", ai_provider_id: "openai", key: "sk-saved", workspace_id: "default" };
    bodyOf(await api.admin("POST", "/admin/v2/integrations", { ...integration, configurations: { custom_host: `${upstream.url}/v1` } }));
    const session = await dial(api.gateway, {}, { query: "?model=@voices/gpt-realtime" });
    expect([upstream.last.path, upstream.last.headers.authorization]).toEqual(["/v1/realtime?model=gpt-realtime", "Bearer sk-saved"]);
    session.close();
  });
  test("a key may come in the query, and goes no further", async () => {
    const session = await dial(
      api.gateway,
      { ...STAND_IN, authorization: "" },
      { key: null, query: `?model=m&api-key=${GATEWAY_KEY}&x=1` },
    );
    expect(upstream.last.path).toBe("/v1/realtime?model=m&x=1");
    session.close();
  });
});

describe("messages", () => {
  test(verifies("D7.12.relayed", "travel as they came, both ways: odd JSON, other alphabets, pieces and bytes"), async () => {
    const session = await dial(api.gateway, STAND_IN, {
      protocols: ["realtime", "openai-beta.realtime-v1"],
      query: "?model=a%20b&intent=transcription",
    });
    const texts = ['{"type":"x", "a":1.0,\n"b":"Grüße 😀"}', "no JSON at all", "", `{"pad":"${"x".repeat(300_000)}"}`];
    for (const text of texts) session.say(text);
    await until("all of them arrive", () => upstream.last.received.length === texts.length);
    expect(upstream.last.received).toEqual(texts);
    for (const text of texts) upstream.last.say(text);
    const emoji = Buffer.from("😀 in pieces");
    upstream.last.write(Buffer.concat([frame(1, emoji.subarray(0, 2), false), frame(9, "ping"), frame(0, emoji.subarray(2))]));
    upstream.last.write(frame(2, new Uint8Array([0, 255, 128])));
    await until("all of them come back", () => session.messages.length === texts.length + 1 && session.binary.length === 1);
    expect([session.messages, [...(session.binary[0] ?? [])]]).toEqual([
      [...texts, "😀 in pieces"],
      [0, 255, 128],
    ]);
    expect([session.protocol, upstream.last.path]).toEqual(["realtime", "/v1/realtime?model=a+b&intent=transcription"]);
    session.close();
  });
  test("larger than allowed end the session with 1009, whichever side says them", async () => {
    const session = await dial(api.gateway, STAND_IN);
    upstream.last.write(Buffer.concat([Buffer.from([0x81, 127]), Buffer.from([0, 0, 0, 0, 2, 0, 0, 0])])); // 32 MB are announced
    expect((await session.end()).code).toBe(1009);
  });
  test("that no frame may hold end it with 1002 or 1007", async () => {
    for (const [bytes, code] of [
      [frame(1, new Uint8Array([0xff, 0xfe])), 1007],
      [Buffer.from([0xf1, 0]), 1002],
      [Buffer.from([0x83, 0]), 1002],
      [Buffer.from([0x81, 0x80, 0, 0, 0, 0]), 1002],
      [frame(0, "no beginning"), 1002],
      [frame(9, "half a ping", false), 1002],
    ] as const) {
      const session = await dial(api.gateway, STAND_IN);
      upstream.last.write(bytes);
      const { code: told } = await session.end();
      await until("the provider hears it", () => upstream.last.closed);
      expect([told, upstream.last.closed]).toMatchObject([code, { code }]);
    }
  });
});

describe("close codes", () => {
  test(verifies("D7.12.closes", "and reasons of either side reach the other"), async () => {
    const first = await dial(api.gateway, STAND_IN);
    upstream.last.close(4001, "session expired");
    expect(await first.end()).toEqual({ code: 4001, reason: "session expired" });
    const second = await dial(api.gateway, STAND_IN);
    second.close(3999, "good night");
    await until("the provider hears it", () => upstream.last.closed);
    expect(upstream.last.closed).toEqual({ code: 3999, reason: "good night" });
  });
  test("a provider whose connection breaks is 1014 to the client", async () => {
    const session = await dial(api.gateway, STAND_IN);
    upstream.last.cut();
    expect(await session.end()).toMatchObject({ code: 1014, reason: "the provider's connection broke" });
  });
  test("a client that vanishes is 1001 to the provider", async () => {
    const session = await dial(api.gateway, STAND_IN);
    session.cut();
    await until("the provider hears it", () => upstream.last.closed);
    expect(upstream.last.closed).toMatchObject({ code: 1001 });
  });
  test("a close frame without a code is 1000", async () => {
    const session = await dial(api.gateway, STAND_IN);
    upstream.last.write(frame(8, ""));
    expect((await session.end()).code).toBe(1000);
    expect(closeFrame(1000, "")).toEqual(frame(8, new Uint8Array([3, 232])));
  });
});

describe("before the upgrade", () => {
  const KEY = { "x-gateway-api-key": GATEWAY_KEY };
  test(verifies("D7.12.refused", "what is refused is a plain answer: key, scope, limit, provider, host"), async () => {
    const statusOf = async (headers: Readonly<Record<string, string>>, query?: string) =>
      (await refusalOf(api.gateway, headers, query)).status;
    expect(await statusOf(SANDBOX)).toBe(401);
    expect(await statusOf({ ...SANDBOX, "x-gateway-api-key": "nobody-knows-this-key-000000000" })).toBe(401);
    expect(await statusOf({ ...SANDBOX, "x-gateway-api-key": await newKey(api, { scopes: ["models.list"] }) })).toBe(403);
    expect(await statusOf(KEY)).toBe(400);
    expect(await statusOf({ ...KEY, "x-gateway-provider": "anthropic", authorization: "Bearer k" })).toBe(400);
    const blocked = await refusalOf(api.gateway, { ...KEY, ...STAND_IN, "x-gateway-custom-host": "http://127.0.0.2:9/v1" });
    expect([blocked.status, blocked.text]).toEqual([400, expect.stringContaining("may not be called")]);
    const limited = await newKey(api, { rate_limits: [{ type: "requests", unit: "rph", value: 1 }] });
    (await dial(api.gateway, SANDBOX, { key: limited })).close();
    const refused = await refusalOf(api.gateway, { ...SANDBOX, "x-gateway-api-key": limited });
    expect([refused.status, JSON.parse(refused.text).error.type]).toEqual([429, "rate_limit_error"]);
  });
  test("a provider's refusal keeps its status and its words, without its key", async () => {
    upstream.refuse({
      status: 401,
      body: JSON.stringify({
        error: { message: `Incorrect API key provided: ${PROVIDER_KEY}`, type: "invalid_request_error", code: "invalid_api_key" },
      }),
    });
    const { status, text } = await refusalOf(api.gateway, { ...KEY, ...STAND_IN });
    upstream.refuse(null);
    expect([status, JSON.parse(text)]).toMatchObject([401, { error: { code: "invalid_api_key" }, provider: "openai" }]);
    expect(text).not.toContain(PROVIDER_KEY);
  });
  test("a fallback opens the session elsewhere", async () => {
    upstream.refuse({ status: 503, body: "{}" });
    const targets = [{ provider: "openai", custom_host: `${upstream.url}/v1`, api_key: "k" }, { provider: "sandbox" }];
    const config = JSON.stringify({ strategy: { mode: "fallback" }, targets });
    const session = await dial(api.gateway, { "x-gateway-config": config });
    upstream.refuse(null);
    expect(await session.event("session.created")).toMatchObject({ session: { id: "sess_sandbox" } });
    session.close();
  });
  test("a request that asks for no upgrade is told what to ask", async () => {
    const answer = await fetch(`${api.gateway.base}/v1/realtime`, { headers: { ...KEY, ...SANDBOX } });
    expect([answer.status, answer.headers.get("upgrade")]).toEqual([426, "websocket"]);
  });
});

describe("a session in the log", () => {
  test(verifies("D7.12.logged", "is one record with what was said, its tokens by kind, its cost, and who closed it"), async () => {
    const { id, session } = await dialForLog(api.gateway, STAND_IN);
    session.send(JSON.stringify({ type: "response.create" }));
    session.send(JSON.stringify({ type: "input_audio_buffer.append", audio: "QUJD" }));
    await until("they arrive", () => upstream.last.received.length === 2);
    upstream.last.say(DONE);
    upstream.last.say({ ...DONE, response: { ...DONE.response, id: "resp_2" } });
    upstream.last.close(1000, "that was it");
    const log = await logOf(api, id);
    const body = at(log, "response", "body");
    expect(body).toMatchObject({
      messages: [
        { by: "client", message: { type: "response.create" } },
        { by: "provider", message: { type: "response.done" } },
        { by: "provider", message: { response: { id: "resp_2" } } },
      ],
      messages_left_out: 1,
      close: { by: "provider", code: 1000, reason: "that was it" },
    });
    expect(at(log, "metrics")).toMatchObject({ ai_model: "gpt-realtime", req_units: 260, res_units: 200 });
    expect(Number(at(log, "metrics", "cost"))).toBeGreaterThan(0);
  });
  test.each([
    ["a client that vanishes", "client"],
    ["a provider that breaks off", "provider"],
  ] as const)("is written when it ends with %s", async (_, who) => {
    const { id, session } = await dialForLog(api.gateway, STAND_IN);
    upstream.last.say(DONE);
    await until("it was told", () => session.heard.length === 1);
    if (who === "client") session.cut();
    else upstream.last.cut();
    const log = await logOf(api, id);
    expect(at(log, "metrics")).toMatchObject({ req_units: 130, res_units: 100 });
    expect(at(log, "response", "body", "close")).toMatchObject({ by: who, code: 1006 });
  });

  const begun = { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } };
  const piece = (delta: string) => ({
    ...{ type: "response.output_audio_transcript.delta", response_id: "resp_1", item_id: "i", output_index: 0, content_index: 0 },
    delta,
  });
  test.each([
    ["its client leaves", "client"],
    ["its provider breaks off", "provider"],
  ] as const)(verifies("D7.12.estimated", "counts what an answer has said that never ends: %s"), async (_, who) => {
    const { id, session } = await dialForLog(api.gateway, STAND_IN);
    session.send(JSON.stringify({ type: "response.create", response: { instructions: "Say a few words about the weather." } }));
    await until("it arrives", () => upstream.last.received.length === 1);
    upstream.last.say({ ...DONE, response: { ...DONE.response, id: "resp_0" } });
    upstream.last.say(begun);
    for (const word of ["It ", "will ", "rain ", "all ", "day."]) upstream.last.say(piece(word));
    upstream.last.say({ type: "response.output_audio.delta", response_id: "resp_1", item_id: "i", delta: "A".repeat(4_000) });
    await until("it was told", () => session.heard.join("").includes("response.output_audio.delta"));
    if (who === "client") session.cut();
    else upstream.last.cut();
    const metrics = at(await logOf(api, id), "metrics");
    expect(Number(at(metrics, "res_units"))).toBeWithin(104, 120); // 100 were reported of the one before it
    expect(Number(at(metrics, "req_units"))).toBeWithin(135, 150);
  });
});
