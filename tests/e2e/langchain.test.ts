/** LangChain's OpenAI classes against the running gateway: chat completions and responses, over each wire, and offline. */
import { describe, expect, test } from "bun:test";
import {
  type AIMessage,
  type AIMessageChunk,
  type BaseMessageLike,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI, OpenAI, OpenAIEmbeddings } from "@langchain/openai";
import { z } from "zod";
import { jsonAnswer, type Received, type Replay } from "../kit/replay.ts";
import { verifies } from "../requirements/verifies.ts";
import { forAll } from "./endpoints/api.ts";
import { GATEWAY_KEY } from "./process.ts";
import { type Answer, ANSWERS, headersOf, WIRES, type WireName } from "./responses/stand-ins.ts";

const api = forAll();

const connection = (headers: Readonly<Record<string, string>>) => ({
  apiKey: "sk-provider-key",
  maxRetries: 0,
  configuration: { baseURL: `${api.gateway.base}/v1`, defaultHeaders: { "x-gateway-api-key": GATEWAY_KEY, ...headers } },
});
const SANDBOX = { "x-gateway-provider": "sandbox" };

const weather = tool(() => "12 degrees", { name: "weather", description: "The weather of a city", schema: z.object({ city: z.string() }) });
const text = ({ content }: Pick<AIMessage, "content">): string =>
  typeof content === "string" ? content : content.map((part) => ("text" in part ? part.text : "")).join("");

/** The chunks of a stream as the one message that they add up to. */
async function streamed(model: Pick<ChatOpenAI, "stream">, asked: BaseMessageLike[]): Promise<AIMessageChunk> {
  let whole: AIMessageChunk | undefined;
  for await (const chunk of await model.stream(asked)) whole = whole === undefined ? chunk : whole.concat(chunk);
  return whole ?? expect.unreachable();
}
/** OpenAI's own answers stand in the form of the API that is asked. */
const answering =
  (wire: WireName, answer: Answer) =>
  (request: Received): Replay =>
    ANSWERS[wire === "openai" && request.path.endsWith("/chat/completions") ? "openai-compatible" : wire](answer)(request);

describe.each([false, true])("with the Responses API: %p,", (useResponsesApi) => {
  describe.each(WIRES.map((wire) => [wire]))("over %s,", (wire) => {
    const model = (): ChatOpenAI =>
      new ChatOpenAI({ model: "some-model", useResponsesApi, ...connection(headersOf(wire, api.upstream.url)) });
    const play = (answer: Answer): void => api.upstream.answer(answering(wire, answer));

    test(verifies("D7.1.clients", "a text, and its usage"), async () => {
      play({ text: "Hi there" });
      const answer = await model().invoke([new SystemMessage("Be brief."), new HumanMessage("Hello")]);
      expect(text(answer)).toBe("Hi there");
      expect(answer.usage_metadata).toMatchObject({ input_tokens: 15, output_tokens: 7, total_tokens: 22 });
    });
    test(verifies("D7.1.clients", "a stream, and its usage"), async () => {
      play({ text: "Hi there" });
      const whole = await streamed(model(), ["Hello"]);
      expect(text(whole)).toBe("Hi there");
      expect(whole.usage_metadata).toMatchObject({ input_tokens: 15, output_tokens: 7 });
    });
    test.each([false, true])(verifies("D7.1.clients", "a tool that is called, and its result (streamed: %p)"), async (stream) => {
      const tooled = model().bindTools([weather]);
      play({ text: "One moment.", call: { city: "Oslo" } });
      const question = new HumanMessage("What is the weather in Oslo?");
      const asked = stream ? await streamed(tooled, [question]) : await tooled.invoke([question]);
      expect(asked.tool_calls).toMatchObject([{ name: "weather", args: { city: "Oslo" } }]);
      play({ text: "It is 12 degrees." });
      const result = (await weather.invoke(asked.tool_calls?.[0] as never)) as ToolMessage; // a call makes a message
      expect(result).toBeInstanceOf(ToolMessage);
      expect(text(await tooled.invoke([question, asked, result]))).toBe("It is 12 degrees.");
      expect(api.upstream.received.at(-1)?.text()).toContain("12 degrees");
    });
    test.each(["jsonSchema", "functionCalling"] as const)(verifies("D7.1.clients", "an object of a schema by %s"), async (method) => {
      play(method === "jsonSchema" ? { text: '{"city":"Oslo"}' } : { call: { city: "Oslo" } });
      const structured = model().withStructuredOutput(z.object({ city: z.string() }), { name: "weather", method });
      expect(await structured.invoke("Where?")).toEqual({ city: "Oslo" });
      expect(api.upstream.received.at(-1)?.text()).toContain('"city"');
    });
    test("an error, in the client's own terms", async () => {
      api.upstream.answer(
        jsonAnswer({ error: { message: "slow down", type: "rate_limit_error", code: null, param: null } }, { status: 429 }),
      );
      const thrown = await model()
        .invoke("Hello")
        .catch((error: unknown) => error);
      expect(thrown).toMatchObject({ status: 429, message: expect.stringContaining("slow down") });
    });
  });
});

test("several questions at once, offline", async () => {
  const answers = await new ChatOpenAI({ model: "sandbox-echo", ...connection(SANDBOX) }).batch(["one", "two", "three"]);
  expect(answers.map(text)).toEqual(["one", "two", "three"]);
});
test("text completions, offline", async () => {
  expect(await new OpenAI({ model: "sandbox-text", ...connection(SANDBOX) }).invoke("Once upon")).toMatch(/./);
});
test(verifies("D7.1.clients", "vectors of one text and of many, offline"), async () => {
  const embeddings = new OpenAIEmbeddings({ model: "sandbox-embedding", dimensions: 32, batchSize: 2, ...connection(SANDBOX) });
  const many = await embeddings.embedDocuments(["a red fox", "taxes", "a fox that is red"]);
  expect(many.map(({ length }) => length)).toEqual([32, 32, 32]);
  const closeTo = (vector: number[] | undefined) => vector?.map((number) => expect.closeTo(number, 5) as number) ?? [];
  expect(await embeddings.embedQuery("a red fox")).toEqual(closeTo(many[0]));
});
