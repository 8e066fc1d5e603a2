/** The official Gemini client over Azure's deployments and over Bedrock's Converse: what it asks arrives there, and what they answer is what it reads. */
import { describe, expect, test } from "bun:test";
import {
  ApiError,
  FinishReason,
  FunctionCallingConfigMode,
  type GenerateContentParameters,
  type GenerateContentResponse,
  type GoogleGenAI,
  Type,
} from "@google/genai";
import { sealedSignature, signedBy } from "#contract";
import { jsonAnswer, type Received, type Replay } from "../../kit/replay.ts";
import { event, exception } from "../../providers/bedrock-eventstream.ts";
import { claimOf } from "../../providers/bedrock-signature.ts";
import { ANSWER, type AnswerContent } from "../dialects/wire-answers.ts";
import { forAll } from "../endpoints/api.ts";
import { clientOf, type Json } from "./stand-ins.ts";

const api = forAll();
const SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
const PNG = "iVBORw0KGgo=";
const SCHEMA = { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ["city"] };
const CITY = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const tools = [{ functionDeclarations: [{ name: "weather", description: "The weather of a city", parameters: SCHEMA }] }];

/** What Azure sends before all else: what its filter thought of the prompt. */
const FILTERED = 'data: {"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0}]}\n\n';
const byAzure =
  (answer: AnswerContent) =>
  (request: Received): Replay => {
    const { body, ...rest } = ANSWER.chat(answer, request);
    return { ...rest, body: (request.json() as Json)["stream"] === true ? FILTERED + String(body) : body };
  };
const byBedrock = (answer: AnswerContent) => (request: Received) => ANSWER.converse(answer, request);

const CLOUDS = {
  "azure-openai": {
    model: "gpt-5",
    base: "/openai",
    headers: { "x-gateway-azure-api-version": "2024-10-21", authorization: "Bearer azure-key-0123456789abcdef" },
    whole: "/openai/deployments/gpt-5/chat/completions?api-version=2024-10-21",
    streamed: "/openai/deployments/gpt-5/chat/completions?api-version=2024-10-21",
    answers: byAzure,
    signature: undefined,
  },
  bedrock: {
    model: "anthropic.claude-sonnet-4-5-20250929-v1:0",
    base: "",
    headers: {
      "x-gateway-aws-access-key-id": "AKIAIOSFODNN7EXAMPLE",
      "x-gateway-aws-secret-access-key": SECRET,
      "x-gateway-aws-region": "eu-central-1",
    },
    whole: "/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse",
    streamed: "/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream",
    answers: byBedrock,
    signature: sealedSignature(signedBy("messages", "c2ln")),
  },
} as const;
type Cloud = keyof typeof CLOUDS;

const clientAt = (cloud: Cloud): GoogleGenAI =>
  clientOf(api.gateway.base, {
    "x-gateway-provider": cloud,
    "x-gateway-custom-host": api.upstream.url + CLOUDS[cloud].base,
    ...CLOUDS[cloud].headers,
  });
const last = (): Received => api.upstream.received.at(-1) ?? expect.unreachable();
const sent = (): Json => last().json() as Json;

interface Told {
  readonly text: string;
  readonly thoughts: string;
  readonly calls: readonly unknown[];
  readonly finish: FinishReason | undefined;
  readonly usage: unknown;
}
function toldBy(chunks: readonly GenerateContentResponse[]): Told {
  const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
  const answer = (isThought: boolean): string =>
    parts.map(({ text, thought }) => ((thought === true) === isThought ? (text ?? "") : "")).join("");
  const { promptTokenCount, cachedContentTokenCount, candidatesTokenCount } = chunks.at(-1)?.usageMetadata ?? {};
  return {
    text: answer(false),
    thoughts: answer(true),
    calls: parts.flatMap(({ functionCall }) => (functionCall ? [[functionCall.name, functionCall.args]] : [])),
    finish: chunks.at(-1)?.candidates?.[0]?.finishReason,
    usage: [promptTokenCount, cachedContentTokenCount, candidatesTokenCount],
  };
}
/** The same asked whole and streamed; both arrive at their own path. */
async function toldTwice(cloud: Cloud, answer: AnswerContent, asks: Omit<GenerateContentParameters, "model">): Promise<Told> {
  const { model, answers, whole, streamed } = CLOUDS[cloud];
  api.upstream.answer(answers(answer));
  const params = { model, ...asks };
  const atOnce = toldBy([await clientAt(cloud).models.generateContent(params)]);
  expect(last().path).toBe(whole);
  const chunks: GenerateContentResponse[] = [];
  for await (const chunk of await clientAt(cloud).models.generateContentStream(params)) chunks.push(chunk);
  expect(last().path).toBe(streamed);
  expect(toldBy(chunks)).toEqual(atOnce);
  return atOnce;
}
const errorOf = async (call: Promise<unknown>): Promise<readonly [status: number, error: Json]> => {
  try {
    return expect.unreachable(`it answered ${JSON.stringify(await call)}`);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ApiError);
    const { status, message } = thrown as ApiError; // by the line above
    return [status, (JSON.parse(message) as { error: Json }).error];
  }
};

/** A stream that fails when it has begun. */
const cutAt = (begun: Uint8Array, failed: Uint8Array, type: string): Replay => ({
  body: Buffer.concat([begun, failed]),
  cuts: [begun.length],
  headers: { "content-type": type },
});
const AZURE_CHUNK = { id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: { content: "Ci" } }] };
const brokenOff: Readonly<Record<Cloud, Replay>> = {
  "azure-openai": cutAt(
    Buffer.from(`${FILTERED}data: ${JSON.stringify(AZURE_CHUNK)}\n\n`),
    Buffer.from('data: {"error":{"message":"Slow down.","code":"429"}}\n\n'),
    "text/event-stream",
  ),
  bedrock: cutAt(
    Buffer.concat([
      event("messageStart", { role: "assistant" }),
      event("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Ci" } }),
    ]),
    exception("throttlingException", { message: "Slow down." }),
    "application/vnd.amazon.eventstream",
  ),
};

describe.each(Object.keys(CLOUDS) as Cloud[])("the Gemini client over %s", (cloud) => {
  const { model, answers, signature } = CLOUDS[cloud];

  test("gets texts, the reason of their end and usage in its own words", async () => {
    expect(await toldTwice(cloud, { text: "Ciao" }, { contents: "Hello" })).toEqual({
      ...{ text: "Ciao", thoughts: "", calls: [], finish: FinishReason.STOP, usage: [15, 3, 7] },
    });
    expect((await toldTwice(cloud, { text: "Ci", finish: "length" }, { contents: "Hello" })).finish).toBe(FinishReason.MAX_TOKENS);
    const { text, finish } = await toldTwice(cloud, { finish: "refusal" }, { contents: "Hello" });
    expect([text, finish]).toEqual([cloud === "bedrock" ? "" : "No.", FinishReason.SAFETY]);
  });

  test("calls functions, two at once and one without arguments, and gives their results back", async () => {
    const answer: AnswerContent = { calls: [{ city: "Oslo" }, {}] };
    const { calls } = await toldTwice(cloud, answer, { contents: "Weather?", config: { tools } });
    expect(calls).toEqual([
      ["weather", { city: "Oslo" }],
      ["weather", {}],
    ]);
    api.upstream.answer(answers(answer));
    const chat = clientAt(cloud).chats.create({ model, config: { tools } });
    const { functionCalls = [] } = await chat.sendMessage({ message: "Weather?" });
    api.upstream.answer(answers({ text: "Sunny." }));
    const results = functionCalls.map(({ id, name }, at) => ({
      functionResponse: { ...(id !== undefined && { id }), name: String(name), response: { output: `sunny ${at}` } },
    }));
    expect((await chat.sendMessage({ message: results })).text).toBe("Sunny.");
    expect(JSON.stringify(sent())).toMatch(
      cloud === "bedrock"
        ? /"toolUse":\{"toolUseId":"(\w+)".*"toolResult":\{"toolUseId":"\1".*sunny 0.*sunny 1/
        : /"tool_calls":\[\{.*"id":"(\w+)".*"role":"tool","tool_call_id":"\1","content":"sunny 0".*sunny 1/,
    );
  });

  test("asks for one function by its name", async () => {
    const toolConfig = { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ["weather"] } };
    await toldTwice(cloud, { calls: [{ city: "Oslo" }] }, { contents: "Weather?", config: { tools, toolConfig } });
    expect(sent()).toMatchObject(
      cloud === "bedrock"
        ? { toolConfig: { toolChoice: { tool: { name: "weather" } } } }
        : { tool_choice: { type: "function", function: { name: "weather" } } },
    );
  });

  test("shows an image", async () => {
    const contents = [{ role: "user", parts: [{ text: "Look" }, { inlineData: { mimeType: "image/png", data: PNG } }] }];
    expect((await toldTwice(cloud, { text: "A cat." }, { contents })).text).toBe("A cat.");
    expect(sent()["messages"]).toEqual([
      cloud === "bedrock"
        ? { role: "user", content: [{ text: "Look" }, { image: { format: "png", source: { bytes: PNG } } }] }
        : {
            role: "user",
            content: [
              { type: "text", text: "Look" },
              { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
            ],
          },
    ]);
  });

  test("gets an answer in the schema that it asked for", async () => {
    const config = { responseMimeType: "application/json", responseSchema: SCHEMA };
    expect((await toldTwice(cloud, { text: '{"city":"Oslo"}' }, { contents: "Where?", config })).text).toBe('{"city":"Oslo"}');
    if (cloud === "azure-openai")
      expect(sent()["response_format"]).toMatchObject({ type: "json_schema", json_schema: { name: "answer", schema: CITY } });
    else expect(JSON.stringify(sent())).toContain('\\"city\\":{\\"type\\":\\"string\\"}');
  });

  test("is told thoughts, and asks for as much of them as it likes", async () => {
    const answer: AnswerContent = { thought: "Let me see.", text: "Oslo." };
    const asks = {
      contents: "Where?",
      config: { maxOutputTokens: 20_000, thinkingConfig: { thinkingBudget: 8192, includeThoughts: true } },
    };
    expect(await toldTwice(cloud, answer, asks)).toMatchObject({ text: "Oslo.", thoughts: "Let me see." });
    const thinks = { additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: expect.any(Number) } } };
    expect(sent()).toMatchObject(cloud === "bedrock" ? thinks : { reasoning_effort: "medium" });
    const chat = clientAt(cloud).chats.create({ model, config: asks.config });
    const { candidates } = await chat.sendMessage({ message: "Where?" });
    expect(candidates?.[0]?.content?.parts?.find(({ thought }) => thought)?.thoughtSignature).toBe(signature);
    await chat.sendMessage({ message: "And then?" });
    const back = JSON.stringify(sent()["messages"]);
    if (cloud === "bedrock") expect(back).toContain('"reasoningContent":{"reasoningText":{"text":"Let me see.","signature":"c2ln"}}');
    else expect(back).not.toContain("Let me see."); // it has no word for them
  });

  test("throws its own errors, before and within a stream", async () => {
    const busy =
      cloud === "bedrock"
        ? jsonAnswer({ message: "Slow down." }, { status: 429, headers: { "x-amzn-errortype": "ThrottlingException" } })
        : jsonAnswer({ error: { code: "429", message: "Slow down." } }, { status: 429, headers: { "retry-after": "7" } });
    api.upstream.answer(busy);
    const asks = { model, contents: "Hello" };
    for (const call of [clientAt(cloud).models.generateContent(asks), clientAt(cloud).models.generateContentStream(asks)])
      expect(await errorOf(call)).toMatchObject([429, { code: 429, status: "RESOURCE_EXHAUSTED", message: `${cloud} error: Slow down.` }]);
    const refused =
      cloud === "bedrock"
        ? jsonAnswer({ message: "Too long." }, { status: 400, headers: { "x-amzn-errortype": "ValidationException:http://x/" } })
        : jsonAnswer({ error: { code: "content_filter", message: "Too long.", status: 400, innererror: { code: "X" } } }, { status: 400 });
    api.upstream.answer(refused);
    expect(await errorOf(clientAt(cloud).models.generateContent(asks))).toMatchObject([
      400,
      { code: 400, status: "INVALID_ARGUMENT", message: `${cloud} error: Too long.` },
    ]);
    api.upstream.answer(brokenOff[cloud]);
    const reading = async (): Promise<void> => {
      for await (const { text } of await clientAt(cloud).models.generateContentStream(asks)) expect(text).toBe("Ci");
    };
    const thrown: unknown = await reading().catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(ApiError);
    expect(String(thrown)).toContain("Slow down.");
  });

  test("goes with the cloud's own credential", async () => {
    await toldTwice(cloud, { text: "Ciao" }, { contents: "Hello" });
    const { headers } = last();
    if (cloud === "bedrock") expect(claimOf(last(), SECRET)).toMatchObject({ authentic: true, region: "eu-central-1", service: "bedrock" });
    else expect(headers.get("api-key")).toBe("azure-key-0123456789abcdef");
    expect(headers.get("x-goog-api-key")).toBeNull();
  });
});
