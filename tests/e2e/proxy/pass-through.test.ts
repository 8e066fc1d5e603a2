/** What passes to a provider as it came: below `/v1/proxy`, and where nobody mounts anything. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import { jsonAnswer, type Received, type ReplayServer, replayServer, sseAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import type { Json } from "#contract";
import { ADMIN_KEY, ask, GATEWAY_KEY, type GatewayProcess, startGateway, until } from "../process.ts";

let upstream: ReplayServer;
let gateway: GatewayProcess;
let client: OpenAI;
const target = () => ({ "x-gateway-provider": "openai", "x-gateway-custom-host": `${upstream.url}/v1` });
const headers = () => ({ "x-gateway-api-key": GATEWAY_KEY, authorization: "Bearer sk-provider-key", ...target() });
const seen = (): Received => upstream.received.at(-1) ?? expect.unreachable();
const send = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${gateway.base}${path}`, { ...init, headers: { ...headers(), ...(init.headers as Record<string, string>) } });
const logOf = (answer: Response): Promise<Json> =>
  until("the log is written", async () => {
    const { status, json } = await ask(`${gateway.base}/v1/logs/${answer.headers.get("x-gateway-request-id")}`, "GET", ADMIN_KEY);
    return status === 200 ? json : undefined;
  });

beforeAll(async () => {
  upstream = replayServer();
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: new URL(upstream.url).host } });
  client = new OpenAI({ apiKey: "sk-provider-key", baseURL: `${gateway.base}/v1`, maxRetries: 0, defaultHeaders: { ...headers() } });
}, 30_000);
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await upstream.close();
});
beforeEach(() => upstream.answer(jsonAnswer({ ok: true })));

describe("below /v1/proxy", () => {
  test.each(["GET", "POST", "PUT", "PATCH", "DELETE"])(verifies("D7.15.passes", "%s passes with path, query and body"), async (method) => {
    const body = method === "GET" ? undefined : JSON.stringify({ a: [1, 2.0], "x y": "é" }, null, 1);
    const answer = await send("/v1/proxy/any/thing?x=1&x=2?y=%2F", {
      method,
      ...(body && { body, headers: { "content-type": "application/json" } }),
    });
    expect([answer.status, await answer.text()]).toEqual([200, '{"ok":true}']);
    expect([seen().method, seen().path, seen().text()]).toEqual([method, "/v1/any/thing?x=1&x=2?y=%2F", body ?? ""]);
    expect(seen().headers.get("authorization")).toBe("Bearer sk-provider-key");
    expect(
      [...seen().headers].filter(
        ([name, value]) => (name.startsWith("x-gateway") && name !== "x-gateway-hop") || value.includes(GATEWAY_KEY),
      ),
    ).toEqual([]);
  });
  test("bytes of any type pass as they are, both ways", async () => {
    const bytes = crypto.getRandomValues(new Uint8Array(70_000));
    upstream.answer({ body: bytes, status: 206, headers: { "content-type": "video/mp4", "content-range": "bytes 0-69999/70000" } });
    const answer = await send("/v1/proxy/blobs", {
      method: "PUT",
      body: bytes,
      headers: { "content-type": "application/x-own", range: "bytes=0-", accept: "video/*" },
    });
    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("content-range")]).toEqual([
      206,
      "video/mp4",
      "bytes 0-69999/70000",
    ]);
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
    expect(Buffer.from(seen().body).equals(bytes)).toBe(true);
    expect(["content-type", "range", "accept"].map((name) => seen().headers.get(name))).toEqual([
      "application/x-own",
      "bytes=0-",
      "video/*",
    ]);
  });
  test.each(["[1,2]", "7", '"x"', "not json"])("an answer that is no object passes: %s", async (text) => {
    upstream.answer(jsonAnswer(text));
    expect(await (await send("/v1/proxy/odd")).text()).toBe(text);
  });
  test(verifies("D7.15.prefix", "a path of the control plane, and a mounted one, reach the provider"), async () => {
    for (const path of ["/configs", "/models", "/health", "/logs"]) {
      await send(`/v1/proxy${path}`);
      expect(seen().path).toBe(`/v1${path}`);
    }
  });
  test("`@slug/model` in a JSON body, and no provider at all", async () => {
    const body = JSON.stringify({ model: "@nobody/m" });
    const init = { method: "POST", body, headers: { "x-gateway-api-key": GATEWAY_KEY, "content-type": "application/json" } };
    const answer = await fetch(`${gateway.base}/v1/proxy/anything`, init);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("@nobody")]);
    const none = await fetch(`${gateway.base}/v1/proxy/anything`, { headers: { "x-gateway-api-key": GATEWAY_KEY } });
    expect([none.status, await none.text()]).toEqual([400, expect.stringContaining("No provider was chosen")]);
  });
  test("an error of the provider's is told in the client's form, without its key", async () => {
    upstream.answer(jsonAnswer({ error: { message: "no sk-provider-key", type: "t", code: "c" } }, { status: 418 }));
    const answer = await send("/v1/proxy/teapot");
    expect([answer.status, await answer.json()]).toMatchObject([
      418,
      { error: { message: expect.stringContaining("[redacted]"), code: "c" } },
    ]);
  });
});

describe("a path that nobody mounts", () => {
  test(verifies("D7.15.unknown", "passes where a provider is chosen, and is a 404 where none is"), async () => {
    expect((await send("/v1/evals/x/runs?limit=1")).status).toBe(200);
    expect(seen().path).toBe("/v1/evals/x/runs?limit=1");
    for (const key of [null, GATEWAY_KEY]) {
      const answer = await ask(`${gateway.base}/v1/evals/x`, "GET", key);
      expect([answer.status, answer.text]).toEqual([404, expect.stringContaining("There is no route GET /v1/evals/x.")]);
    }
    expect((await ask(`${gateway.base}/v1/evals`, "GET", "nobody", undefined, target())).status).toBe(401);
    expect((await ask(`${gateway.base}/v1/evals`, "GET", null, undefined, target())).status).toBe(401);
  });
  test("is not one of the control plane's, whose bodies are no provider's to see", async () => {
    const before = upstream.received.length;
    const closed = {
      "/configs": 403,
      "/Configs/x": 404,
      "/integrations": 403,
      "/api-keys/service": 403,
      "/plugins": 403,
      "/%63onfigs": 404,
    };
    for (const [path, status] of Object.entries(closed)) {
      const answer = await send(`/v1${path}`, { method: "POST", body: "{}", headers: { "content-type": "application/json" } });
      expect([path, answer.status]).toEqual([path, status]);
    }
    for (const path of ["/api-keys/x/rotate", "/integrations/i1/models", "/admin/users", "/v2/plugins", "/guardrails/x/try"]) {
      const answer = await send(`/v1${path}`, { method: "POST", body: "{}", headers: { "content-type": "application/json" } });
      expect({ path, isRefused: [403, 404, 405].includes(answer.status) }).toEqual({ path, isRefused: true });
    }
    expect(upstream.received.length).toBe(before);
  });
  test(verifies("D7.15.methods", "a mounted path under another method passes"), async () => {
    expect((await send("/v1/chat/completions?limit=2")).status).toBe(200);
    expect([seen().method, seen().path]).toEqual(["GET", "/v1/chat/completions?limit=2"]);
    for (const key of [null, GATEWAY_KEY]) expect((await ask(`${gateway.base}/v1/chat/completions`, "GET", key)).status).toBe(405);
  });
  test(verifies("D7.15.videos", "the official client makes, reads and downloads videos, and posts anywhere"), async () => {
    const VIDEO = { id: "video_1", object: "video", status: "completed", model: "sora-2", progress: 100 };
    upstream.answer(({ path }) =>
      path.endsWith("/content") ? { body: "film", headers: { "content-type": "video/mp4" } } : jsonAnswer(VIDEO),
    );
    const file = await toFile(Buffer.from("still"), "still.png", { type: "image/png" });
    expect(await client.videos.create({ model: "sora-2", prompt: "A cat", input_reference: file })).toMatchObject(VIDEO);
    expect([seen().path, seen().headers.get("content-type"), seen().text()]).toEqual([
      "/v1/videos",
      expect.stringContaining("multipart/form-data; boundary="),
      expect.stringContaining("still"),
    ]);
    expect(await client.videos.retrieve("video_1")).toMatchObject(VIDEO);
    expect(await (await client.videos.downloadContent("video_1")).text()).toBe("film");
    expect(await client.post("/anything", { body: { deep: { a: 1 } } })).toMatchObject(VIDEO);
    expect([seen().method, seen().path, seen().json()]).toEqual(["POST", "/v1/anything", { deep: { a: 1 } }]);
  });
});

describe("what passed is told", () => {
  const CHAT = {
    id: "c",
    object: "chat.completion",
    model: "gpt-4o-mini",
    choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 },
  };
  test.each([
    ["chat", "/v1/proxy/chat/completions", CHAT],
    ["chat elsewhere", "/v1/proxy/own/chat", CHAT],
    [
      "embeddings",
      "/v1/proxy/own/embeddings",
      { object: "list", data: [], model: "gpt-4o-mini", usage: { prompt_tokens: 1000, total_tokens: 1000 } },
    ],
    [
      "messages",
      "/v1/proxy/own/messages",
      { type: "message", model: "gpt-4o-mini", usage: { input_tokens: 1000, output_tokens: 500, cache_read_input_tokens: 0 } },
    ],
    [
      "responses",
      "/v1/proxy/own/responses",
      { object: "response", model: "gpt-4o-mini", usage: { input_tokens: 1000, output_tokens: 500 } },
    ],
  ])(verifies("D7.15.usage", "request type, usage and cost of %s"), async (_, path, answer) => {
    const usesOutput = !path.endsWith("embeddings");
    upstream.answer(jsonAnswer(answer));
    const body = JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "Hi" }] });
    const answered = await send(path, { method: "POST", body, headers: { "content-type": "application/json" } });
    expect(await answered.json()).toEqual(answer);
    expect(await logOf(answered)).toMatchObject({
      request: { url: `${gateway.base}${path}`, body: { model: "gpt-4o-mini" } },
      response: { body: answer },
      metrics: { is_proxy_call: true, ai_model: "gpt-4o-mini", req_units: 1000, res_units: usesOutput ? 500 : 0, cost: expect.any(Number) },
      gateway: { operation: "proxy" },
    });
  });
  test("usage of a stream, whose bytes pass as they come", async () => {
    const wire =
      'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: {"choices":[],"usage":{"prompt_tokens":1234,"completion_tokens":5}}\n\ndata: [DONE]\n\n';
    for (const path of ["/v1/proxy/chat/completions", "/v1/proxy/own/chat"]) {
      upstream.answer(sseAnswer(wire));
      const body = JSON.stringify({ model: "gpt-4o-mini", stream: true, messages: [{ role: "user", content: "Hi" }] });
      const answered = await send(path, { method: "POST", body, headers: { "content-type": "application/json" } });
      expect([answered.headers.get("content-type")?.split(";")[0], await answered.text()]).toEqual(["text/event-stream", wire]);
      expect(seen().text()).toBe(body);
      expect(await logOf(answered)).toMatchObject({ metrics: { req_units: 1234, res_units: 5 } });
    }
  });
});
