/** Guardrails, fallback, limits of who asks and logs for clients of the gemini dialect. */
import { describe, expect, test } from "bun:test";
import { ApiError } from "@google/genai";
import { jsonAnswer, type Received, type Replay, sseAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { at, forAll, logOf } from "../endpoints/api.ts";
import { denies, redacted } from "../guarded.ts";
import { chatBody, chatStream, inEither } from "../messages/stand-ins.ts";
import { GATEWAY_KEY } from "../process.ts";
import { byGoogle, clientOf, type Json, PROVIDER_KEY } from "./stand-ins.ts";

const api = forAll();
const asks = { model: "gemini-2.5-flash", contents: "Hello" };
const SECRET = "the secret word";
const PARTS = [
  { text: "hm", thought: true, thoughtSignature: "c2ln" },
  { text: SECRET },
  { functionCall: { id: "call_1", name: "f", args: { a: 1 } }, thoughtSignature: "Y2FsbA==" },
];
const COMPLETION = { reasoning: "hm", text: SECRET, calls: [{ id: "call_1", name: "f", arguments: '{"a":1}' }], finish: "tool_calls" };
const answers = {
  google: () => byGoogle(PARTS),
  "openai-compatible": () => inEither(chatStream(COMPLETION), chatBody(COMPLETION)),
} as const;
const WIRES = [["google"], ["openai-compatible"]] as const;
type Wire = (typeof WIRES)[number][0];

const target = (provider: string, path = "") => ({ provider, api_key: "k", custom_host: `${api.upstream.url}${path}` });
const clientWith = (config: object, headers: Readonly<Record<string, string>> = {}) =>
  clientOf(api.gateway.base, { "x-gateway-config": JSON.stringify(config), ...headers });
const ask = (config: object, stream: boolean, headers: Readonly<Record<string, string>> = {}, body: Json = QUESTION): Promise<Response> =>
  fetch(`${api.gateway.base}/v1beta/models/gemini-2.5-flash:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-goog-api-key": PROVIDER_KEY,
      "x-gateway-api-key": GATEWAY_KEY,
      "x-gateway-config": JSON.stringify(config),
      ...headers,
    },
    body: JSON.stringify(body),
  });
const QUESTION = { contents: [{ role: "user", parts: [{ text: "Hello" }] }] };

/** An answer, whole or of a stream's chunks. */
async function parts(config: object, stream: boolean) {
  const client = clientWith(config);
  const chunks = [];
  if (stream) for await (const chunk of await client.models.generateContentStream(asks)) chunks.push(chunk);
  else chunks.push(await client.models.generateContent(asks));
  return { parts: chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []), last: chunks.at(-1) };
}
async function refusalOf(config: object, stream: boolean): Promise<{ readonly status: number; readonly body: Json }> {
  try {
    return expect.unreachable(JSON.stringify(await parts(config, stream)));
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ApiError);
    const { status, message } = thrown as ApiError;
    return { status, body: JSON.parse(message) as Json };
  }
}

describe.each(WIRES)("over %s", (wire: Wire) => {
  test.each([false, true])(
    verifies("D7.gemini.guarded", "a denied request never reaches the provider, and is an error of Google's form (stream: %p)"),
    async (stream) => {
      const before = api.upstream.received.length;
      const { status, body } = await refusalOf({ ...target(wire), input_guardrails: denies("Hello") }, stream);
      expect(status).toBe(446);
      expect(body).toMatchObject({
        error: { code: 446, status: "FAILED_PRECONDITION", details: [{ metadata: { type: "hooks_failed" } }] },
        hook_results: { before_request_hooks: [{ verdict: false, deny: true }] },
      });
      expect(api.upstream.received.length).toBe(before);
    },
  );
  test.each([false, true])("a denied answer is not told (stream: %p)", async (stream) => {
    api.upstream.answer(answers[wire]());
    const { status, body } = await refusalOf({ ...target(wire), output_guardrails: denies("secret") }, stream);
    expect([status, JSON.stringify(body).includes(SECRET)]).toEqual([446, false]);
  });
  test.each([false, true])("a webhook takes words out of the answer, and the rest of it stays (stream: %p)", async (stream) => {
    const answer = answers[wire]();
    api.upstream.answer((request) => (request.path === "/hook" ? redacted(request) : answer(request)));
    const config = {
      ...target(wire),
      output_guardrails: [{ id: "redact", "default.webhook": { webhookURL: `${api.upstream.url}/hook` } }],
    };
    const { parts: told, last } = await parts(config, stream);
    const [thought, text, call] = told;
    expect([thought?.text, thought?.thought, text?.text]).toEqual(["hm", true, "the [removed] word"]);
    expect([thought?.thoughtSignature, call?.thoughtSignature]).toEqual(wire === "google" ? ["c2ln", "Y2FsbA=="] : [undefined, undefined]);
    expect(call?.functionCall).toMatchObject({ name: "f", args: { a: 1 } });
    expect([told.length, String(last?.candidates?.[0]?.finishReason)]).toEqual([3, "STOP"]);
    expect((last?.usageMetadata?.candidatesTokenCount ?? 0) > 0).toBeTrue();
  });
  test.each([false, true])("a webhook changes what is asked, and the provider gets that (stream: %p)", async (stream) => {
    const answer = answers[wire]();
    api.upstream.answer((request) => (request.path === "/hook" ? asksAnother(request) : answer(request)));
    const config = { ...target(wire), input_guardrails: [{ id: "redact", "default.webhook": { webhookURL: `${api.upstream.url}/hook` } }] };
    await parts(config, stream);
    const { path, json } = api.upstream.received.at(-1) ?? expect.unreachable();
    const sent = json() as Json;
    expect(JSON.stringify(sent)).toContain("Goodbye");
    expect(JSON.stringify(sent)).not.toContain("Hello");
    if (wire === "google")
      expect([path.split("?")[0], Object.keys(sent)]).toEqual([expect.stringContaining("gemini-2.5-flash:"), ["contents"]]);
  });
  test("what guardrails found stands in chunks that clients read past, where the client does not insist on the strict form", async () => {
    api.upstream.answer(answers[wire]());
    const config = { ...target(wire), input_guardrails: denies("nowhere"), output_guardrails: denies("nowhere") };
    const text = await (await ask(config, true, { "x-gateway-strict-open-ai-compliance": "false" })).text();
    const notes = text.split("\n\n").filter((frame) => frame.includes("hook_results"));
    expect(notes.map((note) => Object.keys((JSON.parse(note.slice("data: ".length)) as { hook_results: Json }).hook_results))).toEqual([
      ["before_request_hooks"],
      ["after_request_hooks"],
    ]);
    const chat = clientWith(config, { "x-gateway-strict-open-ai-compliance": "false" }).chats.create({ model: asks.model });
    for await (const _ of await chat.sendMessageStream({ message: "Hello" }));
    const texts = chat.getHistory(true).flatMap(({ parts: kept = [] }) => kept.map(({ text = "", thought }) => (thought ? "" : text)));
    expect(texts.join("")).toBe(`Hello${SECRET}`);
  });
  test.each([false, true])("the log has the tokens, and what was said (stream: %p)", async (stream) => {
    api.upstream.answer(answers[wire]());
    const response = await ask(target(wire), stream);
    await response.text();
    const { metrics, request } = await logOf(api, String(response.headers.get("x-gateway-trace-id")));
    expect(metrics).toMatchObject({ ai_org: wire, total_units: 22 });
    const path = `/v1beta/models/gemini-2.5-flash:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`;
    expect(request).toMatchObject({ url: `${api.gateway.base}${path}`, body: QUESTION });
  });
});
function asksAnother({ json }: Received): Replay {
  const { request } = json() as { request: { json: Json } };
  const other = JSON.parse(JSON.stringify(request.json).replaceAll("Hello", "Goodbye")) as Json;
  return jsonAnswer({ verdict: true, transformedData: { request: { json: other } } });
}

const PLACES: readonly (readonly [string, Json])[] = [
  ["the system text", { systemInstruction: { parts: [{ text: SECRET }] } }],
  ["the system text in snake case", { system_instruction: { parts: [{ text: SECRET }] } }],
  ["code that was run", { contents: [{ role: "model", parts: [{ executableCode: { code: SECRET } }] }] }],
];
test.each(PLACES)("a check that looks at all messages finds a word in %s", async (_, body) => {
  const words = { words: ["secret"], operator: "none", scope: "all_messages" };
  const config = { provider: "sandbox", input_guardrails: [{ id: "w", deny: true, "default.contains": words }] };
  const answer = await ask(config, false, {}, { ...QUESTION, ...body });
  expect(answer.status).toBe(446);
});

test("texts to embed and to count are guarded", async () => {
  const headers = { "content-type": "application/json", "x-gateway-api-key": GATEWAY_KEY };
  const config = JSON.stringify({ provider: "sandbox", input_guardrails: denies("secret") });
  const content = { parts: [{ text: SECRET }] };
  for (const [method, body] of [
    ["embedContent", { content }],
    ["batchEmbedContents", { requests: [{ content }] }],
    ["countTokens", { contents: [content] }],
    ["countTokens", { generateContentRequest: { contents: [content] } }],
  ] as const) {
    const path = `${api.gateway.base}/v1beta/models/sandbox-embedding:${method}`;
    const answer = await fetch(path, { method: "POST", headers: { ...headers, "x-gateway-config": config }, body: JSON.stringify(body) });
    expect([method, answer.status]).toEqual([method, 446]);
  }
});

test("a key in the query is in no log", async () => {
  api.upstream.answer(answers.google());
  const answer = await fetch(`${api.gateway.base}/v1beta/models/gemini-2.5-flash:generateContent?key=${GATEWAY_KEY}&alt=json`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-gateway-config": JSON.stringify(target("google")) },
    body: JSON.stringify(QUESTION),
  });
  expect(answer.status).toBe(200);
  const log = await logOf(api, String(answer.headers.get("x-gateway-trace-id")));
  expect(log.request).toMatchObject({ url: `${api.gateway.base}/v1beta/models/gemini-2.5-flash:generateContent?alt=json` });
  expect([JSON.stringify(log), api.gateway.output()].filter((text) => text.includes(GATEWAY_KEY))).toEqual([]);
});

test("a count of tokens costs nothing and uses nothing", async () => {
  api.upstream.answer(jsonAnswer({ totalTokens: 14 }));
  const answer = await fetch(`${api.gateway.base}/v1beta/models/gemini-2.5-flash:countTokens`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-gateway-api-key": GATEWAY_KEY,
      "x-gateway-config": JSON.stringify(target("google")),
    },
    body: JSON.stringify(QUESTION),
  });
  expect(await answer.json()).toEqual({ totalTokens: 14 });
  const { metrics } = await logOf(api, String(answer.headers.get("x-gateway-trace-id")));
  expect([at(metrics, "req_units"), at(metrics, "res_units")]).toEqual([0, 0]);
  expect(at(metrics, "cost") || 0).toBe(0);
});

test("a conversation with thoughts and functions goes on at another vendor when the first one fails", async () => {
  api.upstream.answer((request) =>
    request.path.startsWith("/google")
      ? jsonAnswer({ error: { code: 503, message: "no", status: "UNAVAILABLE" } }, { status: 503 })
      : sseAnswer(chatStream(COMPLETION)),
  );
  const client = clientWith({
    strategy: { mode: "fallback" },
    targets: [target("google", "/google"), target("openai-compatible", "/other")],
  });
  const contents = [
    { role: "user", parts: [{ text: "Hello" }] },
    { role: "model", parts: PARTS },
    { role: "user", parts: [{ functionResponse: { id: "call_1", name: "f", response: { output: "1" } } }] },
  ];
  const texts = [];
  for await (const chunk of await client.models.generateContentStream({ ...asks, contents })) texts.push(chunk.text ?? "");
  expect(texts.join("")).toBe(SECRET);
  const [first, second] = api.upstream.received.slice(-2).map((request) => request.json() as Json);
  expect(first?.["contents"]).toEqual(contents);
  expect(second?.["messages"]).toEqual([
    { role: "user", content: "Hello" },
    {
      role: "assistant",
      content: SECRET,
      reasoning_content: "hm",
      tool_calls: [{ id: "call_1", type: "function", function: { name: "f", arguments: '{"a":1}' } }],
    },
    { role: "tool", tool_call_id: "call_1", content: "1" },
  ]);
});
