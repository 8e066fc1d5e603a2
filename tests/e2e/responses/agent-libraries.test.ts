/** The agent libraries whose first call is a response, with tools over several wires: `ai` with `@ai-sdk/openai`, and `@openai/agents`. */
import { describe, expect, test } from "bun:test";
import { createOpenAI } from "@ai-sdk/openai";
import { Agent, OpenAIProvider, Runner, tool as agentTool } from "@openai/agents";
import { generateText, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";
import { verifies } from "../../requirements/verifies.ts";
import { forAll } from "../endpoints/api.ts";
import { GATEWAY_KEY } from "../process.ts";
import { ANSWERS, clientOf, headersOf, WIRES, type WireName } from "./stand-ins.ts";

const api = forAll();

/** Calls the tool at first, and answers once the tool's result is among what it is asked. */
const play = (wire: WireName): void =>
  api.upstream.answer((request) => {
    const hasResult = request.text().includes("12 degrees");
    return ANSWERS[wire](hasResult ? { text: "It is 12 degrees in Oslo." } : { thought: "Let me look.", call: { city: "Oslo" } })(request);
  });
const city = z.object({ city: z.string() });

describe.each(WIRES.map((wire) => [wire]))("over %s", (wire) => {
  const openai = () =>
    createOpenAI({
      baseURL: `${api.gateway.base}/v1`,
      apiKey: "sk-provider-key",
      headers: { "x-gateway-api-key": GATEWAY_KEY, ...headersOf(wire, api.upstream.url) },
    });
  const asks = (asked: string[]) => ({
    model: openai()("some-model"),
    prompt: "What is the weather in Oslo?",
    stopWhen: stepCountIs(3),
    providerOptions: { openai: { store: false } },
    tools: {
      weather: tool({
        description: "The weather of a city",
        inputSchema: city,
        execute: ({ city }) => {
          asked.push(city);
          return "12 degrees";
        },
      }),
    },
  });

  test(verifies("D7.10.clients", "ai generates a text in two steps"), async () => {
    play(wire);
    const asked: string[] = [];
    const { text, steps, usage } = await generateText(asks(asked));
    expect([text, steps.length, asked]).toEqual(["It is 12 degrees in Oslo.", 2, ["Oslo"]]);
    expect(steps[0]?.reasoningText).toBe("Let me look.");
    expect(usage.outputTokens).toBeGreaterThan(0);
  });
  test(
    verifies("D7.10.clients", "ai counts on kept answers unless it is told not to: its second step refers to the first one's items"),
    async () => {
      play(wire);
      const asked: string[] = [];
      const { text, steps } = await generateText({ ...asks(asked), providerOptions: {} });
      expect([text, steps.length, asked]).toEqual(["It is 12 degrees in Oslo.", 2, ["Oslo"]]);
      const streamed = streamText({ ...asks(asked), providerOptions: {} });
      expect([await streamed.text, (await streamed.steps).length, asked]).toEqual(["It is 12 degrees in Oslo.", 2, ["Oslo", "Oslo"]]);
    },
  );
  test(verifies("D7.10.clients", "ai streams a text in two steps"), async () => {
    play(wire);
    const asked: string[] = [];
    const result = streamText(asks(asked));
    let text = "";
    for await (const piece of result.textStream) text += piece;
    expect([text, (await result.steps).length, asked]).toEqual(["It is 12 degrees in Oslo.", 2, ["Oslo"]]);
  });
  test.each([false, true])(verifies("D7.10.clients", "an agent calls its tool and answers (stream: %p)"), async (stream) => {
    play(wire);
    const asked: string[] = [];
    const weather = agentTool({
      name: "weather",
      description: "The weather of a city",
      parameters: city,
      execute: async ({ city }) => {
        asked.push(city);
        return "12 degrees";
      },
    });
    const agent = new Agent({ name: "Assistant", instructions: "Be brief.", model: "some-model", tools: [weather] });
    const modelProvider = new OpenAIProvider({ openAIClient: clientOf(api.gateway.base, headersOf(wire, api.upstream.url)) as never });
    const runner = new Runner({ modelProvider, tracingDisabled: true });
    const question = "What is the weather in Oslo?";
    const answer = await runner.run(agent, question, { stream: stream as false });
    if (stream) await (answer as unknown as { readonly completed: Promise<void> }).completed;
    expect([answer.finalOutput, asked]).toEqual(["It is 12 degrees in Oslo.", ["Oslo"]]);
  });
});
