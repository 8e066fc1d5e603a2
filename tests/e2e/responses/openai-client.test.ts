/**
 * The official OpenAI client's responses against the running gateway: over OpenAI's own wire, over Anthropic, Google,
 * Bedrock and an OpenAI-compatible server by translation, and over the offline provider.
 */
import { describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";
import { jsonAnswer, sseAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { forAll } from "../endpoints/api.ts";
import { refusalOf } from "../guarded.ts";
import { ask, GATEWAY_KEY, until } from "../process.ts";
import { ANSWERS, clientOf, headersOf, NATIVE_ID, nativeBody, nativeStream, TRANSLATED, WIRES, type WireName } from "./stand-ins.ts";

type Json = Readonly<Record<string, unknown>>;
type Item = OpenAI.Responses.ResponseInputItem;

const api = forAll();

const over = (wire: WireName, headers: Readonly<Record<string, string>> = {}): OpenAI =>
  clientOf(api.gateway.base, { ...headersOf(wire, api.upstream.url), ...headers });
const sent = (): Json => (api.upstream.received.at(-1)?.json() ?? {}) as Json;

const asks = { model: "some-model", input: "Hello" };
const weather: OpenAI.Responses.FunctionTool = {
  type: "function",
  name: "weather",
  description: "The weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false },
  strict: true,
};
type Output = OpenAI.Responses.ResponseOutputItem;
const isCall = (item: Output): item is Extract<Output, { type: "function_call" }> => item.type === "function_call";
const isCustomCall = (item: Output): item is Extract<Output, { type: "custom_tool_call" }> => item.type === "custom_tool_call";
const CALLS = { thought: "Let me look.", text: "One moment.", call: { city: "Oslo" } };

/** A whole answer, however it was asked for. */
async function answerOf(
  client: OpenAI,
  body: OpenAI.Responses.ResponseCreateParamsNonStreaming,
  stream: boolean,
): Promise<OpenAI.Responses.Response> {
  return stream ? await client.responses.stream(body as never).finalResponse() : await client.responses.create(body);
}

describe.each(WIRES.map((wire) => [wire]))("over %s", (wire) => {
  test.each([false, true])(verifies("1.tag-responses", verifies("D7.10.create", "answers a text (stream: %p)")), async (stream) => {
    api.upstream.answer(ANSWERS[wire]({ text: "Hi there" }));
    const answer = await answerOf(over(wire), { ...asks, instructions: "Be brief.", max_output_tokens: 100 }, stream);
    expect(answer).toMatchObject({
      object: "response",
      status: "completed",
      output_text: "Hi there",
      error: null,
      incomplete_details: null,
      output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi there", annotations: [] }] }],
      usage: { input_tokens: 15, input_tokens_details: { cached_tokens: 3 }, output_tokens: 7, total_tokens: 22 },
    });
    expect(answer.id).toMatch(wire === "openai" ? /^resp_native1$/ : /^resp_gw_[0-9a-f]{32}$/);
    expect(answer.output[0]?.id).toMatch(/^msg_/);
  });

  test.each([false, true])(verifies("D7.10.tools", "thinks, speaks, calls a tool, and reads its result (stream: %p)"), async (stream) => {
    api.upstream.answer(ANSWERS[wire](CALLS));
    const client = over(wire);
    const body = { ...asks, tools: [weather], reasoning: { effort: "low", summary: "auto" } } as const;
    const first = await answerOf(client, { ...body, tools: [weather] }, stream);
    const made = first.output.filter(({ type }) => type !== "reasoning");
    expect(made).toMatchObject([
      { type: "message", content: [{ text: "One moment." }] },
      { type: "function_call", name: "weather", status: "completed" },
    ]);
    const [thought] = first.output;
    expect(thought).toMatchObject({ type: "reasoning", summary: [{ type: "summary_text", text: "Let me look." }] });
    const call = first.output.find(isCall) ?? expect.unreachable();
    expect(JSON.parse(call.arguments)).toEqual({ city: "Oslo" });

    api.upstream.answer(ANSWERS[wire]({ text: "Sunny." }));
    const result: Item = { type: "function_call_output", call_id: call.call_id, output: "12 °C" };
    const input: Item[] = [{ role: "user", content: "Hello" }, ...(first.output as Item[]), result];
    const second = await answerOf(client, { ...body, input, tools: [weather] }, stream);
    expect(second.output_text).toBe("Sunny.");
    expectSecondTurn[wire](sent());
  });

  test("a stream that breaks off is an error of the data plane's form", async () => {
    api.upstream.answer((request) => {
      const whole = ANSWERS[wire]({ text: "Hi there" })(request);
      const body = Buffer.from(whole.body as string);
      const cut = body.subarray(0, Math.ceil(body.length * 0.6));
      return { ...whole, body: wire === "bedrock" ? cut : cut.subarray(0, Math.max(cut.lastIndexOf("\n\n") + 2, 1)), ends: "close" };
    });
    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    const thrown = await refusalOf(
      (async () => {
        for await (const event of await over(wire).responses.create({ ...asks, stream: true })) events.push(event);
      })(),
    );
    const last = events.findLast(({ type }) => type === "error");
    if (wire === "google") return expect(thrown).toMatchObject({ status: 502 }); // its only event was cut
    expect(last).toMatchObject({
      type: "error",
      code: "stream_incomplete",
      message: expect.stringContaining("before the answer was complete"),
    });
  });
});

/** What a vendor gets back of its first answer, in its own words: thoughts with their signatures, before the call. */
const expectSecondTurn: Readonly<Record<WireName, (body: Json) => void>> = {
  openai: ({ input }) =>
    expect(input).toMatchObject([
      { role: "user" },
      { type: "reasoning", encrypted_content: "gAAAA" },
      { type: "message" },
      { type: "function_call", call_id: "call_1" },
      { type: "function_call_output", call_id: "call_1", output: "12 °C" },
    ]),
  anthropic: ({ messages }) =>
    expect(messages).toMatchObject([
      { role: "user" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Let me look.", signature: "c2lnbmVk" },
          { type: "text", text: "One moment." },
          { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Oslo" } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1" }] },
    ]),
  google: ({ contents }) =>
    expect(contents).toMatchObject([
      { role: "user" },
      {
        role: "model",
        parts: [{ text: "One moment." }, { functionCall: { name: "weather", args: { city: "Oslo" } }, thoughtSignature: "c2lnbmVk" }],
      },
      { role: "user", parts: [{ functionResponse: { name: "weather" } }] },
    ]),
  bedrock: ({ messages }) =>
    expect(messages).toMatchObject([
      { role: "user" },
      {
        role: "assistant",
        content: [
          { reasoningContent: { reasoningText: { text: "Let me look.", signature: "c2lnbmVk" } } },
          { text: "One moment." },
          { toolUse: { toolUseId: "tooluse_1", name: "weather", input: { city: "Oslo" } } },
        ],
      },
      { role: "user", content: [{ toolResult: { toolUseId: "tooluse_1" } }] },
    ]),
  "openai-compatible": ({ messages }) =>
    expect(messages).toEqual([
      { role: "user", content: "Hello" },
      {
        role: "assistant",
        content: "One moment.",
        reasoning_content: "Let me look.",
        tool_calls: [{ id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Oslo"}' } }],
      },
      { role: "tool", tool_call_id: "call_1", content: "12 °C" },
    ]),
};

describe("OpenAI's own wire", () => {
  test(verifies("D7.10.native", "the body reaches the provider as it came, and the whole answer the client byte for byte"), async () => {
    const body = JSON.stringify(nativeBody(CALLS), null, 2);
    api.upstream.answer(jsonAnswer(body));
    const request = { ...asks, previous_response_id: "resp_0", background: true, tools: [{ type: "web_search" }], x_new: 1 };
    const response = await fetch(`${api.gateway.base}/v1/responses`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: "Bearer sk",
        "x-gateway-api-key": GATEWAY_KEY,
        ...headersOf("openai", api.upstream.url),
      },
      body: JSON.stringify(request),
    });
    expect(await response.text()).toBe(body);
    expect([api.upstream.received.at(-1)?.path, sent()]).toEqual(["/v1/responses", request]);
  });
  test(verifies("D7.10.native", "streams pass byte for byte, whichever of its three ends they have"), async () => {
    const incomplete = { response: { ...nativeBody(CALLS), status: "incomplete", incomplete_details: { reason: "max_output_tokens" } } };
    const failed = { response: { ...nativeBody({}), status: "failed", error: { code: "server_error", message: "Oh." } } };
    const longerThanARead = nativeStream({ text: "word ".repeat(100_000) }, ["failed", failed]);
    for (const wire of [nativeStream(CALLS), nativeStream(CALLS, ["incomplete", incomplete]), longerThanARead]) {
      api.upstream.answer(sseAnswer(wire));
      const answer = await over("openai")
        .responses.create({ ...asks, stream: true })
        .asResponse();
      expect(await answer.text()).toBe(wire);
    }
  });
  test.each([20_000, 200_000])("the usage of a stream whose last event repeats %d characters is counted", async (length) => {
    const wire = nativeStream({ text: "word ".repeat(length / 5) });
    api.upstream.answer(sseAnswer(wire, { cuts: [Math.floor(wire.length / 2), wire.length - length / 2] }));
    const streamed = { ...asks, stream: true } as const;
    const answer = await over("openai").responses.create(streamed).asResponse();
    expect(await answer.text()).toBe(wire);
    const id = answer.headers.get("x-gateway-request-id") ?? "";
    const record = await until("the log is written", async () => {
      const log = await ask(`${api.gateway.base}/v1/logs/${id}`, "GET", api.gateway.adminKey);
      return log.status === 200 ? log.json : undefined;
    });
    expect(record).toMatchObject({ gateway: { ended: "ok" }, metrics: { req_units: 15, res_units: 7 } });
  });
  test("an error as the first event of a stream is an answer of its own status", async () => {
    const error = { type: "error", code: "rate_limit_exceeded", message: "Slow down.", param: null, sequence_number: 0 };
    api.upstream.answer(sseAnswer(`event: error\ndata: ${JSON.stringify(error)}\n\n`));
    expect(await refusalOf(over("openai").responses.create({ ...asks, stream: true }))).toMatchObject({
      status: 429,
      code: "rate_limit_exceeded",
    });
  });
  test(verifies("D7.10.errors", "an error of the provider keeps its status, type and words"), async () => {
    api.upstream.answer(
      jsonAnswer(
        { error: { message: "No such model.", type: "invalid_request_error", param: "model", code: "model_not_found" } },
        { status: 404 },
      ),
    );
    const thrown = await refusalOf(over("openai").responses.create(asks));
    expect(thrown).toBeInstanceOf(OpenAI.NotFoundError);
    expect(thrown).toMatchObject({ code: "model_not_found", param: "model", error: { type: "invalid_request_error" } });
  });
});
describe.each(TRANSLATED.map((wire) => [wire]))("by translation over %s", (wire) => {
  test(verifies("D7.10.stream", "the stream has every event in its order, numbered, and one end"), async () => {
    api.upstream.answer(ANSWERS[wire](CALLS));
    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    for await (const event of await over(wire).responses.create({ ...asks, stream: true, tools: [weather] })) events.push(event);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
    const types = events.map(({ type }) => type);
    expect(types.slice(0, 3)).toEqual(["response.created", "response.in_progress", "response.output_item.added"]);
    expect(types.at(-1)).toBe("response.completed");
    const order = [
      "reasoning_summary_text.done",
      "content_part.added",
      "output_text.delta",
      "output_text.done",
      "function_call_arguments.delta",
    ];
    const places = order.map((type) => types.indexOf(`response.${type}` as never));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
  });
  test(verifies("D7.10.format", "a schema is asked for, and the client parses the answer"), async () => {
    api.upstream.answer(ANSWERS[wire]({ text: '{"city":"Oslo"}' }));
    const format = zodTextFormat(z.object({ city: z.string() }), "place");
    const { output_parsed } = await over(wire).responses.parse({ ...asks, text: { format } });
    expect(output_parsed).toEqual({ city: "Oslo" });
    expect(api.upstream.received.at(-1)?.text()).toContain('"city"');
  });
  test(verifies("D7.10.input", "images and files go with the text"), async () => {
    api.upstream.answer(ANSWERS[wire]({ text: "A cat." }));
    const image_url = "data:image/png;base64,aGk=";
    const { output_text } = await over(wire).responses.create({
      model: "some-model",
      input: [
        { role: "developer", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "input_text", text: "What is it?" },
            { type: "input_image", image_url, detail: "auto" },
            { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERg==" },
          ],
        },
      ],
    });
    expect(output_text).toBe("A cat.");
    for (const part of ["Be brief.", "What is it?", "aGk=", "JVBERg=="]) expect(api.upstream.received.at(-1)?.text()).toContain(part);
  });
  test(verifies("D7.10.tools", "a custom tool is called with a text, and its result is read"), async () => {
    const custom: OpenAI.Responses.CustomTool = { type: "custom", name: "weather", description: "Asks in words" };
    api.upstream.answer(ANSWERS[wire]({ call: { input: "Oslo, please" } }));
    for (const stream of [false, true]) {
      const first = await answerOf(over(wire), { ...asks, tools: [custom] }, stream);
      const call = first.output.find(isCustomCall) ?? expect.unreachable();
      expect([call.name, call.input]).toEqual(["weather", "Oslo, please"]);
      const result: Item = { type: "custom_tool_call_output", call_id: call.call_id, output: "12 °C" };
      await over(wire).responses.create({ ...asks, tools: [custom], input: [{ role: "user", content: "Hello" }, call, result] });
      for (const part of ["Oslo, please", "12 °C"]) expect(api.upstream.received.at(-1)?.text()).toContain(part);
    }
  });
  test(verifies("D7.10.errors", "an error of the provider has the data plane's form"), async () => {
    api.upstream.answer(jsonAnswer({ error: { message: "Slow down.", type: "rate_limit_error" }, message: "Slow down." }, { status: 429 }));
    const thrown = await refusalOf(over(wire).responses.create(asks));
    expect(thrown).toBeInstanceOf(OpenAI.RateLimitError);
    expect((thrown as Error).message).toContain("Slow down.");
  });
});

test(verifies("D7.10.reasoning", "a call's signature of Google's comes in an item of its own, and goes back with the call"), async () => {
  api.upstream.answer(ANSWERS.google({ call: { city: "Oslo" } }));
  const { output } = await over("google").responses.create({ ...asks, tools: [weather] });
  expect(output.map(({ type }) => type)).toEqual(["reasoning", "function_call"]);
  const result: Item = { type: "function_call_output", call_id: (output[1] as { call_id: string }).call_id, output: "12 °C" };
  await over("google").responses.create({
    ...asks,
    tools: [weather],
    input: [{ role: "user", content: "Hello" }, ...(output as Item[]), result],
  });
  expect(api.upstream.received.at(-1)?.text()).toContain('"thoughtSignature":"c2lnbmVk"');
});

describe("the offline provider", () => {
  const sandbox = (): OpenAI => clientOf(api.gateway.base, { "x-gateway-provider": "sandbox" });
  test(verifies("D7.10.translated", "answers, streams, thinks and calls tools"), async () => {
    expect((await sandbox().responses.create({ ...asks, model: "echo" })).output_text).toBe("Hello");
    const thought = await sandbox()
      .responses.stream({ ...asks, model: "sandbox-reasoning" })
      .finalResponse();
    expect(thought.output.map(({ type }) => type)).toEqual(["reasoning", "message"]);
    const called = await sandbox()
      .responses.stream({ ...asks, model: "sandbox-tool", tools: [weather] })
      .finalResponse();
    expect(called.output).toMatchObject([{ type: "function_call", name: "weather" }]);
    expect(called.id).not.toBe(NATIVE_ID);
  });
});
