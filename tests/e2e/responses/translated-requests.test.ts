/** What a server without the API is asked in the place of a response, and what is refused because no chat completion could ask it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { type ReplayServer, replayServer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { refusalOf } from "../guarded.ts";
import { type GatewayProcess, startGateway } from "../process.ts";
import { ANSWERS, clientOf, headersOf } from "./stand-ins.ts";

type Json = Readonly<Record<string, unknown>>;
type Item = OpenAI.Responses.ResponseInputItem;

let upstream: ReplayServer;
let gateway: GatewayProcess;
let client: OpenAI;
beforeAll(async () => {
  upstream = replayServer();
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: new URL(upstream.url).host } });
  client = clientOf(gateway.base, headersOf("openai-compatible", upstream.url));
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await upstream.close();
});

const asks = { model: "some-model", input: "Hello" };
const sent = (): Json => (upstream.received.at(-1)?.json() ?? {}) as Json;
const weather: OpenAI.Responses.FunctionTool = {
  type: "function",
  name: "weather",
  description: "The weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false },
  strict: true,
};
describe("an OpenAI-compatible server, by translation", () => {
  test(verifies("D7.10.translated", "is asked the same in its own form"), async () => {
    upstream.answer(ANSWERS["openai-compatible"]({ text: "{}" }));
    const answer = await client.responses.create({
      model: "m",
      instructions: "Be brief.",
      input: [
        { role: "user", content: "Hello" },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi.", annotations: [] }] } as never,
        { type: "function_call", call_id: "c1", name: "weather", arguments: "{}" },
        {
          type: "function_call_output",
          call_id: "c1",
          output: [
            { type: "input_text", text: "12 °C" },
            { type: "input_image", image_url: "https://a.example/sky.png", detail: "low" },
          ],
        },
        { role: "user", content: "And now?" },
      ],
      tools: [weather, { ...weather, name: "time" }],
      tool_choice: { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "weather" }] },
      parallel_tool_calls: false,
      max_output_tokens: 50,
      temperature: 0.5,
      top_p: 0.9,
      top_logprobs: 2,
      include: ["message.output_text.logprobs"],
      text: { format: { type: "json_object" }, verbosity: "low" },
      reasoning: { effort: "low" },
      metadata: { a: "b" },
      user: "u1",
      store: true,
      truncation: "auto",
    });
    const { name, description, parameters, strict } = weather;
    expect(sent()).toEqual({
      model: "m",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hello" },
        { role: "assistant", content: "Hi.", tool_calls: [{ id: "c1", type: "function", function: { name: "weather", arguments: "{}" } }] },
        { role: "tool", tool_call_id: "c1", content: "12 °C" },
        {
          role: "user",
          content: [
            { type: "text", text: "The result of the tool call c1:" },
            { type: "image_url", image_url: { url: "https://a.example/sky.png", detail: "low" } },
          ],
        },
        { role: "user", content: "And now?" },
      ],
      tools: [{ type: "function", function: { name, description, parameters, strict } }],
      tool_choice: "required",
      parallel_tool_calls: false,
      max_completion_tokens: 50,
      temperature: 0.5,
      top_p: 0.9,
      logprobs: true,
      top_logprobs: 2,
      response_format: { type: "json_object" },
      verbosity: "low",
      reasoning_effort: "low",
      user: "u1",
    });
    expect(answer).toMatchObject({
      instructions: "Be brief.",
      metadata: { a: "b" },
      temperature: 0.5,
      parallel_tool_calls: false,
      user: "u1",
    });
  });

  test.each<[string, string, Json]>([
    ["background", "background", { background: true }],
    ["conversation", "conversation", { conversation: "conv_1" }],
    ["prompt", "prompt", { prompt: { id: "pmpt_1" } }],
    ["previous_response_id", "previous_response_id", { previous_response_id: "resp_1" }],
    ["web_search", "tools", { tools: [{ type: "web_search" }] }],
    ["file_search", "tools", { tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }] }],
    ["mcp", "tools", { tools: [{ type: "mcp", server_label: "a", server_url: "https://a.example" }] }],
    ["grammar", "tools", { tools: [{ type: "custom", name: "c", format: { type: "grammar", syntax: "lark", definition: "x" } }] }],
    ["file_search", "tool_choice", { tools: [weather], tool_choice: { type: "file_search" } }],
    ["item_reference", "input", { input: [{ type: "item_reference", id: "msg_1" }] }],
    ["computer_call_output", "input", { input: [{ type: "computer_call_output", call_id: "c", output: {} }] }],
    ["file_id", "input", { input: [{ role: "user", content: [{ type: "input_image", file_id: "file_1" }] }] }],
    ["input", "input", { input: [] }],
  ])(verifies("D7.10.refused", "refuses %s by the name of its member, %s"), async (name, param, member) => {
    const before = upstream.received.length;
    const thrown = await refusalOf(client.responses.create({ ...asks, ...member } as never));
    expect(thrown).toBeInstanceOf(OpenAI.BadRequestError);
    expect(thrown).toMatchObject({ param });
    expect((thrown as Error).message).toContain(name);
    expect(upstream.received.length).toBe(before);
  });

  test("what a provider's own tools did in an earlier turn is history", async () => {
    upstream.answer(ANSWERS["openai-compatible"]({ text: "Yes." }));
    const search = { id: "ws_1", type: "web_search_call", status: "completed", action: { type: "search", query: "q" } };
    const input = [
      { role: "user", content: "Hello" },
      search,
      { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "gAAA" },
      { role: "user", content: "Sure?" },
    ];
    await client.responses.create({ ...asks, input: input as Item[] });
    expect(sent()["messages"]).toEqual([
      { role: "user", content: "Hello" },
      { role: "user", content: "Sure?" },
    ]);
  });
});
