/** Messages over providers with a wire of their own: what the dialect's translation and the adapter's mapping send together. */
import { describe, expect, test } from "bun:test";
import { type Json, type Provider, signedBy } from "#contract";
import { collect } from "../../core/pipeline/stream/fold.ts";
import messagesPlugin from "../../plugins/api/messages/index.ts";
import bedrockPlugin from "../../providers/bedrock/index.ts";
import googlePlugin from "../../providers/google/index.ts";
import vertexPlugin from "../../providers/vertex-ai/index.ts";
import { fakeHost } from "../kit/host.ts";
import { ask } from "../kit/provider.ts";
import { verifies } from "../requirements/verifies.ts";

const { provides } = await messagesPlugin.setup({ log: () => undefined, now: () => 0 }, {});
const dialect = provides.dialects?.[0] ?? expect.unreachable();
const bedrock: Provider = (await bedrockPlugin.setup((await fakeHost(bedrockPlugin.needs)).host, { domain: "amazonaws.com" })).provides;
const vertex: Provider = (await vertexPlugin.setup((await fakeHost(["net:*"], { id: "vertex-ai" })).host, {})).provides;
const google: Provider = (await googlePlugin.setup((await fakeHost(googlePlugin.needs)).host, {})).provides;
const FIELDS = { vertex_project_id: "acme-1", vertex_region: "us-central1" };
const target = (model: string) => ({ fields: FIELDS, apiKey: "k", customHost: null, model });

function sent({ operations }: Provider, model: string, body: Json): Json {
  const asked = dialect.served?.request({ model, max_tokens: 4000, ...body }, { mapped: true }) ?? expect.unreachable();
  return operations.chatComplete?.request?.(asked, ask("chatComplete", target(model))) ?? expect.unreachable();
}
const MARK = { type: "ephemeral" } as const;
const tools = [{ name: "weather", description: "Of a city", input_schema: { type: "object", properties: {} }, cache_control: MARK }];
const THOUGHTS = [
  { type: "thinking", thinking: "Let me look.", signature: "c2ln" },
  { type: "redacted_thinking", data: "cmVk" },
  { type: "text", text: "One moment." },
];
const CALL = { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Oslo" } };
const IMAGE = { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } };
const RESULT = { type: "tool_result", tool_use_id: "toolu_1", is_error: true, content: [{ type: "text", text: "no" }, IMAGE] };
const conversation: Json = {
  tools,
  thinking: { type: "enabled", budget_tokens: 2000 },
  system: [{ type: "text", text: "Be brief.", cache_control: MARK }],
  messages: [
    { role: "user", content: [{ type: "text", text: "Hello", cache_control: MARK }] },
    { role: "assistant", content: [...THOUGHTS, CALL] },
    { role: "user", content: [RESULT] },
  ],
};

describe("Claude on Vertex AI", () => {
  test("gets thoughts, signatures, marks, failures and images as the client wrote them", () => {
    const body = sent(vertex, "claude-sonnet-4-5@20250929", conversation);
    expect(body).toMatchObject({ thinking: conversation["thinking"], system: conversation["system"], max_tokens: 4000 });
    expect(body["messages"]).toEqual(conversation["messages"]);
    expect(body["tools"]).toEqual(tools);
  });
  test("gets the marks of an assistant's texts", () => {
    const content = [
      { type: "text", text: "One." },
      { type: "text", text: "Two.", cache_control: MARK },
    ];
    const turns = [
      { role: "user", content: "Hi" },
      { role: "assistant", content },
      { role: "user", content: "And?" },
    ];
    expect(sent(vertex, "claude-sonnet-4-5@20250929", { messages: turns })["messages"]).toEqual(turns);
  });
});

describe("Claude on Bedrock", () => {
  test("gets the same in Converse's words", () => {
    const { messages, system, toolConfig } = sent(bedrock, "anthropic.claude-sonnet-4-5-20250929-v1:0", conversation);
    const point = { cachePoint: { type: "default" } };
    expect(system).toEqual([{ text: "Be brief." }, point]);
    expect(messages).toMatchObject([
      { role: "user", content: [{ text: "Hello" }, point] },
      {
        role: "assistant",
        content: [
          { reasoningContent: { reasoningText: { text: "Let me look.", signature: "c2ln" } } },
          { reasoningContent: { redactedContent: "cmVk" } },
          { text: "One moment." },
          { toolUse: { toolUseId: "toolu_1", name: "weather", input: { city: "Oslo" } } },
        ],
      },
      { role: "user", content: [{ toolResult: { toolUseId: "toolu_1", status: "error", content: [{ text: "no" }, { image: {} }] } }] },
    ]);
    expect(toolConfig).toMatchObject({ tools: [{ toolSpec: { name: "weather" } }, point] });
  });
});

test("no text to stop at is none in the chat form, either", () => {
  const chat = (stop_sequences: readonly string[]) =>
    dialect.served?.request({ model: "m", messages: [{ role: "user", content: "Hi" }], stop_sequences }, { mapped: false });
  expect(chat([])).not.toHaveProperty("stop");
  expect(chat(["END"])).toHaveProperty("stop", ["END"]);
});

describe("Gemini", () => {
  test("gets the call, the result with its image, and how much to think", () => {
    const { contents, generationConfig } = sent(google, "gemini-2.5-flash", conversation);
    expect(generationConfig).toMatchObject({ thinkingConfig: { thinkingBudget: 2000 }, maxOutputTokens: 4000 });
    expect(contents).toMatchObject([
      { role: "user", parts: [{ text: "Hello" }] },
      {
        role: "model",
        parts: expect.arrayContaining([
          expect.objectContaining({ functionCall: expect.objectContaining({ name: "weather", args: { city: "Oslo" } }) }),
        ]),
      },
      {
        role: "user",
        parts: [{ functionResponse: { name: "weather", response: { output: "no" } } }, { inlineData: { mimeType: "image/png" } }],
      },
    ]);
  });
});

describe("an answer of Bedrock", () => {
  test("keeps its thoughts with their signatures, and its own reason to stop", () => {
    const body = {
      output: {
        message: {
          role: "assistant",
          content: [
            { reasoningContent: { reasoningText: { text: "Let me look.", signature: "c2ln" } } },
            { text: "One moment." },
            { toolUse: { toolUseId: "toolu_1", name: "weather", input: { city: "Oslo" } } },
          ],
        },
      },
      stopReason: "tool_use",
      usage: { inputTokens: 5, outputTokens: 7, totalTokens: 12, cacheReadInputTokens: 2 },
    };
    const events = bedrock.operations.chatComplete?.reply?.(body, ask("chatComplete", target("m"))) ?? [];
    const options = { id: "x", model: "asked", created: 1, usage: true, strict: true };
    expect(dialect.write(collect(events), options)).toMatchObject({
      content: [{ ...THOUGHTS[0], signature: signedBy("messages", "c2ln") }, THOUGHTS[2], CALL],
      stop_reason: "tool_use",
      usage: { input_tokens: 5, cache_read_input_tokens: 2, output_tokens: 7 },
    });
  });
});

describe("tokens are counted", () => {
  const body = { model: "m", messages: [{ role: "user", content: "Grüße" }], tools: [] };
  const pathOf = ({ operations: { messagesCountTokens: adapter } }: Provider, model: string): unknown =>
    typeof adapter?.path === "function" ? adapter.path(body, ask("messagesCountTokens", target(model))) : undefined;
  const counting = ({ operations: { messagesCountTokens: adapter } }: Provider, model: string): Json =>
    adapter?.request?.({ ...body, model }, ask("messagesCountTokens", target(model))) ?? expect.unreachable();

  test(verifies("D7.11.count-clouds", "by Bedrock, of Claude's own body"), () => {
    const model = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
    expect(pathOf(bedrock, model)).toBe(`/model/${encodeURIComponent(model)}/count-tokens`);
    const { input } = counting(bedrock, model) as { input: { invokeModel: { body: string } } };
    expect(JSON.parse(Buffer.from(input.invokeModel.body, "base64").toString())).toEqual({
      anthropic_version: "bedrock-2023-05-31",
      max_tokens: 10,
      messages: body.messages,
      tools: [],
    });
    expect(bedrock.operations.messagesCountTokens?.response?.({ inputTokens: 14 }, ask("messagesCountTokens", target(model)))).toEqual({
      input_tokens: 14,
    });
  });
  test(verifies("D7.11.count-clouds", "by Vertex AI, at a model of its own"), () => {
    expect(pathOf(vertex, "claude-sonnet-4-5@20250929")).toBe(
      "/v1/projects/acme-1/locations/us-central1/publishers/anthropic/models/count-tokens:rawPredict",
    );
    expect(counting(vertex, "anthropic.claude-sonnet-4-5@20250929")).toEqual({ ...body, model: "claude-sonnet-4-5@20250929" });
  });
  test("of no other vendor's models", () => {
    expect(() => counting(bedrock, "amazon.nova-lite-v1:0")).toThrow(/Claude/);
    expect(() => counting(vertex, "gemini-2.5-flash")).toThrow(/Claude/);
  });
});
