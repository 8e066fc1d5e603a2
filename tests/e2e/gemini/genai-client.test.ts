/**
 * The official Gemini client against the running gateway: over Google's own wire, over Anthropic's and an
 * OpenAI-compatible server by translation, and over the offline provider.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { sealedSignature, signedBy } from "#contract";
import { ApiError, FinishReason, FunctionCallingConfigMode, type GenerateContentParameters, GoogleGenAI, Type } from "@google/genai";
import { jsonAnswer, type ReplayServer, replayServer, sseAnswer } from "../../kit/replay.ts";
import { anthropicBody, anthropicStream, chatBody, chatStream, inEither } from "../messages/stand-ins.ts";
import { verifies } from "../../requirements/verifies.ts";
import { GATEWAY_KEY, type GatewayProcess, startGateway } from "../process.ts";
import { clientOf, geminiBody, geminiStream, type Json, PROVIDER_KEY } from "./stand-ins.ts";

let upstream: ReplayServer;
let gateway: GatewayProcess;
/** Over each of the wires. */
let google: GoogleGenAI;
let anthropic: GoogleGenAI;
let compatible: GoogleGenAI;
let sandbox: GoogleGenAI;

beforeAll(async () => {
  upstream = replayServer();
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: new URL(upstream.url).host } });
  google = clientOf(gateway.base, { "x-gateway-provider": "google", "x-gateway-custom-host": upstream.url });
  const host = { "x-gateway-custom-host": `${upstream.url}/v1` };
  anthropic = clientOf(gateway.base, { "x-gateway-provider": "anthropic", ...host });
  compatible = clientOf(gateway.base, { "x-gateway-provider": "openai-compatible", ...host });
  sandbox = new GoogleGenAI({
    apiKey: GATEWAY_KEY,
    httpOptions: { baseUrl: gateway.base, headers: { "x-gateway-provider": "sandbox" } },
  });
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await upstream.close();
});

const asks = { model: "gemini-2.5-flash", contents: "Hello" };
const weather = {
  name: "weather",
  description: "The weather of a city",
  parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING, nullable: true } }, required: ["city"] },
};
const tools = [{ functionDeclarations: [weather] }];
const sent = (): Json => (upstream.received.at(-1)?.json() ?? {}) as Json;
const errorOf = async (call: Promise<unknown>): Promise<ApiError> => {
  try {
    return expect.unreachable(`it answered ${JSON.stringify(await call)}`);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ApiError);
    return thrown as ApiError;
  }
};
/** All that a stream told. */
async function collectStream(client: GoogleGenAI, params: GenerateContentParameters) {
  const chunks = [];
  for await (const chunk of await client.models.generateContentStream(params)) chunks.push(chunk);
  const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
  return {
    text: parts.map(({ text, thought }) => (thought ? "" : (text ?? ""))).join(""),
    thoughts: parts.map(({ text, thought }) => (thought ? (text ?? "") : "")).join(""),
    signatures: parts.flatMap(({ thoughtSignature }) => thoughtSignature ?? []),
    calls: chunks.flatMap((chunk) => chunk.functionCalls ?? []),
    finish: chunks.at(-1)?.candidates?.[0]?.finishReason,
    usage: chunks.at(-1)?.usageMetadata,
  };
}
/** With the raw bytes of the client's request and answer. */
const raw = (path: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(`${gateway.base}${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-gateway-api-key": GATEWAY_KEY,
      "x-goog-api-key": PROVIDER_KEY,
      "x-gateway-provider": "google",
      "x-gateway-custom-host": upstream.url,
      ...headers,
    },
    body,
  });

describe("Google's own wire", () => {
  const parts = [
    { text: "Let me look.", thought: true },
    { text: "It is sunny.", thoughtSignature: "c2lnbmVk" },
    { functionCall: { id: "call-1", name: "weather", args: { city: "Oslo" } }, thoughtSignature: "Y2FsbA==" },
  ];

  test(verifies("D7.gemini.native", "bodies and whole answers pass byte for byte, with the provider's key"), async () => {
    const body = JSON.stringify(geminiBody(parts, { groundingMetadata: { webSearchQueries: ["q"] } }), null, 2);
    upstream.answer(jsonAnswer(body));
    const asked = '{ "contents": [ {"parts": [{"text": "Hi"}]} ], "safetySettings": [], "x_tomorrow": 1.0 }';
    const answer = await raw("/v1beta/models/gemini-2.5-flash:generateContent", asked);
    expect([answer.status, await answer.text()]).toEqual([200, body]);
    const seen = upstream.received.at(-1);
    expect([seen?.path, seen?.text()]).toEqual(["/v1beta/models/gemini-2.5-flash:generateContent", asked]);
    expect([seen?.headers.get("x-goog-api-key"), seen?.headers.get("authorization")]).toEqual([PROVIDER_KEY, null]);

    const { text, functionCalls, usageMetadata } = await google.models.generateContent({ ...asks, config: { tools } });
    expect([text, functionCalls?.[0]?.args, usageMetadata?.cachedContentTokenCount]).toEqual(["It is sunny.", { city: "Oslo" }, 4]);
  });

  test(verifies("D7.gemini.list", "streams pass byte for byte; without alt=sse the same chunks are one JSON list"), async () => {
    upstream.answer(sseAnswer(geminiStream(parts)));
    const body = JSON.stringify({ contents: [{ parts: [{ text: "Hi" }] }] });
    const events = await raw("/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse", body);
    expect([events.headers.get("content-type"), await events.text()]).toEqual(["text/event-stream; charset=utf-8", geminiStream(parts)]);
    expect(upstream.received.at(-1)?.path).toBe("/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse");
    const list = await raw("/v1beta/models/gemini-2.5-flash:streamGenerateContent", body);
    expect(list.headers.get("content-type")).toBe("application/json; charset=utf-8");
    const chunks = (await list.json()) as readonly Json[];
    expect(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join("")).toBe(geminiStream(parts));
    expect(upstream.received.at(-1)?.path).toBe("/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse");

    const { text, thoughts, signatures, calls, finish } = await collectStream(google, asks);
    expect([text, thoughts, signatures]).toEqual(["It is sunny.", "Let me look.", ["c2lnbmVk", "Y2FsbA=="]]);
    expect([calls[0]?.name, finish]).toEqual(["weather", FinishReason.STOP]);
  });

  test(verifies("D7.gemini.key", "a key in the query opens the gateway, and goes no further"), async () => {
    upstream.answer(jsonAnswer(geminiBody([{ text: "Hi" }])));
    const answer = await fetch(`${gateway.base}/v1beta/models/gemini-2.5-flash:generateContent?key=${GATEWAY_KEY}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-goog-api-key": PROVIDER_KEY,
        "x-gateway-provider": "google",
        "x-gateway-custom-host": upstream.url,
      },
      body: JSON.stringify({ contents: [{ parts: [{ text: "Hi" }] }] }),
    });
    expect(answer.status).toBe(200);
    expect([upstream.received.at(-1)?.path, upstream.received.at(-1)?.headers.get("x-goog-api-key")]).toEqual([
      "/v1beta/models/gemini-2.5-flash:generateContent",
      PROVIDER_KEY,
    ]);
    expect(gateway.output()).not.toContain(GATEWAY_KEY);
  });

  test(verifies("D7.gemini.model", "a config's override of the model is asked in the path, and says nothing in the body"), async () => {
    upstream.answer(jsonAnswer(geminiBody([{ text: "Hi" }])));
    const config = JSON.stringify({ provider: "google", override_params: { model: "gemini-3-pro-preview" }, custom_host: upstream.url });
    const body = JSON.stringify({ model: "models/not-this-one", stream: true, contents: [{ parts: [{ text: "Hi" }] }] });
    expect((await raw("/v1beta/models/gemini-2.5-flash:generateContent", body, { "x-gateway-config": config })).status).toBe(200);
    expect(upstream.received.at(-1)?.path).toBe("/v1beta/models/gemini-3-pro-preview:generateContent");
    expect(sent()).toEqual({ contents: [{ parts: [{ text: "Hi" }] }] });
  });

  test(verifies("D7.gemini.embed", "tokens are counted and contents embedded, of the path's model whatever the body names"), async () => {
    upstream.answer(jsonAnswer({ totalTokens: 31 }));
    expect((await google.models.countTokens(asks)).totalTokens).toBe(31);
    expect(upstream.received.at(-1)?.path).toBe("/v1beta/models/gemini-2.5-flash:countTokens");
    upstream.answer(jsonAnswer({ embeddings: [{ values: [0.5, 1] }, { values: [2, 3] }] }));
    const { embeddings } = await google.models.embedContent({ model: "gemini-embedding-001", contents: ["a", "b"] });
    expect(embeddings?.map(({ values }) => values)).toEqual([
      [0.5, 1],
      [2, 3],
    ]);
    expect(upstream.received.at(-1)?.path).toBe("/v1beta/models/gemini-embedding-001:batchEmbedContents");
    const other = JSON.stringify({ requests: [{ model: "models/another", content: { parts: [{ text: "a" }] } }] });
    expect((await raw("/v1beta/models/gemini-embedding-001:batchEmbedContents", other)).status).toBe(200);
    expect(sent()).toEqual({ requests: [{ model: "models/gemini-embedding-001", content: { parts: [{ text: "a" }] } }] });
  });

  test(verifies("D7.gemini.errors", "errors are thrown in the client's own class, with Google's words and details"), async () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "7s" }];
    upstream.answer(jsonAnswer({ error: { code: 429, message: "Slow down.", status: "RESOURCE_EXHAUSTED", details } }, { status: 429 }));
    const { status, message } = await errorOf(google.models.generateContent(asks));
    const { error } = JSON.parse(message) as { error: Json };
    expect([status, error["code"], error["status"], error["message"]]).toEqual([
      429,
      429,
      "RESOURCE_EXHAUSTED",
      "google error: Slow down.",
    ]);
    expect((error["details"] as readonly Json[])[0]).toEqual(details[0] ?? {});
    upstream.answer(sseAnswer('data: {"error":{"code":503,"message":"Overloaded.","status":"UNAVAILABLE"}}\r\n\r\n'));
    expect((await errorOf(google.models.generateContentStream(asks))).status).toBe(503);
    const begun = geminiStream([{ text: "a" }, { text: "b" }]).split("\r\n\r\n")[0];
    upstream.answer(sseAnswer(`${begun}\r\n\r\ndata: {"error":{"code":503,"message":"Overloaded.","status":"UNAVAILABLE"}}\r\n\r\n`));
    expect((await errorOf(collectStream(google, asks))).message).toContain("Overloaded.");
  });
});

const THOUGHT = { type: "thinking", thinking: "Let me look.", signature: "c2lnbmVk" };
const SECRET = { type: "redacted_thinking", data: "c2VjcmV0" };
const CALL = { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Oslo" } };

describe("Anthropic by translation", () => {
  const content = [THOUGHT, SECRET, { type: "text", text: "Looking." }, CALL];
  const answers = inEither(anthropicStream({ content, stop: "tool_use" }), anthropicBody({ content, stop: "tool_use" }));

  test("whole and streamed, thoughts, texts and calls are told alike", async () => {
    upstream.answer(answers);
    const whole = await anthropic.models.generateContent({ ...asks, model: "claude-sonnet-4-5", config: { tools } });
    expect([whole.text, whole.functionCalls?.[0]]).toEqual(["Looking.", { id: "toolu_1", name: "weather", args: { city: "Oslo" } }]);
    const parts = whole.candidates?.[0]?.content?.parts ?? [];
    expect(parts[0]).toEqual({ text: "Let me look.", thought: true, thoughtSignature: sealedSignature(signedBy("messages", "c2lnbmVk")) });
    expect(whole.usageMetadata).toMatchObject({ promptTokenCount: 15, cachedContentTokenCount: 3, candidatesTokenCount: 7 });
    const streamed = await collectStream(anthropic, { ...asks, model: "claude-sonnet-4-5", config: { tools } });
    expect([streamed.text, streamed.thoughts, streamed.finish]).toEqual(["Looking.", "Let me look.", FinishReason.STOP]);
    expect(streamed.calls).toEqual(whole.functionCalls ?? []);
    expect(streamed.usage).toMatchObject({ promptTokenCount: 15, candidatesTokenCount: 7 });
  });

  test.each(["whole", "streamed"])(
    verifies("D7.gemini.signatures", "a chat of two turns with a function keeps the signatures intact (%s)"),
    async (how) => {
      upstream.answer(answers);
      const chat = anthropic.chats.create({ model: "claude-sonnet-4-5", config: { tools, thinkingConfig: { thinkingBudget: 2048 } } });
      const say = async (message: Parameters<typeof chat.sendMessage>[0]["message"]) => {
        if (how === "whole") return void (await chat.sendMessage({ message }));
        for await (const _ of await chat.sendMessageStream({ message }));
      };
      await say("What is the weather?");
      expect(sent()["thinking"]).toMatchObject({ type: "enabled" });
      await say([{ functionResponse: { id: "toolu_1", name: "weather", response: { output: "sunny" } } }]);
      expect(sent()["messages"]).toEqual([
        { role: "user", content: "What is the weather?" },
        { role: "assistant", content },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "sunny" }] },
      ]);
    },
  );

  test(verifies("D7.gemini.count", "tokens are counted by the provider's own count"), async () => {
    upstream.answer(jsonAnswer({ input_tokens: 42 }));
    const { totalTokens } = await anthropic.models.countTokens({ ...asks, model: "claude-sonnet-4-5" });
    expect(totalTokens).toBe(42);
    expect([upstream.received.at(-1)?.path, sent()]).toEqual([
      "/v1/messages/count_tokens",
      { model: "claude-sonnet-4-5", messages: [{ role: "user", content: "Hello" }] },
    ]);
  });
});

describe("an OpenAI-compatible server by translation", () => {
  const calls = [{ id: "call_x", name: "weather", arguments: '{"city":"Oslo"}' }];
  beforeEach(() => {
    const said = { text: "Sunny.", reasoning: "Hm.", finish: "stop" };
    upstream.answer(inEither(chatStream(said), chatBody(said)));
  });

  test(verifies("D7.gemini.generate", "everything that a chat completion can be asked arrives there"), async () => {
    const { text } = await compatible.models.generateContent({
      model: "gpt-4o",
      contents: [
        {
          role: "user",
          parts: [
            { text: "Look" },
            { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } },
            { fileData: { mimeType: "image/jpeg", fileUri: "https://images.example/a.jpg" } },
          ],
        },
      ],
      config: {
        systemInstruction: "Be brief.",
        temperature: 0.5,
        topP: 0.9,
        topK: 4,
        maxOutputTokens: 50,
        stopSequences: ["END"],
        seed: 7,
        presencePenalty: 0.1,
        frequencyPenalty: 0.2,
        safetySettings: [],
        responseMimeType: "application/json",
        responseSchema: { type: Type.OBJECT, properties: { ok: { type: Type.BOOLEAN } }, required: ["ok"], propertyOrdering: ["ok"] },
        tools,
        toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ["weather"] } },
        thinkingConfig: { thinkingBudget: 2048 },
      },
    });
    expect(text).toBe("Sunny.");
    expect(sent()).toEqual({
      model: "gpt-4o",
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "Look" },
            { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
            { type: "image_url", image_url: { url: "https://images.example/a.jpg" } },
          ],
        },
      ],
      temperature: 0.5,
      top_p: 0.9,
      max_completion_tokens: 50,
      stop: ["END"],
      seed: 7,
      presence_penalty: 0.1,
      frequency_penalty: 0.2,
      response_format: {
        type: "json_schema",
        json_schema: { name: "answer", schema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] } },
      },
      reasoning_effort: "medium",
      tools: [
        {
          type: "function",
          function: {
            name: "weather",
            description: "The weather of a city",
            parameters: { type: "object", properties: { city: { type: ["string", "null"] } }, required: ["city"] },
          },
        },
      ],
      tool_choice: { type: "function", function: { name: "weather" } },
    });
  });

  test("a stream tells thoughts, text, the end and usage; as a list too", async () => {
    const streamed = await collectStream(compatible, { ...asks, model: "gpt-4o" });
    expect(streamed).toMatchObject({ text: "Sunny.", thoughts: "Hm.", finish: FinishReason.STOP });
    expect(streamed.usage).toEqual({
      promptTokenCount: 15,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 2,
      cachedContentTokenCount: 3,
      totalTokenCount: 22,
    });
    expect(sent()).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    const list = await raw("/v1beta/models/gpt-4o:streamGenerateContent", JSON.stringify({ contents: [{ parts: [{ text: "Hi" }] }] }), {
      "x-gateway-provider": "openai-compatible",
      "x-gateway-custom-host": `${upstream.url}/v1`,
    });
    const chunks = (await list.json()) as readonly { readonly candidates: readonly { readonly finishReason?: string }[] }[];
    expect([chunks.length > 2, chunks.at(-1)?.candidates[0]?.finishReason]).toEqual([true, "STOP"]);
  });

  test("calls without ids are answered by their names, in their order", async () => {
    const call = (city: string) => ({ functionCall: { name: "weather", args: { city } } });
    const result = (output: string) => ({ functionResponse: { name: "weather", response: { output } } });
    await compatible.models.generateContent({
      model: "gpt-4o",
      contents: [
        { role: "user", parts: [{ text: "Weather?" }] },
        { role: "model", parts: [call("Oslo"), call("Rome")] },
        { role: "user", parts: [result("rain"), { functionResponse: { name: "weather", response: { error: "no such city" } } }] },
      ],
      config: { tools },
    });
    const turns = sent()["messages"] as readonly Json[];
    const { tool_calls: made } = turns[1] as { tool_calls: readonly Json[] };
    const ids = made.map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(turns.slice(2)).toEqual([
      { role: "tool", tool_call_id: ids[0], content: "rain" },
      { role: "tool", tool_call_id: ids[1], content: "Error: no such city" },
    ]);
  });

  test("the client calls functions by itself until the answer is there", async () => {
    upstream.answer((request) => {
      const { messages } = request.json() as { messages: readonly Json[] };
      const isAnswered = messages.some(({ role }) => role === "tool");
      return jsonAnswer(chatBody(isAnswered ? { text: "Sunny in Oslo.", finish: "stop" } : { calls, finish: "tool_calls" }));
    });
    const asked: Json[] = [];
    const { text } = await compatible.models.generateContent({
      ...asks,
      model: "gpt-4o",
      config: {
        tools: [
          {
            tool: async () => ({ functionDeclarations: [weather] }),
            callTool: async (made) => {
              asked.push(...made.map(({ args = {} }) => args));
              return made.map(({ id, name }) => ({
                functionResponse: { ...(id !== undefined && { id }), ...(name !== undefined && { name }), response: { output: "sunny" } },
              }));
            },
          },
        ],
      },
    });
    expect([text, asked]).toEqual(["Sunny in Oslo.", [{ city: "Oslo" }]]);
  });

  test("members in snake case are read as the others", async () => {
    const headers = { "x-gateway-provider": "openai-compatible", "x-gateway-custom-host": `${upstream.url}/v1` };
    const body = JSON.stringify({
      stream: true,
      system_instruction: { parts: [{ text: "Be brief." }] },
      contents: [{ role: "user", parts: [{ inline_data: { mime_type: "image/png", data: "AA==" } }] }],
      generation_config: { max_output_tokens: 5 },
    });
    expect((await raw("/v1beta/models/gpt-4o:generateContent", body, headers)).status).toBe(200);
    expect(sent()).toEqual({
      model: "gpt-4o",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AA==" } }] },
      ],
      max_completion_tokens: 5,
    });
  });

  test.each([
    ["The tool googleSearch", { tools: [{ googleSearch: {} }] }],
    ["The tool codeExecution", { tools: [{ codeExecution: {} }] }],
    ["cachedContent", { cachedContent: "cachedContents/1" }],
    ["generationConfig.speechConfig", { speechConfig: { voiceConfig: {} } }],
    ["The responseMimeType text/x.enum", { responseMimeType: "text/x.enum" }],
  ])(verifies("D7.gemini.refused", "%s is refused by its name"), async (name, config) => {
    const before = upstream.received.length;
    const { status, message } = await errorOf(compatible.models.generateContent({ ...asks, model: "gpt-4o", config }));
    expect([status, message.includes(`${name} is served by Google's own models only.`)]).toEqual([400, true]);
    expect(upstream.received.length).toBe(before);
  });

  test("texts are embedded by its embeddings", async () => {
    const vectors = {
      object: "list",
      model: "e",
      data: [
        { index: 0, embedding: [1, 2] },
        { index: 1, embedding: [3, 4] },
      ],
    };
    upstream.answer(jsonAnswer({ ...vectors, usage: { prompt_tokens: 4, total_tokens: 4 } }));
    const { embeddings } = await compatible.models.embedContent({
      model: "text-embedding-3-small",
      contents: ["a", "b"],
      config: { outputDimensionality: 2, taskType: "RETRIEVAL_QUERY" },
    });
    expect(embeddings?.map(({ values }) => values)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect([upstream.received.at(-1)?.path, sent()]).toEqual([
      "/v1/embeddings",
      { model: "text-embedding-3-small", input: ["a", "b"], dimensions: 2 },
    ]);
    const one = await raw("/v1beta/models/e:embedContent", JSON.stringify({ content: { parts: [{ text: "a" }] } }), {
      "x-gateway-provider": "openai-compatible",
      "x-gateway-custom-host": `${upstream.url}/v1`,
    });
    expect(await one.json()).toEqual({ embedding: { values: [1, 2] } });
  });

  test("its errors are Google's in form", async () => {
    upstream.answer(
      jsonAnswer({ error: { message: "No such model.", type: "invalid_request_error", code: "model_not_found" } }, { status: 404 }),
    );
    const { status, message } = await errorOf(compatible.models.generateContent({ ...asks, model: "gpt-9" }));
    expect([status, (JSON.parse(message) as { error: Json }).error]).toMatchObject([404, { code: 404, status: "NOT_FOUND" }]);
  });
});

describe("the offline provider", () => {
  test("answers whole, in streams and in chats; counts and embeds", async () => {
    const whole = await sandbox.models.generateContent({ model: "echo", contents: "Hello there" });
    expect(whole.text).toContain("Hello there");
    expect((await collectStream(sandbox, { model: "echo", contents: "Hello there" })).text).toBe(whole.text ?? "");
    const chat = sandbox.chats.create({ model: "echo" });
    await chat.sendMessage({ message: "One" });
    for await (const _ of await chat.sendMessageStream({ message: "Two" }));
    expect(chat.getHistory(true).length).toBeGreaterThanOrEqual(4);
    expect((await sandbox.models.countTokens({ model: "echo", contents: "Hello there" })).totalTokens).toBeGreaterThan(0);
    const { embeddings } = await sandbox.models.embedContent({ model: "sandbox-embedding", contents: ["a", "b"] });
    expect(embeddings?.map(({ values = [] }) => values.length > 1)).toEqual([true, true]);
  });

  test("without a key, and for a method that there is not, the client's own error is thrown", async () => {
    const stranger = new GoogleGenAI({ apiKey: "not-a-key", httpOptions: { baseUrl: gateway.base } });
    expect((await errorOf(stranger.models.generateContent(asks))).status).toBe(401);
    const unknown = await raw("/v1beta/models/gemini-2.5-flash:predict?key=secret-in-query", "{}");
    // names may hold colons: it is the path of a model, which is read by GET
    expect([unknown.status, (await unknown.text()).includes("secret-in-query")]).toEqual([405, false]);
  });
});
