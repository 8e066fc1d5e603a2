/** Ways by which a gateway key could leave, or stay in a record, other than as the value of a header. */
import { describe, expect, test } from "bun:test";
import { jsonAnswer, type Received } from "../kit/replay.ts";
import { bodyOf, forAll, type Json, logOf } from "./endpoints/api.ts";
import { ADMIN_KEY, type Answer, ask, GATEWAY_KEY } from "./process.ts";

const api = forAll();
const WORD = "no secret";
const CHAT = { model: "m", messages: [{ role: "user", content: WORD }] };
const ANSWER = { id: "c", object: "chat.completion", created: 1, model: "m", choices: [] };
const chat = (config: Json, body: Json = CHAT, headers: Readonly<Record<string, string>> = {}): Promise<Answer> => {
  api.upstream.answer(jsonAnswer(ANSWER));
  return api.data("POST", "/v1/chat/completions", { "x-gateway-config": JSON.stringify(config), ...headers }, body);
};
const openai = (): Json => ({ provider: "openai", api_key: "sk-provider-key", custom_host: `${api.upstream.url}/v1` });
const everything = ({ path, headers, text }: Received): string => [path, JSON.stringify([...headers]), text()].join("\n").toLowerCase();
/** What was received since a point holds neither key. */
const holdsNone = (from: number): void => {
  const received = api.upstream.received.slice(from).map(everything);
  for (const key of [GATEWAY_KEY, ADMIN_KEY]) expect(received.filter((text) => text.includes(key.toLowerCase()))).toEqual([]);
};
const refusedFor = (answer: Answer): void => {
  expect({ status: answer.status, text: answer.text }).toEqual({
    status: 400,
    text: expect.stringContaining("holds a key of this gateway"),
  });
  expect(answer.text).not.toContain(GATEWAY_KEY);
};

describe("a gateway key as the model is not written into the address of", () => {
  const clouds: Readonly<Record<string, () => Json>> = {
    "google": () => ({ provider: "google", api_key: "k", custom_host: api.upstream.url }),
    "bedrock, which is signed": () => ({
      ...{ provider: "bedrock", aws_access_key_id: "AKIAAAAAAAAAAAAAAAAA", aws_secret_access_key: "s", aws_region: "us-east-1" },
      custom_host: api.upstream.url,
    }),
    "vertex-ai": () => ({
      ...{ provider: "vertex-ai", vertex_project_id: "p", vertex_region: "us-central1", api_key: "token" },
      custom_host: api.upstream.url,
    }),
    "azure-openai": () => ({
      ...{ provider: "azure-openai", api_key: "k", azure_resource_name: "r", azure_api_version: "2024-10-21" },
      custom_host: api.upstream.url,
    }),
  };
  test.each(Object.keys(clouds))("%s", async (name) => {
    const from = api.upstream.received.length;
    for (const key of [GATEWAY_KEY, ADMIN_KEY]) refusedFor(await chat(clouds[name]?.() ?? {}, { ...CHAT, model: key }));
    expect(api.upstream.received.length).toBe(from);
  });
});

test("a form whose boundary is a gateway key is refused", async () => {
  const from = api.upstream.received.length;
  const field = `--${GATEWAY_KEY}\r\ncontent-disposition: form-data; name="model"\r\n\r\nm\r\n`;
  const file = `--${GATEWAY_KEY}\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n--${GATEWAY_KEY}--\r\n`;
  const response = await fetch(`${api.gateway.base}/v1/audio/transcriptions`, {
    method: "POST",
    headers: {
      ...{ ...api.replayed, "x-gateway-api-key": GATEWAY_KEY },
      "content-type": `multipart/form-data; boundary=${GATEWAY_KEY}`,
    },
    body: field + file,
  });
  const text = await response.text();
  expect({ status: response.status, says: text.includes("a key of this gateway") }).toEqual({ status: 400, says: true });
  expect(api.upstream.received.length).toBe(from);
});

describe("a gateway key as the name of a header goes", () => {
  test("to no provider", async () => {
    const from = api.upstream.received.length;
    bodyOf(await chat({ ...openai(), forward_headers: [GATEWAY_KEY, "x-tenant"] }, CHAT, { [GATEWAY_KEY]: "v", "x-tenant": "t" }));
    const named = { "x-gateway-provider": "openai", "x-gateway-custom-host": `${api.upstream.url}/v1` };
    await api.data(
      "POST",
      "/v1/chat/completions",
      { ...named, "x-gateway-forward-headers": `${GATEWAY_KEY},x-tenant`, [GATEWAY_KEY]: "v", "x-tenant": "t" },
      CHAT,
    );
    expect(api.upstream.received.slice(from).map(({ headers }) => headers.get("x-tenant"))).toEqual(["t", "t"]);
    holdsNone(from);
  });
  test("to no webhook", async () => {
    const from = api.upstream.received.length;
    const check = { webhookURL: `${api.upstream.url}/hook`, headers: { [GATEWAY_KEY]: "v", "X-Tenant": "t" } };
    const config = { provider: "sandbox", input_guardrails: [{ "default.webhook": check }] };
    await chat(config, CHAT, { [GATEWAY_KEY]: "v" });
    expect(api.upstream.received.slice(from).map(({ headers }) => headers.get("x-tenant"))).toEqual(["t"]);
    holdsNone(from);
  });
});

test("a gateway key in the metadata of a request goes to no webhook", async () => {
  const from = api.upstream.received.length;
  const config = { provider: "sandbox", input_guardrails: [{ "default.webhook": { webhookURL: `${api.upstream.url}/hook` } }] };
  const metadata = { a: GATEWAY_KEY, [`${ADMIN_KEY}`]: "v", team: "red" };
  await chat(config, CHAT, { "x-gateway-metadata": JSON.stringify(metadata) });
  expect(api.upstream.received.at(from)?.json()).toMatchObject({ metadata: { team: "red" } });
  holdsNone(from);
});

test("a gateway key in the parameters that a config sets counts as not given", async () => {
  const from = api.upstream.received.length;
  const params = { user: GATEWAY_KEY, seed: 7, metadata: { a: `x-${ADMIN_KEY}`, b: "kept" }, stop: ["END", GATEWAY_KEY], [GATEWAY_KEY]: 1 };
  for (const member of ["override_params", "default_params"]) {
    bodyOf(await chat({ ...openai(), [member]: params }));
    expect(api.upstream.received.at(-1)?.json()).toEqual({ ...CHAT, seed: 7, metadata: { b: "kept" }, stop: ["END"] });
  }
  holdsNone(from);
});

test("the caller's key stays in no logged body, wherever it was sent", async () => {
  const ways = [{ "x-gateway-api-key": GATEWAY_KEY }, { authorization: `Bearer ${GATEWAY_KEY}` }, { "x-api-key": GATEWAY_KEY }];
  for (const way of ways) {
    const body = { model: "echo", messages: [{ role: "user", content: `my key is ${GATEWAY_KEY}` }] };
    const headers = { "x-gateway-provider": "sandbox", ...way };
    const { status, headers: answered } = await ask(`${api.gateway.base}/v1/chat/completions`, "POST", null, body, headers);
    expect(status).toBe(200);
    const log = JSON.stringify(await logOf(api, String(answered.get("x-gateway-request-id"))));
    expect({ way: Object.keys(way), shows: log.includes(GATEWAY_KEY), says: log.includes("my key is [redacted]") }).toEqual({
      ...{ way: Object.keys(way), shows: false, says: true },
    });
  }
});

test("who sends no key is told every header that takes one", async () => {
  const { status, text } = await ask(`${api.gateway.base}/v1/chat/completions`, "POST", null, CHAT);
  expect({ status, named: ["x-gateway-api-key", "Authorization: Bearer", "x-api-key"].filter((name) => !text.includes(name)) }).toEqual({
    ...{ status: 401, named: [] },
  });
});

describe("a provider's key in a header of its answer reaches nobody", () => {
  const KEY = "sk-provider-key-0123456789";
  const forms = [0, 1, 2].map((before) => Buffer.from(`${"u".repeat(before)}${KEY}:`).toString("base64"));
  test("in base64, or as part of a name", async () => {
    const headers = {
      "x-echo": `a ${KEY}`,
      "x-b0": forms[0] ?? "",
      "x-b1": `Basic ${forms[1]}`,
      "x-b2": forms[2] ?? "",
      [`x-${KEY}`]: "1",
    };
    api.upstream.answer(jsonAnswer(ANSWER, { headers: { ...headers, "x-kept": "yes" } }));
    const config = JSON.stringify({ ...openai(), api_key: KEY });
    const answer = await api.data("POST", "/v1/chat/completions", { "x-gateway-config": config }, CHAT);
    const seen = JSON.stringify([...answer.headers]);
    expect(answer.headers.get("x-kept")).toBe("yes");
    const core = Buffer.from(KEY).toString("base64").slice(0, 20);
    for (const text of [KEY, core, ...forms.map((form) => form.slice(4, -4))]) expect(seen).not.toContain(text);
  });
  test("nor in base64 in its error", async () => {
    for (const form of forms) {
      api.upstream.answer(jsonAnswer({ error: { message: `You sent ${form}` } }, { status: 401 }));
      const config = JSON.stringify({ ...openai(), api_key: KEY });
      const answer = await api.data("POST", "/v1/chat/completions", { "x-gateway-config": config }, CHAT);
      expect(answer.status).toBe(401);
      expect(answer.text).not.toContain(form.slice(4, -4));
    }
  });
});
