/** The Google provider of the AI SDK against the running gateway: over Google's own wire, by translation, and offline. */
import { expect, test } from "bun:test";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { APICallError, embedMany, generateObject, generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import { jsonAnswer, sseAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { chatBody, chatStream } from "../messages/stand-ins.ts";
import { forAll } from "../endpoints/api.ts";
import { GATEWAY_KEY } from "../process.ts";
import { geminiBody, geminiStream, type Json, PROVIDER_KEY } from "./stand-ins.ts";

const api = forAll();

const WIRES = ["google", "openai-compatible"] as const;
type Wire = (typeof WIRES)[number];
const clientOf = (provider: string) =>
  createGoogleGenerativeAI({
    apiKey: PROVIDER_KEY,
    baseURL: `${api.gateway.base}/v1beta`,
    headers: {
      "x-gateway-api-key": GATEWAY_KEY,
      "x-gateway-provider": provider,
      ...(provider !== "sandbox" && { "x-gateway-custom-host": `${api.upstream.url}${provider === "google" ? "" : "/v1"}` }),
    },
  });

/** A call first, and the text once its result is there; whole or as a stream. */
const weatherOf = (wire: Wire) => () =>
  api.upstream.answer((request) => {
    const isAnswered = request.text().includes("sunny");
    if (wire === "google") {
      const parts = isAnswered
        ? [{ text: "It is " }, { text: "sunny." }]
        : [{ functionCall: { name: "weather", args: { city: "Oslo" } }, thoughtSignature: "c2ln" }];
      return request.path.includes("stream") ? sseAnswer(geminiStream(parts)) : jsonAnswer(geminiBody(parts));
    }
    const said = isAnswered
      ? { text: "It is sunny.", finish: "stop" }
      : { calls: [{ id: "call_1", name: "weather", arguments: '{"city":"Oslo"}' }], finish: "tool_calls" };
    return (request.json() as Json)["stream"] === true ? sseAnswer(chatStream(said)) : jsonAnswer(chatBody(said));
  });
const weather = tool({
  description: "The weather of a city",
  inputSchema: jsonSchema<{ city: string }>({ type: "object", properties: { city: { type: "string" } }, required: ["city"] }),
  execute: async () => "sunny",
});

test.each(WIRES)(verifies("D7.gemini.ai-sdk", "text with tools in steps, whole and streamed, over %s"), async (wire) => {
  weatherOf(wire)();
  const asks = {
    model: clientOf(wire)("gemini-3-pro-preview"),
    prompt: "What is the weather?",
    tools: { weather },
    stopWhen: stepCountIs(3),
  };
  const { text, steps, totalUsage } = await generateText(asks);
  expect([text, steps.length, (totalUsage.inputTokens ?? 0) > 0]).toEqual(["It is sunny.", 2, true]);
  const streamed = streamText(asks);
  expect([await streamed.text, (await streamed.steps).length, await streamed.finishReason]).toEqual(["It is sunny.", 2, "stop"]);
  const last = api.upstream.received.at(-1)?.text() ?? "";
  expect(last).toContain("sunny");
  if (wire === "google") expect(last).toContain('"thoughtSignature":"c2ln"');
});

test.each(WIRES)("an object of a schema over %s", async (wire) => {
  const text = '{"ok":true}';
  api.upstream.answer(jsonAnswer(wire === "google" ? geminiBody([{ text }]) : chatBody({ text, finish: "stop" })));
  const schema = jsonSchema<{ ok: boolean }>({ type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] });
  const { object } = await generateObject({ model: clientOf(wire)("gemini-2.5-flash"), prompt: "Fine?", schema });
  expect(object).toEqual({ ok: true });
  const sent = api.upstream.received.at(-1)?.json() as Json;
  if (wire !== "google")
    expect(sent["response_format"]).toMatchObject({ type: "json_schema", json_schema: { schema: { type: "object" } } });
});

test("vectors, offline", async () => {
  const model = clientOf("sandbox").embeddingModel("sandbox-embedding");
  const { embeddings } = await embedMany({ model, values: ["a", "b"] });
  expect(embeddings.map((vector) => vector.length > 1)).toEqual([true, true]);
});

test("errors are thrown in the SDK's own class", async () => {
  api.upstream.answer(jsonAnswer({ error: { code: 400, message: "No.", status: "INVALID_ARGUMENT" } }, { status: 400 }));
  const thrown = await generateText({ model: clientOf("google")("gemini-2.5-flash"), prompt: "Hi", maxRetries: 0 }).then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );
  expect(APICallError.isInstance(thrown)).toBeTrue();
  expect(thrown).toMatchObject({ statusCode: 400, message: "google error: No." });
});
