import { describe, expect, test } from "bun:test";
import type { Content } from "@google/genai";
import { type Collected, GatewayError, type Json, type Provider, signedBy, type StreamEvent, type StreamMap, USAGE_PARTS } from "#contract";
import { collect } from "../../core/pipeline/stream/fold.ts";
import manifest from "../../providers/google/manifest.json";
import plugin from "../../providers/google/index.ts";
import { ask, testProvider } from "../kit/provider.ts";
import { recordedLines, recording, recordings, sayIfMissing, sseWire } from "../kit/recordings.ts";
import { eventsOf, testStream } from "../kit/stream.ts";

const provider: Provider = (await plugin.setup({ log: () => undefined, now: () => 0 }, {})).provides;
const chat = provider.operations.chatComplete ?? expect.unreachable();
const map = chat.stream as StreamMap<unknown>;
const target = (model: string) => ({ fields: {}, apiKey: "key", customHost: null, model });
const asking = (model: string, stream = false) => ask("chatComplete", target(model), { stream });
const sent = (body: Json): Json => chat.request?.(body, asking(String(body.model))) ?? body;
const streamed = (lines: readonly string[]): StreamEvent[] => eventsOf(map, [new TextEncoder().encode(sseWire(lines))]);
const replied = (body: Json): Collected => collect(chat.reply?.(body, asking("gemini-2.5-flash")) ?? []);
const candidate = (parts: readonly Json[], more: Json = {}): Json => ({
  candidates: [{ content: { role: "model", parts }, ...more }],
  responseId: "r1",
});
const chunks = (...bodies: Json[]): string[] => bodies.map((body) => JSON.stringify(body));

testProvider({ plugin, manifest: manifest as never });

/* ── recordings: what a stream says is computed from its lines alone, and compared with what the adapter made of it ── */

interface Call {
  readonly name?: string;
  readonly args?: Json;
  readonly partialArgs?: readonly Piece[];
}
interface Piece {
  readonly jsonPath: string;
  readonly stringValue?: string;
  readonly numberValue?: number;
  readonly boolValue?: boolean;
}
interface Body {
  readonly candidates: readonly {
    readonly content: { readonly parts: readonly { text?: string; thought?: boolean; functionCall?: Call }[] };
    readonly finishReason?: string;
  }[];
  readonly usageMetadata: Json & { readonly totalTokenCount?: number };
}
interface FoldedAnswer {
  readonly text: string;
  readonly thinking: string;
  readonly tools: readonly { name: string; args: unknown }[];
  readonly finish: string;
  readonly total: number;
}

/** Pieces by their place, each place's text in one; then the places become an object, by way of its own JSON text. */
function argsOf(pieces: readonly Piece[]): unknown {
  const leaves = new Map<string, unknown>();
  for (const { jsonPath, stringValue, numberValue, boolValue } of pieces) {
    const before = leaves.get(jsonPath);
    leaves.set(
      jsonPath,
      stringValue === undefined ? (numberValue ?? boolValue) : `${typeof before === "string" ? before : ""}${stringValue}`,
    );
  }
  return treeOf([...leaves].map(([path, leaf]) => ({ keys: path.replace(/^\$\./, "").split(/\.|(?=\[)/), leaf })));
}
function treeOf(leaves: readonly { keys: readonly string[]; leaf: unknown }[]): unknown {
  const heads = [...new Set(leaves.map(({ keys }) => keys[0] ?? ""))];
  const below = (head: string): unknown => {
    const under = leaves.filter(({ keys }) => keys[0] === head);
    return under[0]?.keys.length === 1 ? under[0].leaf : treeOf(under.map(({ keys, leaf }) => ({ keys: keys.slice(1), leaf })));
  };
  return heads[0]?.startsWith("[") ? heads.map(below) : Object.fromEntries(heads.map((head) => [head, below(head)]));
}

function saidByLines(lines: readonly Body[]): FoldedAnswer {
  const parts = lines.flatMap(({ candidates }) => candidates[0]?.content.parts ?? []);
  const tools: { name: string; args: Json; pieces: Piece[] }[] = [];
  for (const { functionCall: call } of parts) {
    if (call?.name) tools.push({ name: call.name, args: call.args ?? {}, pieces: [] });
    tools.at(-1)?.pieces.push(...(call?.partialArgs ?? []));
  }
  const finishReason = lines.findLast(({ candidates }) => candidates[0]?.finishReason)?.candidates[0]?.finishReason;
  return {
    text: parts
      .filter(({ thought }) => !thought)
      .map(({ text = "" }) => text)
      .join(""),
    thinking: parts
      .filter(({ thought }) => thought)
      .map(({ text = "" }) => text)
      .join(""),
    tools: tools.map(({ name, args, pieces }) => ({ name, args: { ...args, ...(argsOf(pieces) as Json) } })),
    finish: finishReason === "STOP" ? (tools.length > 0 ? "tool_calls" : "stop") : "?",
    total: lines.at(-1)?.usageMetadata.totalTokenCount ?? -1,
  };
}
function saidByAdapter({ choices, usage = {} }: Collected): FoldedAnswer {
  const [choice] = choices;
  if (choices.length !== 1 || !choice) throw new Error("the recordings have one candidate");
  expect(new Set(choice.tools.map(({ id }) => id)).size).toBe(choice.tools.length);
  return {
    text: choice.text,
    thinking: choice.reasoning.map(({ text }) => text).join(""),
    tools: choice.tools.map(({ name, arguments: text }) => ({ name, args: JSON.parse(text) as unknown })),
    finish: choice.finish ?? "?",
    total: USAGE_PARTS.reduce((total, part) => total + (usage[part] ?? 0), 0),
  };
}

// google/interactions holds answers of another API (Interactions), which this provider does not speak: not listed
describe("recorded Gemini answers", () => {
  sayIfMissing();
  for (const path of recordings(["google"], ".chunks.txt")) {
    const lines = recordedLines(path);
    testStream(path, map, sseWire(lines));
    test(`${path} says what its lines say`, () =>
      expect(saidByAdapter(collect(streamed(lines)))).toEqual(saidByLines(lines.map((line) => JSON.parse(line) as Body))));
  }
  for (const path of recordings(["google"], ".json")) {
    test(`${path} says what its body says`, () => {
      const body = JSON.parse(recording(path)) as Json;
      expect(saidByAdapter(replied(body))).toEqual(saidByLines([body as never]));
    });
  }
  const UNENDED = "google/google-stream-tool-call-array-arguments-missing-terminal-function-call.chunks.txt";
  test.skipIf(!recordings(["google"], ".txt").includes(UNENDED))(
    "a call whose closing fragment never came is complete with its last piece",
    () => {
      expect(collect(streamed(recordedLines(UNENDED))).choices[0]?.tools.map(({ arguments: text }) => JSON.parse(text) as unknown)).toEqual(
        [
          {
            operations: [
              { action: "add", description: "Fresh red apple", itemid: "apple_001", price: 0.5 },
              { action: "add", description: "Ripe yellow banana", itemid: "banana_001", price: 0.3 },
            ],
          },
        ],
      );
    },
  );
});

describe("a Gemini answer", () => {
  test.each([
    ["STOP", "stop"],
    ["MAX_TOKENS", "length"],
    ["SAFETY", "content_filter"],
    ["PROHIBITED_CONTENT", "content_filter"],
    ["BLOCKLIST", "content_filter"],
    ["SPII", "content_filter"],
    ["LANGUAGE", "content_filter"],
    ["IMAGE_SAFETY", "content_filter"],
    ["RECITATION", "content_filter"],
    ["OTHER", "stop"],
    ["MALFORMED_FUNCTION_CALL", "content_filter"],
    ["NEW_REASON", "stop"],
  ])("ended by %s finishes with %s", (finishReason, finish) => {
    expect(replied(candidate([{ text: "a" }], { finishReason })).choices[0]).toMatchObject({ text: "a", finish, native: finishReason });
  });
  test("thoughts are reasoning, signatures stay with what they sign", () => {
    const body = candidate(
      [{ text: "Hm", thought: true, thoughtSignature: "s1" }, { text: "Yes" }, { functionCall: { name: "now" }, thoughtSignature: "s2" }],
      { finishReason: "STOP" },
    );
    expect(replied(body).choices[0]).toEqual({
      text: "Yes",
      reasoning: [{ text: "Hm", signature: signedBy("gemini", "s1") }],
      tools: [{ id: "call_r1_0", name: "now", arguments: "{}", signature: signedBy("gemini", "s2") }],
      finish: "tool_calls",
      native: "STOP",
    });
  });
  test("the vendor's own call id is kept", () => {
    expect(replied(candidate([{ functionCall: { id: "f1", name: "now", args: {} } }])).choices[0]?.tools[0]?.id).toBe("f1");
  });
  test("an answer without an id gives its calls the same ids however often it is read", () => {
    const { responseId: _none, ...body } = candidate([{ functionCall: { name: "now" } }]);
    const ids = [replied(body), replied(body)].map(({ choices }) => choices[0]?.tools[0]?.id);
    expect(ids[0]).toMatch(/^call_\w+_0$/);
    expect(ids[0]).toBe(ids[1]);
  });
  test("several candidates are several choices", () => {
    const body = {
      responseId: "r",
      candidates: [0, 1].map((index) => ({
        index,
        content: { parts: [{ text: `t${index}` }, { functionCall: { name: "f" } }] },
        finishReason: "STOP",
      })),
    };
    expect(replied(body).choices.map(({ text, finish, tools }) => [text, finish, tools.map(({ id }) => id)])).toEqual([
      ["t0", "tool_calls", ["call_r_0"]],
      ["t1", "tool_calls", ["call_r_1"]],
    ]);
  });
  test("a blocked prompt is finished by the content filter, whole and streamed", () => {
    const body = { promptFeedback: { blockReason: "SAFETY" }, usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 } };
    for (const { choices, usage } of [replied(body), collect(streamed(chunks(body)))]) {
      expect(choices).toEqual([{ text: "", reasoning: [], tools: [], finish: "content_filter", native: "SAFETY" }]);
      expect(usage).toMatchObject({ input: 4, output: 0 });
    }
  });
  test("usage is disjoint: cached, audio, tool prompts and thoughts apart", () => {
    const audio = (tokenCount: number) => [{ modality: "AUDIO", tokenCount }];
    const usageMetadata = {
      promptTokenCount: 100,
      cachedContentTokenCount: 40,
      toolUsePromptTokenCount: 5,
      candidatesTokenCount: 30,
      thoughtsTokenCount: 7,
      totalTokenCount: 142,
      promptTokensDetails: audio(20),
      cacheTokensDetails: audio(8),
      candidatesTokensDetails: audio(3),
    };
    const { usage = {} } = replied({ ...candidate([{ text: "a" }]), usageMetadata });
    expect(usage).toEqual({ input: 53, cacheRead: 40, inputAudio: 12, output: 27, outputAudio: 3, reasoning: 7 });
    expect(USAGE_PARTS.reduce((total, part) => total + (usage[part] ?? 0), 0)).toBe(142);
  });
  test("no count gives tokens back: parts are whole, never negative, and never more than their total", () => {
    const audio = (tokenCount: number) => [{ modality: "AUDIO", tokenCount }];
    const of = (usageMetadata: Json) => replied({ ...candidate([{ text: "a" }]), usageMetadata }).usage;
    expect(of({ promptTokenCount: -1_000_000, candidatesTokenCount: -5, thoughtsTokenCount: -1 })).toEqual({
      input: 0,
      cacheRead: 0,
      output: 0,
      reasoning: 0,
    });
    expect(of({ promptTokenCount: 10.4, cachedContentTokenCount: 99, candidatesTokenCount: 3, candidatesTokensDetails: audio(9) })).toEqual(
      { input: 0, cacheRead: 10, output: 0, outputAudio: 3, reasoning: 0 },
    );
    expect(of({ promptTokenCount: 10, promptTokensDetails: audio(3), cacheTokensDetails: audio(8) })).toMatchObject({ input: 10 });
  });
  test("a stream without a finish reason has no finish; a whole answer without one stopped", () => {
    const body = candidate([{ text: "a" }]);
    expect(streamed(chunks(body)).some(({ type }) => type === "finish")).toBeFalse();
    expect(replied(body).choices[0]?.finish).toBe("stop");
  });
  test("nothing but usage follows the finish", () => {
    const events = streamed(
      chunks(candidate([{ text: "a" }], { finishReason: "STOP" }), {
        ...candidate([{ text: "b" }], { finishReason: "STOP" }),
        usageMetadata: { promptTokenCount: 1, totalTokenCount: 1 },
      }),
    );
    expect(events.map(({ type }) => type)).toEqual(["start", "text", "finish", "usage"]);
  });
  test("an error in mid-stream is thrown with its status", () => {
    const error = { code: 503, message: "overloaded", status: "UNAVAILABLE" };
    expect(caught(() => streamed(chunks(candidate([{ text: "a" }]), { error })))).toMatchObject({
      status: 503,
      error: { message: "overloaded", type: "UNAVAILABLE", code: "503" },
    });
  });
  test.each([["$.list[4294967294]"], ["$.list[1].a"]])("an argument at %s, beyond its list, is refused", (jsonPath) => {
    const body = candidate([{ functionCall: { name: "f", partialArgs: [{ jsonPath, numberValue: 1 }] } }]);
    expect(caught(() => streamed(chunks(body)))).toMatchObject({ code: "UPSTREAM_INVALID" });
  });
  test("an argument cannot reach a prototype", () => {
    const body = candidate([
      {
        functionCall: {
          name: "f",
          partialArgs: [
            { jsonPath: "$.__proto__.polluted", boolValue: true },
            { jsonPath: "$['a b'][0]", nullValue: "NULL_VALUE" },
          ],
        },
      },
    ]);
    expect(replied(body).choices[0]?.tools[0]?.arguments).toBe('{"__proto__":{"polluted":true},"a b":[null]}');
    expect(({} as Json).polluted).toBeUndefined();
  });
  test("a body that is no answer is refused by name", () => expect(caught(() => replied({ hello: 1 }))).toBeInstanceOf(GatewayError));
});

/* ── requests ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

const model = "gemini-2.5-flash";
const hi = { role: "user", content: "Hi" };
const contents = [{ role: "user", parts: [{ text: "Hi" }] }] satisfies Content[];
const call = (id: string, name: string, text: string, more: Json = {}): Json => ({
  id,
  type: "function",
  function: { name, arguments: text, ...more },
});
const weather = (parameters: Json): Json => ({
  type: "function",
  function: { name: "weather", description: "W", parameters, strict: true },
});
const declared = (parameters: Json): Json[] => [{ functionDeclarations: [{ name: "weather", description: "W", parameters }] }];
const thinking = (name: string, more: Json, thinkingConfig: Json): readonly [string, Json, Json] => [
  `${name} is told ${JSON.stringify(more)} in its family's words`,
  { model: name, messages: [hi], ...more },
  { contents, generationConfig: { thinkingConfig } },
];

const REQUESTS: readonly (readonly [string, Json, Json])[] = [
  [
    "leading system messages are the instruction, a later one keeps its place; neighbours are joined",
    {
      model,
      messages: [
        { role: "system", content: "A" },
        { role: "developer", content: [{ type: "text", text: "B" }] },
        hi,
        { role: "assistant", content: "Yes" },
        { role: "system", content: "C" },
        { role: "user", content: "D" },
      ],
    },
    {
      systemInstruction: { role: "system", parts: [{ text: "A" }, { text: "B" }] },
      contents: [...contents, { role: "model", parts: [{ text: "Yes" }] }, { role: "user", parts: [{ text: "C" }, { text: "D" }] }],
    },
  ],
  [
    "Gemma takes no instruction: it leads the first message",
    { model: "gemma-3-27b-it", messages: [{ role: "system", content: "A" }, hi] },
    { contents: [{ role: "user", parts: [{ text: "A" }, { text: "Hi" }] }] },
  ],
  [
    "images, files and audio",
    {
      model,
      messages: [
        {
          role: "user",
          content: [
            { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
            { type: "image_url", image_url: { url: "gs://bucket/a.mp4" } },
            { type: "image_url", image_url: { url: "https://example.org/a.JPG?x=1" } },
            { type: "image_url", image_url: { url: "BBBB" } },
            { type: "file", file: { file_data: "data:application/pdf;base64,CCCC" } },
            { type: "file", file: { file_id: "https://generativelanguage.googleapis.com/v1beta/files/abc" } },
            { type: "input_audio", input_audio: { data: "DDDD", format: "mp3" } },
          ],
        },
      ],
    },
    {
      contents: [
        {
          role: "user",
          parts: [
            { inlineData: { mimeType: "image/png", data: "AAAA" } },
            { fileData: { mimeType: "video/mp4", fileUri: "gs://bucket/a.mp4" } },
            { fileData: { mimeType: "image/jpeg", fileUri: "https://example.org/a.JPG?x=1" } },
            { inlineData: { mimeType: "image/jpeg", data: "BBBB" } },
            { inlineData: { mimeType: "application/pdf", data: "CCCC" } },
            { fileData: { fileUri: "https://generativelanguage.googleapis.com/v1beta/files/abc" } },
            { inlineData: { mimeType: "audio/mp3", data: "DDDD" } },
          ],
        },
      ],
    },
  ],
  [
    "calls with their signatures and text; results named by their calls, apart from the user's words",
    {
      model,
      messages: [
        hi,
        {
          role: "assistant",
          content: "Let me see.",
          tool_calls: [call("call_a", "weather", '{"city":"Rome"}', { thought_signature: "s" }), call("f2", "now", "")],
        },
        { role: "tool", tool_call_id: "call_a", content: "sunny" },
        {
          role: "tool",
          tool_call_id: "f2",
          content: [
            { type: "text", text: "no" },
            { type: "text", text: "on" },
          ],
        },
        { role: "user", content: "So?" },
      ],
    },
    {
      contents: [
        ...contents,
        {
          role: "model",
          parts: [
            { text: "Let me see." },
            { functionCall: { name: "weather", args: { city: "Rome" } }, thoughtSignature: "s" },
            { functionCall: { id: "f2", name: "now", args: {} } },
          ],
        },
        {
          role: "user",
          parts: [
            { functionResponse: { name: "weather", response: { output: "sunny" } } },
            { functionResponse: { id: "f2", name: "now", response: { output: "no\non" } } },
          ],
        },
        { role: "user", parts: [{ text: "So?" }] },
      ],
    },
  ],
  [
    "from Gemini 3 on the first call of a turn is always signed",
    {
      model: "gemini-3-flash-preview",
      messages: [hi, { role: "assistant", tool_calls: [call("call_a", "now", "{}"), call("call_b", "now", "{}")] }],
    },
    {
      contents: [
        ...contents,
        {
          role: "model",
          parts: [
            { functionCall: { name: "now", args: {} }, thoughtSignature: "skip_thought_signature_validator" },
            { functionCall: { name: "now", args: {} } },
          ],
        },
      ],
    },
  ],
  [
    "thinking is given back with its signature",
    {
      model,
      messages: [hi, { role: "assistant", content: "Yes", content_blocks: [{ type: "thinking", thinking: "Hm", signature: "s" }] }],
    },
    { contents: [...contents, { role: "model", parts: [{ text: "Hm", thought: true, thoughtSignature: "s" }, { text: "Yes" }] }] },
  ],
  [
    "a tool's schema: references in place, recursion ended, null as nullable, refused keywords out; names are not keywords",
    {
      model,
      messages: [hi],
      tools: [
        weather({
          $schema: "x",
          type: "object",
          additionalProperties: false,
          required: ["place"],
          properties: {
            strict: { type: "boolean" },
            place: { $ref: "#/$defs/Place", description: "Where." },
            at: { anyOf: [{ type: "string", format: "date-time" }, { type: "null" }] },
            unit: { enum: ["C", "F", null] },
            days: { type: ["integer", "null"], exclusiveMinimum: 0, maximum: 9 },
            kind: { const: "now" },
          },
          $defs: {
            Place: {
              type: "object",
              description: "P",
              properties: { name: { type: "string", format: "email" }, in: { $ref: "#/$defs/Place" } },
            },
          },
        }),
      ],
    },
    {
      contents,
      tools: declared({
        type: "object",
        required: ["place"],
        properties: {
          strict: { type: "boolean" },
          place: { type: "object", description: "Where.", properties: { name: { type: "string" }, in: { type: "object" } } },
          at: { type: "string", format: "date-time", nullable: true },
          unit: { type: "string", enum: ["C", "F"], nullable: true },
          days: { type: "integer", nullable: true, maximum: 9 },
          kind: { type: "string", enum: ["now"] },
        },
      }),
      toolConfig: { functionCallingConfig: { mode: "VALIDATED" } },
    },
  ],
  [
    "Google's own tools by name, a function without parameters, a named choice",
    {
      model,
      messages: [hi],
      tool_choice: { type: "function", function: { name: "now" } },
      tools: [
        { type: "function", function: { name: "now", parameters: { type: "object", properties: {} } } },
        { type: "function", function: { name: "google_search" } },
        {
          type: "function",
          function: { name: "computer_use", parameters: { environment: "ENVIRONMENT_BROWSER", excluded_predefined_functions: ["a"] } },
        },
        { type: "function", function: { name: "googleMaps", parameters: { enableWidget: true, latLng: { latitude: 1, longitude: 2 } } } },
        { type: "url_context" },
        { googleSearchRetrieval: {} },
      ],
    },
    {
      contents,
      tools: [
        { functionDeclarations: [{ name: "now" }] },
        { googleSearch: {} },
        { computerUse: { environment: "ENVIRONMENT_BROWSER", excludedPredefinedFunctions: ["a"] } },
        { googleMaps: { enableWidget: true } },
        { urlContext: {} },
        { googleSearchRetrieval: {} },
      ],
      toolConfig: {
        functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["now"] },
        retrievalConfig: { latLng: { latitude: 1, longitude: 2 } },
      },
    },
  ],
  [
    "the generation's settings; the wire's own win; what only OpenAI knows is dropped, what nobody knows travels on",
    {
      model,
      messages: [hi],
      temperature: 0,
      top_p: 0.5,
      top_k: 4,
      max_tokens: 10,
      max_completion_tokens: 20,
      stop: "END",
      n: 2,
      seed: 7,
      presence_penalty: 1,
      frequency_penalty: 0.5,
      logprobs: true,
      top_logprobs: 3,
      modalities: ["text", "image"],
      image_config: { aspect_ratio: "1:1" },
      generationConfig: { topK: 9, speechConfig: {} },
      user: "u",
      logit_bias: {},
      store: true,
      stream_options: {},
      safety_settings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" }],
      cachedContent: "cachedContents/1",
      member_of_tomorrow: [1],
    },
    {
      contents,
      safety_settings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" }],
      cachedContent: "cachedContents/1",
      member_of_tomorrow: [1],
      generationConfig: {
        temperature: 0,
        topP: 0.5,
        topK: 9,
        maxOutputTokens: 20,
        stopSequences: ["END"],
        candidateCount: 2,
        seed: 7,
        presencePenalty: 1,
        frequencyPenalty: 0.5,
        responseLogprobs: true,
        logprobs: 3,
        responseModalities: ["TEXT", "IMAGE"],
        imageConfig: { aspectRatio: "1:1" },
        speechConfig: {},
      },
    },
  ],
  [
    "null is the default",
    { model, messages: [hi], temperature: null, stop: null, max_tokens: null, thinking: null, reasoning_effort: null },
    { contents },
  ],
  [
    "a response schema is cleaned too",
    {
      model,
      messages: [hi],
      response_format: {
        type: "json_schema",
        json_schema: { name: "a", schema: { type: "object", additionalProperties: false, properties: { ok: { type: "boolean" } } } },
      },
    },
    {
      contents,
      generationConfig: {
        responseMimeType: "application/json",
        responseSchema: { type: "object", properties: { ok: { type: "boolean" } } },
      },
    },
  ],
  [
    "JSON without a schema",
    { model, messages: [hi], response_format: { type: "json_object" } },
    { contents, generationConfig: { responseMimeType: "application/json" } },
  ],
  thinking("gemini-2.5-flash", { reasoning_effort: "none" }, { thinkingBudget: 0 }),
  thinking("gemini-2.5-pro", { reasoning_effort: "none" }, { thinkingBudget: 128 }),
  thinking("gemini-2.5-pro", { reasoning_effort: "medium" }, { thinkingBudget: 8192 }),
  thinking("gemini-3-pro-preview", { reasoning_effort: "minimal" }, { thinkingLevel: "low" }),
  thinking("gemini-3-flash-preview", { reasoning_effort: "xhigh" }, { thinkingLevel: "high" }),
  thinking("gemini-2.5-flash", { thinking: { type: "enabled", budget_tokens: 500 } }, { includeThoughts: true, thinkingBudget: 500 }),
  thinking("gemini-2.5-flash", { thinking: { type: "enabled", budget_tokens: 0 } }, { thinkingBudget: 0 }),
  [
    "a model that does not think is told nothing of it",
    { model: "gemini-2.0-flash", messages: [hi], reasoning_effort: "high" },
    { contents },
  ],
];

describe("a chat request to Gemini", () => {
  test.each(REQUESTS.map(([name, body, sends]) => [name, body, sends] as const))("%s", (_name, body, sends) =>
    expect(sent(body)).toEqual(sends),
  );
  test.each([
    ["auto", "AUTO"],
    ["none", "NONE"],
    ["required", "ANY"],
  ])("tool_choice %s is the mode %s", (tool_choice, mode) => {
    expect(sent({ model, messages: [hi], tool_choice }).toolConfig).toEqual({ functionCallingConfig: { mode } });
  });
  test("goes to the model's path, a stream as server-sent events", () => {
    const path = (name: string, stream: boolean) => (typeof chat.path === "function" ? chat.path({}, asking(name, stream)) : "");
    expect(path(model, false)).toBe("/v1beta/models/gemini-2.5-flash:generateContent");
    expect(path("tunedModels/mine-1", true)).toBe("/v1beta/tunedModels/mine-1:streamGenerateContent?alt=sse");
    for (const name of ["../../v1beta/files", "a?key=b", "a/b/c", "a:predict", ""])
      expect(caught(() => path(name, false))).toMatchObject({ code: "REQUEST_INVALID" });
  });
  test("a schema that multiplies without end is refused, not expanded", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `D${at}`,
        { type: "object", properties: { a: { $ref: `#/$defs/D${at + 1}` }, b: { $ref: `#/$defs/D${at + 1}` } } },
      ]),
    );
    expect(caught(() => sent({ model, messages: [hi], tools: [weather({ $ref: "#/$defs/D0", $defs })] }))).toMatchObject({
      code: "REQUEST_INVALID",
    });
  });
  test.each([
    [{ messages: [{ role: "user", content: [{ type: "input_audio" }] }] }],
    [{ messages: [{ role: "assistant", tool_calls: [{ id: "a" }] }] }],
    [{ messages: [hi], tools: [{ type: "function" }] }],
  ])("that is malformed is refused with a sentence: %j", (body) =>
    expect(caught(() => sent({ model, ...body }))).toMatchObject({ code: "REQUEST_INVALID" }),
  );
});

describe("Google's other operations", () => {
  test("the endpoint has the key in a header, never in the URL", () => {
    expect(provider.endpoint(target(model))).toEqual({
      baseUrl: "https://generativelanguage.googleapis.com",
      headers: { "x-goog-api-key": "key" },
    });
  });
  test("embeddings: one entry a text, and the vectors in order", () => {
    const { embed } = provider.operations;
    const at = ask("embed", target("gemini-embedding-001"));
    expect(typeof embed?.path === "function" && embed.path({}, at)).toBe("/v1beta/models/gemini-embedding-001:batchEmbedContents");
    expect(
      embed?.request?.(
        { model: "gemini-embedding-001", input: ["a", "b"], dimensions: 3, taskType: "CLUSTERING", encoding_format: "float" },
        at,
      ),
    ).toEqual({
      requests: ["a", "b"].map((text) => ({
        model: "models/gemini-embedding-001",
        content: { parts: [{ text }] },
        outputDimensionality: 3,
        taskType: "CLUSTERING",
      })),
    });
    expect(embed?.response?.({ embeddings: [{ values: [1] }, { values: [2] }] }, at)).toEqual({
      object: "list",
      model: "gemini-embedding-001",
      usage: { prompt_tokens: -1, total_tokens: -1 },
      data: [
        { object: "embedding", index: 0, embedding: [1] },
        { object: "embedding", index: 1, embedding: [2] },
      ],
    });
    expect(caught(() => embed?.request?.({ input: [[1, 2]] }, at))).toMatchObject({ code: "REQUEST_INVALID", param: "input" });
  });
  test("models are listed in the OpenAI form", () => {
    const body = { models: [{ name: "models/gemini-2.5-flash", displayName: "Flash" }] };
    expect(provider.operations.listModels?.response?.(body, ask("listModels", target("")))).toEqual({
      object: "list",
      data: [{ id: "gemini-2.5-flash", displayName: "Flash", object: "model", created: 0, owned_by: "google" }],
    });
  });
  test("an error body is read, in a list too", () => {
    const body = { error: { code: 429, message: "slow down", status: "RESOURCE_EXHAUSTED" } };
    for (const form of [body, [body]])
      expect(provider.error?.(429, form, {})).toEqual({ message: "slow down", type: "RESOURCE_EXHAUSTED", code: "429" });
  });
});

function caught(run: () => unknown): unknown {
  try {
    return run();
  } catch (thrown) {
    return thrown;
  }
}
