import { describe, expect, test } from "bun:test";
import { collect } from "../../../core/pipeline/stream/fold.ts";
import type { Json, StreamEvent } from "#contract";
import { ALL_EMBEDDED, COUNTED, EMBEDDED, GENERATED } from "./content.ts";
import { read } from "./decode.ts";
import { gemini } from "./dialect.ts";
import { errorBody } from "../content/google-failure.ts";
import { chatRequest } from "./served/request.ts";
import { jsonSchema } from "./served/schema.ts";

const OPTIONS = { id: "answer-1", model: "kit-model", created: 1, usage: true, strict: true };
const found = (segments: ReturnType<NonNullable<typeof GENERATED.input>> = []) =>
  segments.map(({ path, role, kind, text, message }) => [path, role, kind, text, message]);

describe("what bodies hold", () => {
  test("every piece of a request is found, under either spelling, with its place", () => {
    const body: Json = {
      system_instruction: { parts: [{ text: "Be brief." }] },
      contents: [
        { parts: [{ text: "Hi" }, { inline_data: { mime_type: "image/png", data: "AA" } }] },
        {
          role: "model",
          parts: [{ text: "hm", thought: true }, { functionCall: { name: "f", args: { a: 1 } } }, { executableCode: { code: "1+1" } }],
        },
        { parts: [{ functionResponse: { name: "f", response: { output: "two", more: { deep: 1 } } } }, { x_tomorrow: "?" }] },
        { parts: [{ fileData: { fileUri: "gs://b/a.mp3", mimeType: "audio/mpeg" } }] },
      ],
    };
    expect(found(GENERATED.input?.(body))).toEqual([
      ["system_instruction.parts[0].text", "system", "text", "Be brief.", -1],
      ["contents[0].parts[0].text", "user", "text", "Hi", 0],
      ["contents[0].parts[1].inline_data.data", "user", "image", "data:image/png;base64,AA", 0],
      ["contents[1].parts[0].text", "assistant", "reasoning", "hm", 1],
      ["contents[1].parts[1].functionCall", "assistant", "tool_call", '{"name":"f","arguments":{"a":1}}', 1],
      ["contents[1].parts[2].executableCode.code", "assistant", "text", "1+1", 1],
      ["contents[2].parts[0].functionResponse.response.output", "tool", "tool_result", "two", 2],
      ["contents[2].parts[0].functionResponse.response.more", "tool", "tool_result", '{"deep":1}', 2],
      ["contents[2].parts[1].x_tomorrow", "user", "text", "?", 2],
      ["contents[3].parts[0].fileData.fileUri", "user", "audio", "gs://b/a.mp3", 3],
    ]);
    expect(found(GENERATED.lastInput?.(body))).toEqual([["contents[3].parts[0].fileData.fileUri", "user", "audio", "gs://b/a.mp3", 3]]);
  });
  test("so are answers, contents to embed, and requests to count", () => {
    const content = { parts: [{ text: "Hi" }] };
    const answer = { candidates: [{ content }, { content }] };
    expect(found(GENERATED.output?.(answer)).map(([path]) => path)).toEqual([
      "candidates[0].content.parts[0].text",
      "candidates[1].content.parts[0].text",
    ]);
    expect(found(EMBEDDED.input?.({ content })).map(([path]) => path)).toEqual(["content.parts[0].text"]);
    expect(found(ALL_EMBEDDED.input?.({ requests: [{ content }] })).map(([path]) => path)).toEqual(["requests[0].content.parts[0].text"]);
    expect(found(COUNTED.input?.({ generate_content_request: { contents: [content] } })).map(([path]) => path)).toEqual([
      "generate_content_request.contents[0].parts[0].text",
    ]);
  });
});

describe("answers", () => {
  const EVENTS: readonly StreamEvent[] = [
    { type: "start", id: "resp-1", model: "m" },
    { type: "reasoning", text: "hm", signature: "c2ln" },
    { type: "reasoning", text: "", redacted: "c2VjcmV0" },
    { type: "text", text: "See " },
    { type: "media", url: "data:image/png;base64,AA==" },
    { type: "block", block: { type: "executableCode", executableCode: { code: "1" } } },
    { type: "block", block: { type: "server_tool_use", id: "of another vendor" } },
    { type: "tool", index: 0, id: "call_1", name: "f", arguments: '{"a":' },
    { type: "tool", index: 1, id: "call_2", name: "g", arguments: "not json" },
    { type: "tool", index: 0, arguments: "1}", signature: "Y2FsbA==" },
    { type: "beside", members: { groundingMetadata: { q: 1 }, unknown: 1 } },
    { type: "logprobs", tokens: [{ token: "a", logprob: -1, bytes: [97], top_logprobs: [] }] },
    { type: "finish", reason: "tool_calls" },
    { type: "text", text: "Another", choice: 1 },
    { type: "finish", reason: "length", choice: 1 },
    { type: "usage", usage: { input: 5, cacheRead: 2, output: 7, reasoning: 1 } },
  ];
  const PARTS = [
    { text: "hm", thought: true, thoughtSignature: "c2ln" },
    { text: "", thought: true, thoughtSignature: "cmVkYWN0ZWQ6YzJWamNtVjA=" },
    { text: "See " },
    { inlineData: { mimeType: "image/png", data: "AA==" } },
    { executableCode: { code: "1" } },
    { functionCall: { id: "call_1", name: "f", args: { a: 1 } }, thoughtSignature: "Y2FsbA==" },
    { functionCall: { id: "call_2", name: "g", args: { INVALID_JSON: "not json" } } },
  ];
  const ENDS = {
    finishReason: "STOP",
    groundingMetadata: { q: 1 },
    logprobsResult: { chosenCandidates: [{ token: "a", logProbability: -1 }], topCandidates: [{ candidates: [] }] },
  };
  const USED = { promptTokenCount: 7, candidatesTokenCount: 7, thoughtsTokenCount: 1, cachedContentTokenCount: 2, totalTokenCount: 15 };

  test("have every part in order, whole and streamed, with their usage and what stands beside", () => {
    const whole = gemini.write(collect(EVENTS), OPTIONS) as { candidates: Json[]; usageMetadata: Json };
    expect(whole.candidates[0]).toEqual({ content: { parts: PARTS, role: "model" }, index: 0, ...ENDS });
    expect(whole.candidates[1]).toMatchObject({ content: { parts: [{ text: "Another" }] }, finishReason: "MAX_TOKENS", index: 1 });
    expect(whole.usageMetadata).toEqual(USED);
    const encoder = gemini.encode(OPTIONS);
    const wire = EVENTS.map((event) => encoder.event(event)).join("") + encoder.end();
    const chunks = wire
      .split("\n\n")
      .filter(Boolean)
      .map((frame) => JSON.parse(frame.slice("data: ".length)) as { candidates: { index: number; content: { parts: Json[] } }[] });
    const first = chunks.flatMap(({ candidates }) => candidates.filter(({ index }) => index === 0));
    expect(first.flatMap(({ content }) => content.parts)).toEqual(PARTS);
    expect(chunks.at(-1)).toMatchObject({ candidates: [ENDS, { finishReason: "MAX_TOKENS" }], usageMetadata: USED, responseId: "resp-1" });
  });
  test.each([
    ["SAFETY", "content_filter", "SAFETY"],
    ["RECITATION", "content_filter", "RECITATION"],
    ["MALFORMED_FUNCTION_CALL", "content_filter", "MALFORMED_FUNCTION_CALL"],
    ["MAX_TOKENS", "length", "MAX_TOKENS"],
    ["OF_TOMORROW", "stop", "STOP"],
  ])("%s is kept as it is", (finishReason, finish, again) => {
    const answer = collect(read({ candidates: [{ content: { parts: [{ text: "a" }] }, finishReason }] }));
    expect(answer.choices[0]).toMatchObject({ finish, native: finishReason });
    expect(gemini.write(answer, OPTIONS)).toMatchObject({ candidates: [{ finishReason: again }] });
  });
  test("log probabilities of a stream are those of all its tokens", () => {
    const tokens = (token: string): StreamEvent => ({ type: "logprobs", tokens: [{ token, logprob: -1, bytes: [97], top_logprobs: [] }] });
    const encoder = gemini.encode(OPTIONS);
    const events: readonly StreamEvent[] = [{ type: "text", text: "ab" }, tokens("a"), tokens("b"), { type: "finish", reason: "stop" }];
    const last = (events.map((event) => encoder.event(event)).join("") + encoder.end()).trim().split("\n\n").at(-1) ?? "";
    const chosenCandidates = ["a", "b"].map((token) => ({ token, logProbability: -1 }));
    expect(JSON.parse(last.slice("data: ".length))).toMatchObject({
      candidates: [{ logprobsResult: { chosenCandidates, topCandidates: [{ candidates: [] }, { candidates: [] }] } }],
    });
  });
  test("a question that was blocked has an answer without text", () => {
    const answer = collect(read({ promptFeedback: { blockReason: "SAFETY" }, usageMetadata: { promptTokenCount: 3 } }));
    expect(answer).toMatchObject({ choices: [{ text: "", finish: "content_filter", native: "SAFETY" }], usage: { input: 3 } });
  });
  test("a refusal is a text that ends for safety", () => {
    const answer = collect([{ type: "start" }, { type: "refusal", text: "I cannot." }, { type: "finish", reason: "stop" }]);
    expect(gemini.write(answer, OPTIONS)).toMatchObject({
      candidates: [{ content: { parts: [{ text: "I cannot." }] }, finishReason: "SAFETY" }],
    });
  });
  test("arguments in fragments are one call", () => {
    const state = gemini.decode.start();
    const part = (functionCall: Json, finishReason?: string) => ({
      event: "",
      data: JSON.stringify({ candidates: [{ content: { parts: [{ functionCall }] }, ...(finishReason && { finishReason }) }] }),
    });
    const events = [
      part({ name: "f", willContinue: true }),
      part({ partialArgs: [{ jsonPath: "$.city", stringValue: "Os" }], willContinue: true }),
      part({ partialArgs: [{ jsonPath: "$['days'][0].at", numberValue: 1 }], willContinue: true }),
      part({ partialArgs: [{ jsonPath: "$.city", stringValue: "lo" }] }, "STOP"),
    ].flatMap((frame) => gemini.decode.event(frame, state));
    const gap = part({ name: "f", partialArgs: [{ jsonPath: "$.list[7]", stringValue: "" }] });
    expect(() => gemini.decode.event(gap, gemini.decode.start())).toThrow("no place in its list");
    const proto = part({ name: "f", partialArgs: [{ jsonPath: "$.__proto__.polluted", boolValue: true }] });
    gemini.decode.event(proto, gemini.decode.start());
    expect(Object.hasOwn(Object.prototype, "polluted")).toBeFalse();
    expect(collect(events).choices[0]?.tools).toMatchObject([{ name: "f", arguments: '{"city":"Oslo","days":[{"at":1}]}' }]);
  });
});

describe("requests in the chat form", () => {
  const asked = (more: Json, mapped = false): Json => chatRequest({ contents: [{ parts: [{ text: "Hi" }] }], ...more }, { mapped });

  test("thinking is an effort, and none where the provider's own wire can be told so", () => {
    const budget = (thinkingBudget: number): Json => ({ generationConfig: { thinkingConfig: { thinkingBudget } } });
    expect(asked(budget(0), true)["reasoning_effort"]).toBe("none");
    expect([512, 8192, 9000].map((tokens) => asked(budget(tokens))["reasoning_effort"])).toEqual(["low", "medium", "high"]);
    expect([-1, 0].map((tokens) => asked(budget(tokens))["reasoning_effort"])).toEqual([undefined, undefined]);
    expect(asked({ generationConfig: { thinkingConfig: { thinkingLevel: "HIGH" } } })["reasoning_effort"]).toBe("high");
  });
  test("which functions may be called is a choice among those offered", () => {
    const tools = [{ functionDeclarations: [{ name: "f" }, { name: "g" }, { name: "h" }] }];
    const chosen = (config: Json) => {
      const { tools: offered, tool_choice: choice } = asked({ tools, toolConfig: { functionCallingConfig: config } });
      return [(offered as { function: { name: string } }[]).map((tool) => tool.function.name).join(""), choice];
    };
    expect(chosen({})).toEqual(["fgh", undefined]);
    expect(chosen({ mode: "ANY" })).toEqual(["fgh", "required"]);
    expect(chosen({ mode: "NONE" })).toEqual(["fgh", "none"]);
    expect(chosen({ mode: "ANY", allowedFunctionNames: ["f", "g"] })).toEqual(["fg", "required"]);
    expect(chosen({ mode: "ANY", allowedFunctionNames: ["g"] })).toEqual(["g", { type: "function", function: { name: "g" } }]);
    expect(asked({ toolConfig: { functionCallingConfig: { mode: "ANY" } } })).not.toHaveProperty("tool_choice");
  });
  test("a function without parameters takes none; a JSON schema is taken as it is", () => {
    const schema = { type: "object", properties: { a: { type: ["string", "null"] } }, additionalProperties: false };
    const { tools } = asked({ tools: [{ functionDeclarations: [{ name: "f" }, { name: "g", parametersJsonSchema: schema }] }] });
    expect(tools).toEqual([
      { type: "function", function: { name: "f", parameters: { type: "object", properties: {} } } },
      { type: "function", function: { name: "g", parameters: schema } },
    ]);
  });
  test("sounds and documents are parts of their own; a file that Google keeps is refused", () => {
    const parts = [
      { inlineData: { mimeType: "audio/mpeg", data: "AA" } },
      { inlineData: { mimeType: "application/pdf", data: "BB", displayName: "a.pdf" } },
      { fileData: { fileUri: "https://files.example/b.pdf" } },
    ];
    expect(asked({ contents: [{ parts }] })["messages"]).toEqual([
      {
        role: "user",
        content: [
          { type: "input_audio", input_audio: { data: "AA", format: "mp3" } },
          { type: "file", file: { file_data: "data:application/pdf;base64,BB", filename: "a.pdf" } },
          { type: "file", file: { file_url: "https://files.example/b.pdf", filename: "b.pdf" } },
        ],
      },
    ]);
    for (const fileUri of ["https://generativelanguage.googleapis.com/v1beta/files/1", "gs://bucket/a", "files/1"])
      expect(() => asked({ contents: [{ parts: [{ fileData: { fileUri } }] }] })).toThrow("A file that Google keeps");
  });
  test("members that are null, and a list of no words to stop at, ask for nothing", () => {
    const nothing = {
      tools: [{ functionDeclarations: [{ name: "f" }] }],
      toolConfig: { functionCallingConfig: { mode: null } },
      generationConfig: { responseMimeType: null, stopSequences: [] },
    };
    for (const member of ["stop", "response_format", "tool_choice"]) expect(asked(nothing)).not.toHaveProperty(member);
  });
  test("an image that a model made earlier is shown behind its words", () => {
    const made = { inlineData: { mimeType: "image/png", data: "AA" } };
    const parts = [{ text: "Here." }, { ...made, thought: true }, made];
    expect(asked({ contents: [{ role: "model", parts }] })["messages"]).toEqual([
      { role: "assistant", content: "Here." },
      {
        role: "user",
        content: [
          { type: "text", text: "The image that was made:" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AA" } },
        ],
      },
    ]);
  });
  test("and behind the results of the functions that it called with it", () => {
    const made = { inlineData: { mimeType: "image/png", data: "AA" } };
    const contents = [
      { role: "model", parts: [made, { functionCall: { id: "c", name: "f" } }] },
      { role: "user", parts: [{ functionResponse: { id: "c", name: "f", response: { output: "1" } } }, { text: "Well?" }] },
    ];
    const messages = asked({ contents })["messages"] as { role: string; content: unknown }[];
    expect(messages.map(({ role }) => role)).toEqual(["assistant", "tool", "user"]);
    expect(messages[2]?.content).toMatchObject([{ type: "text" }, { type: "image_url" }, { type: "text", text: "Well?" }]);
  });
  test("unknown members travel on; those of Google's own wire stay behind", () => {
    expect(asked({ labels: {}, safetySettings: [{}], safety_settings: [{}], x_tomorrow: 1, user: "u", stream: true })).toEqual({
      messages: [{ role: "user", content: "Hi" }],
      x_tomorrow: 1,
      user: "u",
      stream: true,
    });
  });
});

test("Google's schemas are JSON schemas: types, nullable, bounds", () => {
  expect(
    jsonSchema({
      type: "OBJECT",
      properties: {
        type: { type: "STRING", nullable: true, enum: ["a"] },
        list: { type: "ARRAY", items: { anyOf: [{ type: "INTEGER" }, { type: "NULL" }] }, minItems: "1" },
      },
      propertyOrdering: ["list", "type"],
    }),
  ).toEqual({
    type: "object",
    properties: {
      type: { type: ["string", "null"], enum: ["a", null] },
      list: { type: "array", items: { anyOf: [{ type: "integer" }, { type: "null" }] }, minItems: 1 },
    },
  });
});

test("errors have a status of Google's, and what the gateway calls them among their details", () => {
  const error = { message: "no", type: "invalid_request_error", param: "model", code: "request_invalid" };
  expect(errorBody(error, 400, { provider: "x" })).toEqual({
    error: {
      code: 400,
      message: "no",
      status: "INVALID_ARGUMENT",
      details: [
        {
          "@type": "type.googleapis.com/google.rpc.ErrorInfo",
          reason: "REQUEST_INVALID",
          domain: "ai-gateway",
          metadata: { type: "invalid_request_error", code: "request_invalid", param: "model" },
        },
      ],
    },
    provider: "x",
  });
});

test("results find their calls in a time that grows with their number, not with its square", () => {
  const count = 60_000;
  const call = (at: number): Json => ({ functionCall: { id: `c${at}`, name: "f", args: {} } });
  const result = (at: number): Json => ({ functionResponse: { id: `c${count - 1 - at}`, name: "f", response: { output: "r" } } });
  const parts = (of: (at: number) => Json): Json[] => Array.from({ length: count }, (_, at) => of(at));
  const contents = [{ parts: [{ text: "x" }] }, { role: "model", parts: parts(call) }, { parts: parts(result) }];
  const startedAt = performance.now();
  const { messages } = chatRequest({ contents }, { mapped: true });
  expect(performance.now() - startedAt).toBeLessThan(1_500); // many seconds, were each looked for among all
  expect((messages as Json[]).at(-1)).toMatchObject({ role: "tool", tool_call_id: "c0" });
});
