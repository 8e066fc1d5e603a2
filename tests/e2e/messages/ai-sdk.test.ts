/** The Anthropic provider of the AI SDK against the running gateway: over Anthropic's own wire, by translation, and offline. */
import { describe, expect, test } from "bun:test";
import { createAnthropic } from "@ai-sdk/anthropic";
import { APICallError, generateObject, generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import { jsonAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { forAll } from "../endpoints/api.ts";
import { GATEWAY_KEY } from "../process.ts";
import { type Answer, ANSWERS, headersOf, type WireName } from "../responses/stand-ins.ts";

type Json = Readonly<Record<string, unknown>>;

const api = forAll();

const clientOf = (headers: Readonly<Record<string, string>>) =>
  createAnthropic({
    apiKey: "sk-provider-key",
    baseURL: `${api.gateway.base}/v1`,
    headers: { "x-gateway-api-key": GATEWAY_KEY, ...headers },
  });
const over = (wire: WireName) => clientOf(headersOf(wire, api.upstream.url))("claude-sonnet-4-5");
const sent = (): Json => (api.upstream.received.at(-1)?.json() ?? {}) as Json;
/** Another answer once the tool's result is among what is asked. */
const play = (wire: WireName, first: Answer, then: Answer): void =>
  api.upstream.answer((request) => ANSWERS[wire](request.text().includes("12 degrees") ? then : first)(request));

const WIRES = ["anthropic", "openai-compatible", "google", "bedrock"] as const satisfies readonly WireName[];
describe.each(WIRES.map((wire) => [wire]))("over %s", (wire) => {
  const CALLS: Answer = { thought: "Let me look.", text: "One moment.", call: { city: "Oslo" } };
  const asks = (asked: string[]) => ({
    model: over(wire),
    prompt: "What is the weather in Oslo?",
    stopWhen: stepCountIs(3),
    tools: {
      weather: tool({
        description: "The weather of a city",
        inputSchema: jsonSchema<{ city: string }>({ type: "object", properties: { city: { type: "string" } }, required: ["city"] }),
        execute: ({ city }) => {
          asked.push(city);
          return "12 degrees";
        },
      }),
    },
  });

  test(verifies("D7.11.clients", "a text with tools in steps"), async () => {
    play(wire, CALLS, { text: "It is 12 degrees." });
    const asked: string[] = [];
    const { text, steps, totalUsage, finishReason } = await generateText(asks(asked));
    expect([text, steps.length, asked, finishReason]).toEqual(["It is 12 degrees.", 2, ["Oslo"], "stop"]);
    expect([steps[0]?.text, steps[0]?.finishReason, steps[0]?.reasoningText]).toEqual(["One moment.", "tool-calls", "Let me look."]);
    expect((totalUsage.inputTokens ?? 0) > 0 && (totalUsage.outputTokens ?? 0) > 0).toBeTrue();
  });
  test(verifies("D7.11.clients", "the same as a stream, in pieces of each kind"), async () => {
    play(wire, CALLS, { text: "It is 12 degrees." });
    const asked: string[] = [];
    const result = streamText(asks(asked));
    const kinds = new Set<string>();
    for await (const { type } of result.fullStream) kinds.add(type);
    expect([await result.text, (await result.steps).length, asked]).toEqual(["It is 12 degrees.", 2, ["Oslo"]]);
    expect([...kinds]).toEqual(
      expect.arrayContaining([
        "reasoning-delta",
        "text-delta",
        "tool-input-start",
        "tool-input-delta",
        "tool-call",
        "tool-result",
        "finish",
      ]),
    );
  });
  test(verifies("D7.11.clients", "an object of a schema"), async () => {
    api.upstream.answer(ANSWERS[wire]({ text: '{"ok":true}' }));
    const schema = jsonSchema<{ ok: boolean }>({
      type: "object",
      properties: { ok: { type: "boolean" } },
      required: ["ok"],
      additionalProperties: false,
    });
    const { object } = await generateObject({ model: over(wire), prompt: "Fine?", schema });
    expect(object).toEqual({ ok: true });
    expect(JSON.stringify(sent())).toMatch(/ok.{1,30}boolean/i);
  });
  test("images, and what the vendor is told of its conversation's cache", async () => {
    api.upstream.answer(ANSWERS[wire]({ text: "A fox." }));
    const { text } = await generateText({
      model: over(wire),
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is it?", providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } },
            { type: "file", mediaType: "image/png", data: "iVBORw0KGgo=" },
          ],
        },
      ],
    });
    expect(text).toBe("A fox.");
    expect(JSON.stringify(sent())).toContain("iVBORw0KGgo=");
    expect(JSON.stringify(sent()).includes("cache")).toBe(wire === "anthropic" || wire === "bedrock");
  });
});

test("thoughts go back to their vendor with their signatures", async () => {
  play("anthropic", { thought: "Let me look.", call: { city: "Oslo" } }, { text: "Sunny." });
  const weather = tool({ inputSchema: jsonSchema<Json>({ type: "object" }), execute: () => "12 degrees" });
  const { text } = await generateText({
    model: over("anthropic"),
    prompt: "Weather?",
    tools: { weather },
    stopWhen: stepCountIs(3),
    providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens: 2000 } } },
  });
  expect(text).toBe("Sunny.");
  expect(sent()).toMatchObject({
    thinking: { type: "enabled", budget_tokens: 2000 },
    messages: [{}, { content: [{ type: "thinking", thinking: "Let me look.", signature: "c2lnbmVk" }, { type: "tool_use" }] }, {}],
  });
});

test("a text, offline", async () => {
  const { text } = await generateText({ model: clientOf({ "x-gateway-provider": "sandbox" })("sandbox-echo"), prompt: "Good morning" });
  expect(text).toBe("Good morning");
});

test.each([
  [400, "invalid_request_error", false],
  [429, "rate_limit_error", true],
  [529, "overloaded_error", true],
])("an error %d is thrown in the SDK's own class", async (status, type, isRetryable) => {
  api.upstream.answer(jsonAnswer({ type: "error", error: { type, message: "No." } }, { status }));
  const thrown = await generateText({ model: over("anthropic"), prompt: "Hi", maxRetries: 0 }).then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );
  expect(APICallError.isInstance(thrown)).toBeTrue();
  expect(thrown).toMatchObject({ statusCode: status, isRetryable, message: "anthropic error: No." });
});
