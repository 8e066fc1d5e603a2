/** A failure that a provider calls a good answer (200) is its failure, whatever was asked: told without its key, and others may answer. */
import { describe, expect, test } from "bun:test";
import { jsonAnswer, type Replay, sseAnswer } from "../../kit/replay.ts";
import { GATEWAY_KEY } from "../process.ts";
import { at, forAll, type Json } from "./api.ts";

const api = forAll();
const KEY = "sk-provider-key-0123456789";
const B = "b-1";
const CD = "Content-Disposition: form-data; ";
const formOf = (file: string, more = ""): string =>
  `--${B}\r\n${CD}name="model"\r\n\r\nm\r\n${more}--${B}\r\n${CD}name="${file}"; filename="a"\r\n\r\nx\r\n--${B}--\r\n`;
const PROMPT = `--${B}\r\n${CD}name="prompt"\r\n\r\np\r\n`;

const OPERATIONS: Readonly<Record<string, Json | string>> = {
  "/v1/embeddings": { model: "m", input: "x" },
  "/v1/moderations": { model: "m", input: "x" },
  "/v1/rerank": { model: "m", query: "q", documents: ["a"] },
  "/v1/images/generations": { model: "m", prompt: "x" },
  "/v1/images/edits": formOf("image", PROMPT),
  "/v1/images/variations": formOf("image"),
  "/v1/audio/speech": { model: "m", input: "x", voice: "alloy" },
  "/v1/audio/transcriptions": formOf("file"),
  "/v1/audio/translations": formOf("file"),
};
const first = (path: string): Json => ({
  provider: path === "/v1/rerank" ? "together-ai" : "openai",
  api_key: KEY,
  custom_host: `${api.upstream.url}/v1`,
});
async function send(path: string, config: Json, body = OPERATIONS[path]) {
  const isForm = typeof body === "string";
  const response = await fetch(api.gateway.base + path, {
    method: "POST",
    headers: {
      "x-gateway-api-key": GATEWAY_KEY,
      "x-gateway-config": JSON.stringify(config),
      "content-type": isForm ? `multipart/form-data; boundary=${B}` : "application/json",
    },
    body: isForm ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, text, json: text.startsWith("{") ? (JSON.parse(text) as Json) : {} };
}
const html = (body: string): Replay => ({ body, headers: { "content-type": "text/html; charset=utf-8" } });
const ERROR = { error: { message: `Incorrect API key provided: ${KEY}`, type: "authentication_error", code: "invalid_api_key" } };

describe.each(Object.keys(OPERATIONS))("%s", (path) => {
  const failures: readonly (readonly [what: string, answer: Replay, status: number])[] = [
    ["an error", jsonAnswer(ERROR), 401],
    ["an error that is a text", jsonAnswer({ error: `no: ${KEY}` }), 502],
    ["a page", html(`<html><body>Bad gateway ${KEY}</body></html>`), 502],
  ];
  test.each(failures)("%s with status 200 is the provider's failure", async (_, answer, status) => {
    api.upstream.answer(answer);
    const { text, json, ...got } = await send(path, first(path));
    expect({ text, ...got }).toEqual({ text, status });
    expect(at(json, "error", "message")).toBeString();
    expect(text).not.toContain(KEY);
  });
  test("another target may answer", async () => {
    for (const [, answer] of failures) {
      api.upstream.answer(({ path: asked }) =>
        asked.startsWith("/second") ? jsonAnswer({ object: "list", data: [], results: [], text: "good" }) : answer,
      );
      const targets = [first(path), { ...first(path), custom_host: `${api.upstream.url}/second/v1` }];
      const { status, text } = await send(path, {
        strategy: { mode: "fallback", on_status_codes: [401, 502] },
        targets,
        retry: { attempts: 1 },
      });
      expect({ text, status, good: text.includes("good") }).toEqual({ text, status: 200, good: true });
    }
  }, 30_000);
});

describe("what is due passes as it came:", () => {
  const due: readonly (readonly [path: string, answer: Replay])[] = [
    ["/v1/embeddings", jsonAnswer({ object: "list", data: [], error: null })],
    ["/v1/audio/speech", { body: "sound", headers: { "content-type": "audio/mpeg" } }],
    ["/v1/audio/speech", { body: "sound", headers: {} }],
    ["/v1/audio/transcriptions", { body: "Hello", headers: { "content-type": "text/plain; charset=utf-8" } }],
    ["/v1/audio/transcriptions", { body: "WEBVTT\n", headers: { "content-type": "text/vtt" } }],
    ["/v1/images/edits", sseAnswer(`event: image_edit.completed\ndata: {"type":"image_edit.completed","b64_json":"AA=="}\n\n`)],
  ];
  test.each(due)("%s %j", async (path, answer) => {
    api.upstream.answer(answer);
    expect(await send(path, first(path))).toMatchObject({ status: 200, text: String(answer.body) });
  });
  test("JSON that calls itself a text is JSON", async () => {
    api.upstream.answer({ body: '{"object":"list","data":[]}', headers: { "content-type": "text/plain" } });
    expect((await send("/v1/embeddings", first("/v1/embeddings"))).status).toBe(200);
    api.upstream.answer({ body: JSON.stringify(ERROR), headers: { "content-type": "text/plain" } });
    expect((await send("/v1/embeddings", first("/v1/embeddings"))).status).toBe(401);
    api.upstream.answer({ body: "oops", headers: { "content-type": "text/plain" } });
    expect((await send("/v1/embeddings", first("/v1/embeddings"))).status).toBe(502);
  });
});

describe("events that begin with an error are a failure:", () => {
  test.each(["/v1/images/generations", "/v1/audio/speech", "/v1/audio/transcriptions"])("%s", async (path) => {
    const body = OPERATIONS[path];
    const asked = typeof body === "string" ? body : { ...body, stream: true, stream_format: "sse" };
    for (const wire of [`event: error\ndata: ${JSON.stringify({ type: "error", ...ERROR })}\n\n`, `data: ${JSON.stringify(ERROR)}\n\n`]) {
      api.upstream.answer(sseAnswer(wire));
      const { status, text } = await send(path, first(path), asked);
      expect({ text, status, shows: text.includes(KEY) }).toEqual({ text, status: 401, shows: false });
    }
  });
});
