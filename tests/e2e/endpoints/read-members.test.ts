/** Whatever of a request reaches a model as text, a guardrail that denies a word sees. */
import { describe, expect, test } from "bun:test";
import { jsonAnswer } from "../../kit/replay.ts";
import { at, bodyOf, forAll, type Json } from "./api.ts";

const api = forAll();
const rule = (scope: string | null, word = "EVIL"): Json => ({
  deny: true,
  "default.regexMatch": { rule: word, not: true, ...(scope !== null && { scope }) },
});
const target = (provider: string): Json => ({ provider, api_key: "sk-provider-key", custom_host: `${api.upstream.url}/v1` });
async function send(path: string, body: Json, config: Json) {
  const from = api.upstream.received.length;
  api.upstream.answer(jsonAnswer({ id: "c", object: "x", created: 1, model: "m", choices: [], data: [], results: [] }));
  const answer = await api.data("POST", path, { "x-gateway-config": JSON.stringify(config) }, { model: "m", ...body });
  return { ...answer, reached: api.upstream.received.length > from };
}
const guarded = (path: string, body: Json, scope: string | null = null) =>
  send(path, body, { ...target("openai"), input_guardrails: [rule(scope)] });

const userTurn = (content: unknown): Json => ({ messages: [{ role: "user", content }] });
const HELLO = userTurn("Hello");
const GEMINI = "/v1beta/models/m:generateContent";
const parts = (...content: readonly Json[]): Json => ({ contents: [{ role: "user", parts: content }] });
const HELLO_GEMINI = parts({ text: "Hello" });

describe("with the text under test as documented, the word is denied", () => {
  const bodies: Readonly<Record<string, readonly [path: string, body: Json]>> = {
    "in a part of a kind of tomorrow": ["/v1/chat/completions", userTurn([{ type: "foo", words: "EVIL" }])],
    "deep in such a part": ["/v1/chat/completions", userTurn([{ type: "foo", a: [{ "b.c": ["x", { d: "EVIL" }] }] }])],
    "in a list as a text": ["/v1/chat/completions", userTurn([{ type: "text", text: ["zzz", "EVIL"] }])],
    "in an object as a text": ["/v1/chat/completions", userTurn([{ type: "text", text: { value: "EVIL" } }])],
    "beside a part's text": ["/v1/chat/completions", userTurn([{ type: "foo", text: "ok", words: "EVIL" }])],
    "as a thought of the user's": ["/v1/chat/completions", userTurn([{ type: "reasoning", text: "EVIL" }])],
    "in a tool's answer": [
      "/v1/chat/completions",
      {
        messages: [
          { role: "user", content: "x" },
          { role: "tool", tool_call_id: "c", content: "EVIL" },
        ],
      },
    ],
    "in a thought of a user's": [GEMINI, parts({ text: "EVIL", thought: true })],
    "in what a function returns": [GEMINI, parts({ functionResponse: { name: "f", response: "EVIL" } })],
    "in a list that a function returns": [GEMINI, parts({ functionResponse: { name: "f", response: ["EVIL"] } })],
    "in a list of prompts": ["/v1/completions", { prompt: ["ok", "EVIL"] }],
    "in lists of prompts": ["/v1/completions", { prompt: [["EVIL"]] }],
    "in an item to embed that looks like a message": ["/v1/embeddings", { input: [{ type: "text", role: "x", text: "EVIL" }] }],
    "in an item to embed that looks like a call": ["/v1/embeddings", { input: [{ type: "my_call", text: "EVIL" }] }],
    "in an item to classify": ["/v1/moderations", { input: [{ type: "reasoning", text: "EVIL" }] }],
    "in what not to draw": ["/v1/images/generations", { prompt: "ok", negative_prompt: "EVIL" }],
    "in what not to draw on an image": ["/v1/images/edits", { prompt: "ok", negative_prompt: "EVIL", images: [{ file_id: "f" }] }],
  };
  test.each(Object.keys(bodies))("%s", async (where) => {
    const [path, body] = bodies[where] ?? ["", {}];
    const { status, text, reached } = await guarded(path, body);
    expect({ status, text, reached }).toEqual({ status: 446, text, reached: false });
  });
  test("in any member of a document to rank", async () => {
    for (const document of [{ text: "a", title: "EVIL" }, { title: "EVIL" }, { text: "a", meta: { "the author": ["EVIL"] } }]) {
      const body = { query: "q", documents: ["x", document], rank_fields: ["title"] };
      const { status, reached } = await send("/v1/rerank", body, { ...target("together-ai"), input_guardrails: [rule(null)] });
      expect({ document, status, reached }).toEqual({ document, status: 446, reached: false });
    }
  });
  test("and an image's address is seen as an image", async () => {
    const check = { deny: true, "default.regexMatch": { rule: "EVIL", not: true } };
    const edit = { prompt: "ok", images: [{ image_url: "https://example.com/EVIL.png" }] };
    expect((await send("/v1/images/edits", edit, { ...target("openai"), input_guardrails: [check] })).status).toBe(200);
  });
});

describe("what tools, formats and names say is seen by who asks for all messages, and by nobody else:", () => {
  const tool = (more: Json): Json => ({ type: "function", function: { name: "f", parameters: { type: "object" }, ...more } });
  const bodies: Readonly<Record<string, readonly [path: string, body: Json]>> = {
    "a tool's description": ["/v1/chat/completions", { ...HELLO, tools: [tool({ description: "EVIL" })] }],
    "a parameter's description": [
      "/v1/chat/completions",
      { ...HELLO, tools: [tool({ parameters: { type: "object", properties: { a: { type: "string", description: "EVIL" } } } })] },
    ],
    "a tool of another kind": [
      "/v1/chat/completions",
      { ...HELLO, tools: [{ type: "custom", custom: { name: "c", description: "EVIL" } }] },
    ],
    "an older function": ["/v1/chat/completions", { ...HELLO, functions: [{ name: "f", description: "EVIL" }] }],
    "a format": [
      "/v1/chat/completions",
      { ...HELLO, response_format: { type: "json_schema", json_schema: { name: "n", description: "EVIL", schema: { type: "object" } } } },
    ],
    "a prediction": ["/v1/chat/completions", { ...HELLO, prediction: { type: "content", content: [{ type: "text", text: "EVIL" }] } }],
    "the system text of another vendor's form": ["/v1/chat/completions", { ...HELLO, system: "EVIL" }],
    "the system text of a third one": ["/v1/chat/completions", { ...HELLO, systemInstruction: { parts: [{ text: "EVIL" }] } }],
    "the same beside a response's items": ["/v1/responses", { model: "m", input: "Hello", system_instruction: "EVIL" }],
    "who says it": ["/v1/chat/completions", { messages: [{ role: "user", name: "EVIL", content: "Hello" }] }],
    "a tool of the messages form": [
      "/v1/messages",
      { ...HELLO, max_tokens: 5, tools: [{ name: "f", description: "EVIL", input_schema: { type: "object" } }] },
    ],
    "a format of the messages form": [
      "/v1/messages",
      { ...HELLO, max_tokens: 5, output_config: { format: { type: "json_schema", schema: { type: "object", description: "EVIL" } } } },
    ],
    "its older name": [
      "/v1/messages",
      { ...HELLO, max_tokens: 5, output_format: { type: "json_schema", schema: { type: "object", description: "EVIL" } } },
    ],
    "a function of the gemini form": [GEMINI, { ...HELLO_GEMINI, tools: [{ functionDeclarations: [{ name: "f", description: "EVIL" }] }] }],
    "a format of the gemini form": [
      GEMINI,
      {
        ...HELLO_GEMINI,
        generationConfig: { responseMimeType: "application/json", responseSchema: { type: "OBJECT", description: "EVIL" } },
      },
    ],
  };
  test.each(Object.keys(bodies))("%s", async (where) => {
    const [path, body] = bodies[where] ?? ["", {}];
    expect({ status: (await guarded(path, body, "all_messages")).status }).toEqual({ status: 446 });
    expect({ reached: (await guarded(path, body)).reached }).toEqual({ reached: true });
    expect({ reached: (await guarded(path, body, "user_messages")).reached }).toEqual({ reached: true });
  });
  test("all messages, and all of a turn, are never less than the last one", async () => {
    const body = {
      messages: [
        { role: "user", content: "x" },
        { role: "tool", tool_call_id: "c", content: "EVIL" },
      ],
    };
    for (const scope of ["last_message", "turn", "all_messages"])
      expect({ scope, status: (await guarded("/v1/chat/completions", body, scope)).status }).toEqual({ scope, status: 446 });
  });
});

describe("numbers of tokens are a text that nobody here reads:", () => {
  const bodies: readonly (readonly [path: string, body: Json, param: string])[] = [
    ["/v1/completions", { prompt: [36, 11112, 1797] }, "prompt"],
    ["/v1/completions", { prompt: [[36, 11112], [1797]] }, "prompt"],
    ["/v1/completions", { prompt: ["ok", [36]] }, "prompt"],
    ["/v1/embeddings", { input: [36, 11112, 1797] }, "input"],
    ["/v1/embeddings", { input: [[36, 11112, 1797]] }, "input"],
  ];
  test.each(bodies)("%s %j is refused where a guardrail could deny or change a text", async (path, body, param) => {
    const denied = await guarded(path, body);
    expect(at(bodyOf(denied, 400), "error", "message")).toContain("numbers of tokens");
    expect([at(denied.json, "error", "param"), denied.reached]).toEqual([param, false]);
    const changing = { "default.regexReplace": { rule: "EVIL", replaceText: "x" } };
    expect((await send(path, body, { ...target("openai"), input_guardrails: [changing] })).reached).toBeFalse();
  });
  test.each(bodies)("%s %j passes where none looks at texts, or none could stop it", async (path, body) => {
    const watching = { "default.regexMatch": { rule: "EVIL", not: true } };
    const models = { deny: true, "default.modelWhitelist": { models: ["m"] } };
    for (const guardrails of [[], [watching], [models]])
      expect((await send(path, body, { ...target("openai"), input_guardrails: guardrails })).reached).toBeTrue();
  });
});

describe("what a guardrail read is what is drawn:", () => {
  const bedrock = (model: string): Json => ({
    ...{ provider: "bedrock", aws_access_key_id: "AKIAAAAAAAAAAAAAAAAA", aws_secret_access_key: "s", aws_region: "us-east-1" },
    custom_host: api.upstream.url,
    override_params: { model },
  });
  const vertex = (): Json => ({
    ...{ provider: "vertex-ai", vertex_project_id: "p", vertex_region: "us-central1", api_key: "token", custom_host: api.upstream.url },
    override_params: { model: "imagen-4.0" },
  });
  const ways: readonly (readonly [what: string, config: () => Json, body: Json])[] = [
    ["Amazon's own text", () => bedrock("amazon.nova-canvas-v1:0"), { textToImageParams: { text: "EVIL" } }],
    [
      "Amazon's own task",
      () => bedrock("amazon.nova-canvas-v1:0"),
      { taskType: "INPAINTING", inPaintingParams: { text: "EVIL", negativeText: "EVIL" } },
    ],
    ["Stability's own texts", () => bedrock("stability.stable-diffusion-xl-v1"), { text_prompts: [{ text: "EVIL" }] }],
    ["Google's own name of what not to draw", vertex, { negativePrompt: "EVIL" }],
    ["Google's own parameters", vertex, { parameters: { negativePrompt: "EVIL" } }],
    ["what not to draw", vertex, { negative_prompt: "EVIL" }],
  ];
  test.each(ways)("%s", async (_, config, body) => {
    const from = api.upstream.received.length;
    await send("/v1/images/generations", { prompt: "ok", ...body }, { ...config(), input_guardrails: [rule(null)] });
    expect(api.upstream.received.slice(from).filter((received) => received.text().includes("EVIL"))).toEqual([]);
  });
});

test.each([
  ["a call's arguments", { tool_calls: [{ id: "c", type: "function", function: { name: "f", Arguments: "EVIL" } }] }],
  ["an old call's arguments", { function_call: { name: "f", arguments: "{}", ARGUMENTS: "EVIL" } }],
  ["a custom call's input", { tool_calls: [{ id: "c", type: "custom", custom: { name: "f", Input: "EVIL" } }] }],
  ["a sound's transcript", { audio: { id: "a", Transcript: "EVIL" } }],
])("where guardrails look on, no object within a message spells a name in another way: %s", async (_, message) => {
  const { status, text, reached } = await guarded("/v1/chat/completions", { messages: [{ role: "assistant", content: "x", ...message }] });
  expect([status, text, reached]).toEqual([400, expect.stringContaining("is spelled"), false]);
});
test("what a call is given may have any names", async () => {
  const given = { type: "tool_use", id: "t", name: "f", input: { Content: "x", Text: "y", function: { Arguments: "z" } } };
  const { text } = await guarded("/v1/chat/completions", { messages: [{ role: "assistant", content: [given] }] });
  expect(text).not.toContain("is spelled");
});
