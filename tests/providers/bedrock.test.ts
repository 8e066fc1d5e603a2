import { describe, expect, test } from "bun:test";
import {
  type Collected,
  GatewayError,
  type Json,
  type Provider,
  signatureFor,
  signedBy,
  type StreamEvent,
  type StreamMap,
  UpstreamFailure,
} from "#contract";
import { collect } from "../../core/pipeline/stream/fold.ts";
import plugin from "../../providers/bedrock/index.ts";
import manifest from "../../providers/bedrock/manifest.json";
import { fakeHost } from "../kit/host.ts";
import { ask, testProvider } from "../kit/provider.ts";
import { recordedLines, recording, recordings, sayIfMissing } from "../kit/recordings.ts";
import { eventsOf, testStream } from "../kit/stream.ts";
import { event, eventWire, exception, message } from "./bedrock-eventstream.ts";

const { host } = await fakeHost(plugin.needs);
const provider: Provider = (await plugin.setup(host, { domain: "amazonaws.com" })).provides;
const chat = provider.operations.chatComplete ?? expect.unreachable();
const embed = provider.operations.embed ?? expect.unreachable();
const map = chat.stream as StreamMap<unknown>;
const target = (model: string) => ({ fields: {}, apiKey: "", customHost: null, model });
const sent = (body: Json): Json => chat.request?.(body, ask("chatComplete", target(String(body["model"])))) ?? body;
const pathOf = (model: string, stream = false): string =>
  typeof chat.path === "function" ? chat.path({}, ask("chatComplete", target(model), { stream })) : "";
const streamed = (...messages: Uint8Array[]): StreamEvent[] => eventsOf(map, messages, "aws-eventstream");
const replied = (body: Json): Collected => collect(chat.reply?.(body, ask("chatComplete", target("m"))) ?? []);
const answer = (content: Json[], more: Json = {}): Json => ({
  output: { message: { role: "assistant", content } },
  stopReason: "end_turn",
  usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
  ...more,
});
const caught = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (thrown) {
    return thrown;
  }
};

testProvider({
  plugin,
  manifest: manifest as never,
  fields: { aws_region: "eu-central-1", aws_access_key_id: "AKIA", aws_secret_access_key: "s" },
});

/* ── recordings: what a stream says is computed from its lines alone, and compared with what the adapter made of it ── */

interface Line {
  readonly contentBlockStart?: {
    readonly contentBlockIndex: number;
    readonly start: { readonly toolUse: { toolUseId: string; name: string } };
  };
  readonly contentBlockDelta?: {
    readonly contentBlockIndex: number;
    readonly delta: {
      readonly text?: string;
      readonly toolUse?: { readonly input: string };
      readonly reasoningContent?: { readonly text?: string; readonly signature?: string };
    };
  };
  readonly messageStop?: { readonly stopReason: string };
  readonly metadata?: { readonly usage: { readonly totalTokens: number } };
}
interface Block {
  readonly text?: string;
  readonly toolUse?: { readonly toolUseId: string; readonly name: string; readonly input: unknown };
  readonly reasoningContent?: { readonly reasoningText: { readonly text: string; readonly signature: string } };
}
interface FoldedAnswer {
  readonly text: string;
  readonly thinking: string;
  readonly signatures: string;
  readonly tools: readonly { id: string; name: string; input: unknown }[];
  readonly finish: string;
  readonly total: number | null;
}
const FINISH: Readonly<Record<string, string>> = { end_turn: "stop", tool_use: "tool_calls", max_tokens: "length" };

function saidByLines(lines: readonly Line[]): FoldedAnswer {
  const deltas = lines.flatMap(({ contentBlockDelta }) => (contentBlockDelta ? [contentBlockDelta] : []));
  const joined = (part: (delta: (typeof deltas)[number]["delta"]) => string | undefined): string =>
    deltas.map(({ delta }) => part(delta) ?? "").join("");
  const inputOf = (index: number): string =>
    deltas
      .filter(({ contentBlockIndex }) => contentBlockIndex === index)
      .map(({ delta }) => delta.toolUse?.input ?? "")
      .join("");
  return {
    text: joined(({ text }) => text),
    thinking: joined(({ reasoningContent }) => reasoningContent?.text),
    signatures: joined(({ reasoningContent }) => reasoningContent?.signature),
    tools: lines
      .flatMap(({ contentBlockStart }) => (contentBlockStart ? [contentBlockStart] : []))
      .map(({ contentBlockIndex, start: { toolUse } }) => ({
        id: toolUse.toolUseId,
        name: toolUse.name,
        input: JSON.parse(inputOf(contentBlockIndex)) as unknown,
      })),
    finish: FINISH[lines.find(({ messageStop }) => messageStop)?.messageStop?.stopReason ?? ""] ?? "?",
    total: lines.find(({ metadata }) => metadata)?.metadata?.usage.totalTokens ?? null,
  };
}
function saidByBody(body: { output: { message: { content: Block[] } }; stopReason: string; usage: { totalTokens: number } }): FoldedAnswer {
  const { content } = body.output.message;
  return {
    text: content.map(({ text }) => text ?? "").join(""),
    thinking: content.map(({ reasoningContent }) => reasoningContent?.reasoningText.text ?? "").join(""),
    signatures: content.map(({ reasoningContent }) => reasoningContent?.reasoningText.signature ?? "").join(""),
    tools: content.flatMap(({ toolUse }) => (toolUse ? [{ id: toolUse.toolUseId, name: toolUse.name, input: toolUse.input }] : [])),
    finish: FINISH[body.stopReason] ?? "?",
    total: body.usage.totalTokens,
  };
}
function saidByAdapter({ choices, usage }: Collected): FoldedAnswer {
  const [choice] = choices;
  if (choices.length !== 1 || !choice) throw new Error("Bedrock answers with one choice");
  return {
    text: choice.text,
    thinking: choice.reasoning.map(({ text }) => text).join(""),
    signatures: choice.reasoning.map(({ signature }) => signatureFor("messages", signature) ?? "").join(""),
    tools: choice.tools.map(({ id, name, arguments: text }) => ({ id, name, input: JSON.parse(text) as unknown })),
    finish: choice.finish ?? "?",
    total: usage ? Object.values(usage).reduce((total: number, part) => total + Number(part), 0) : null,
  };
}

test("an image of a Bedrock stream is told at its end, and one without end is an error", () => {
  const begun = event("contentBlockStart", { contentBlockIndex: 0, start: { image: { format: "png" } } });
  const piece = (bytes: string) => event("contentBlockDelta", { contentBlockIndex: 0, delta: { image: { source: { bytes } } } });
  const ended = event("contentBlockStop", { contentBlockIndex: 0 });
  const media: StreamEvent = { type: "media", url: "data:image/png;base64,AAAABBBB" };
  expect(streamed(begun, piece("AAAA"), piece("BBBB"), ended, ended).filter(({ type }) => type === "media")).toEqual([media]);
  const long = piece("A".repeat(8_000_000));
  expect(() => streamed(begun, ...Array.from({ length: 10 }, () => long))).toThrow(SyntaxError);
});

describe("recorded Bedrock answers", () => {
  sayIfMissing();
  for (const path of recordings(["amazon-bedrock"], ".chunks.txt")) {
    const lines = recordedLines(path);
    testStream(path, map, eventWire(lines), undefined, "aws-eventstream");
    test(`${path} says what its lines say`, () => {
      expect(saidByAdapter(collect(streamed(eventWire(lines))))).toEqual(saidByLines(lines.map((line) => JSON.parse(line) as Line)));
    });
  }
  for (const path of recordings(["amazon-bedrock"], ".json")) {
    test(`${path} says what its body says`, () => {
      const body = JSON.parse(recording(path)) as Json;
      expect(saidByAdapter(replied(body))).toEqual(saidByBody(body as never));
    });
  }
});

const START = event("messageStart", { role: "assistant" });
const TEXT = event("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Hi" } });
const STOP = event("messageStop", { stopReason: "end_turn" });

describe("a Bedrock stream", () => {
  test.each([
    ["validationException", 400, "invalid_request_error"],
    ["modelTimeoutException", 408, "timeout_error"],
    ["modelStreamErrorException", 424, "api_error"],
    ["throttlingException", 429, "rate_limit_error"],
    ["internalServerException", 500, "api_error"],
    ["serviceUnavailableException", 503, "api_error"],
    ["somethingNewException", 500, "api_error"],
  ])("reports the exception %s as %d", (name, status, type) => {
    const thrown = caught(() => streamed(START, TEXT, exception(name, { message: "no" })));
    expect(thrown).toBeInstanceOf(UpstreamFailure);
    expect(thrown).toMatchObject({ status, error: { message: "no", type, param: null, code: name } });
  });
  test("tells what the model itself said of its failure", () => {
    const payload = { message: "the model broke off", originalStatusCode: 500, originalMessage: "out of memory" };
    expect(caught(() => streamed(exception("modelStreamErrorException", payload)))).toMatchObject({
      error: { message: "the model broke off (out of memory)" },
    });
  });
  test("reports an error of the framing itself, which has no name and no payload", () => {
    const error = message({ ":message-type": "error", ":error-code": "InternalFailure", ":error-message": "no" }, "");
    expect(caught(() => streamed(START, error))).toMatchObject({ status: 500 });
  });
  test("without messageStop has no finish, so that its end is seen to be missing", () => {
    expect(streamed(START, TEXT).some(({ type }) => type === "finish")).toBeFalse();
  });
  test("that begins a second message inside the first is an error, not two answers in one", () => {
    expect(caught(() => streamed(START, TEXT, START))).toMatchObject({ status: 502, error: { code: "stream_spliced" } });
  });
  test("says nothing after its end but usage", () => {
    const usage = event("metadata", { usage: { inputTokens: 3, outputTokens: 4 } });
    expect(streamed(START, TEXT, STOP, TEXT, STOP, usage).slice(2)).toEqual([
      { type: "finish", reason: "stop", native: "end_turn" },
      { type: "usage", usage: { input: 3, output: 4 } },
    ]);
  });
  test("a tool called without arguments has the arguments {}", () => {
    const events = streamed(
      event("contentBlockStart", { contentBlockIndex: 0, start: { toolUse: { toolUseId: "t", name: "now" } } }),
      event("contentBlockStop", { contentBlockIndex: 0 }),
      event("messageStop", { stopReason: "tool_use" }),
    );
    expect(collect(events).choices[0]).toMatchObject({ tools: [{ id: "t", name: "now", arguments: "{}" }], finish: "tool_calls" });
  });
  test("a tool that Bedrock runs itself is not the client's to call", () => {
    const toolUse = { toolUseId: "s", name: "nova_grounding", type: "server_tool_use" };
    const events = streamed(
      event("contentBlockStart", { contentBlockIndex: 0, start: { toolUse } }),
      event("contentBlockDelta", { contentBlockIndex: 0, delta: { toolUse: { input: "{}" } } }),
      event("contentBlockStop", { contentBlockIndex: 0 }),
      event("contentBlockDelta", { contentBlockIndex: 1, delta: { text: "Found." } }),
      STOP,
    );
    expect(collect(events).choices[0]).toMatchObject({ tools: [], text: "Found." });
  });
  test("keeps signatures and redacted reasoning, as a whole answer does", () => {
    const deltas = [{ text: "Hm" }, { signature: "sig" }, { redactedContent: "eHl6" }];
    const events = deltas.map((reasoningContent, at) =>
      event("contentBlockDelta", { contentBlockIndex: at >> 1, delta: { reasoningContent } }),
    );
    const whole = replied(
      answer([
        { reasoningContent: { reasoningText: { text: "Hm", signature: "sig" } } },
        { reasoningContent: { redactedContent: "eHl6" } },
      ]),
    );
    for (const { choices } of [collect(streamed(START, ...events, STOP)), whole])
      expect(choices[0]?.reasoning).toEqual([
        { text: "Hm", signature: signedBy("messages", "sig") },
        { text: "", redacted: "eHl6" },
      ]);
  });
});

describe("a Bedrock answer", () => {
  test.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["guardrail_intervened", "content_filter"],
    ["content_filtered", "content_filter"],
    ["something_new", "stop"],
    ["constructor", "stop"],
  ])("stopped by %s finishes with %s", (stopReason, finish) => {
    expect(replied(answer([{ text: "x" }], { stopReason })).choices[0]).toMatchObject({ finish, native: stopReason });
  });
  test.each([
    [
      "cache reads and writes stand beside the input",
      { inputTokens: 4, outputTokens: 9, totalTokens: 93, cacheReadInputTokens: 50, cacheWriteInputTokens: 30 },
      { input: 4, output: 9, cacheRead: 50, cacheWrite5m: 30 },
    ],
    [
      "writes for an hour are counted apart",
      {
        inputTokens: 4,
        outputTokens: 9,
        cacheWriteInputTokens: 30,
        cacheDetails: [
          { ttl: "1h", inputTokens: 20 },
          { ttl: "5m", inputTokens: 10 },
        ],
      },
      { input: 4, output: 9, cacheWrite5m: 10, cacheWrite1h: 20 },
    ],
    [
      "no count gives tokens back",
      { inputTokens: -4, outputTokens: 1.5, cacheWriteInputTokens: 3, cacheDetails: [{ ttl: "1h", inputTokens: 99 }, null] },
      { input: 0, output: 2, cacheWrite5m: 0, cacheWrite1h: 3 },
    ],
  ])("%s", (_, usage, parts) => expect(replied(answer([], { usage })).usage).toEqual(parts));
  test("with citations has their text", () => {
    const citationsContent = { content: [{ text: "Cited." }], citations: [{ title: "a", location: {} }] };
    expect(replied(answer([{ text: "So: " }, { citationsContent }])).choices[0]?.text).toBe("So: Cited.");
  });
  test("given through the structured-answer tool is text, whole and streamed", () => {
    const { tools } = sent(withSchema("amazon.nova-lite-v1:0"))["toolConfig"] as { tools: { toolSpec: { name: string } }[] };
    const toolUse = { toolUseId: "t", name: tools[0]?.toolSpec.name };
    const whole = replied(answer([{ toolUse: { ...toolUse, input: { ok: true } } }], { stopReason: "tool_use" }));
    const parts = ['{"ok"', ":true}"].map((input) => event("contentBlockDelta", { contentBlockIndex: 0, delta: { toolUse: { input } } }));
    const events = streamed(
      event("contentBlockStart", { contentBlockIndex: 0, start: { toolUse } }),
      ...parts,
      event("contentBlockStop", { contentBlockIndex: 0 }),
      event("messageStop", { stopReason: "tool_use" }),
    );
    for (const { choices } of [whole, collect(events)])
      expect(choices[0]).toMatchObject({ text: '{"ok":true}', tools: [], finish: "stop" });
  });
  test("that is no message is refused by name", () => {
    for (const body of [{}, { output: {} }, { output: { message: { content: "x" } } }, { message: "no" }])
      expect(caught(() => replied(body))).toMatchObject({ code: "UPSTREAM_INVALID" });
  });
});

describe("an error", () => {
  const readError = (body: Json) => provider.error?.(403, body, {});
  test.each([
    [{ message: "no" }, { message: "no" }],
    [{ Message: "no" }, { message: "no" }],
    [
      { __type: "com.amazon.coral.service#AccessDeniedException", Message: "no" },
      { message: "no", code: "AccessDeniedException" },
    ],
  ])("is read: %j", (body, error) => expect(readError(body)).toEqual(error));
  test.each([
    [{ message: "slow" }, "ThrottlingException", { message: "slow", code: "ThrottlingException" }],
    [{ message: "no" }, "ValidationException:http://internal.amazon.com/coral/", { message: "no", code: "ValidationException" }],
    [{ __type: "AccessDeniedException", message: "no" }, "ValidationException", { message: "no", code: "AccessDeniedException" }],
    ["", "ServiceUnavailableException", { code: "ServiceUnavailableException" }],
  ])("has its name in a header: %j, %s", (body, name, error) =>
    expect(provider.error?.(400, body, { "x-amzn-errortype": name })).toEqual(error),
  );
  test("does not repeat the signed request, session token and all", () => {
    const message =
      "The request signature we calculated does not match the signature you provided.\n\nThe Canonical String for this request should have been\n'POST\n/model\n\nx-amz-security-token:FwoGZXIvYXdzEXAMPLE\n'";
    expect(readError({ message })).toEqual({ message: "The request signature we calculated does not match the signature you provided." });
  });
});

describe("the path", () => {
  test.each([
    ["amazon.nova-lite-v1:0", "/model/amazon.nova-lite-v1%3A0/converse"],
    ["amazon.nova-lite-v1%3A0", "/model/amazon.nova-lite-v1%3A0/converse"],
    [
      "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-6",
      "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A123456789012%3Ainference-profile%2Fus.anthropic.claude-sonnet-4-6/converse",
    ],
  ])("holds the model as one segment: %s", (model, path) => {
    expect(pathOf(model)).toBe(path);
    expect(pathOf(model, true)).toBe(`${path}-stream`);
  });
  test.each([
    "",
    "..",
    "../x",
    "%2e%2e/x",
    "a/../../guardrail",
    "a?b=c",
    "a#b",
    "a b",
    "a@b",
    "https://evil.example/x?y",
    "a\\b",
    "a%00",
    "%",
    "a%zz",
  ])("refuses what is no model: %j", (model) => {
    expect(caught(() => pathOf(model))).toBeInstanceOf(GatewayError);
    expect(caught(() => pathOf(model))).toMatchObject({ code: "REQUEST_INVALID", param: "model" });
  });
});

/* ── requests ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

const SCHEMA = {
  type: "object",
  properties: {
    n: { type: "integer", minimum: 1, description: "How many." },
    at: { oneOf: [{ type: "string", format: "date" }, { type: "null" }] },
    tags: { type: "array", items: { type: "object", properties: {} }, maxItems: 3 },
  },
  required: ["n"],
};
const withSchema = (model: string, more: Json = {}): Json => ({
  model,
  messages: [hi],
  response_format: { type: "json_schema", json_schema: { name: "a", description: "An a.", schema: SCHEMA } },
  ...more,
});
const hi = { role: "user", content: "Hi" } as const;
const HI = { role: "user", content: [{ text: "Hi" }] } as const;
const base = { messages: [HI] } as const;
const CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
const ADAPTIVE = "global.anthropic.claude-opus-4-6-v1";
const NOVA = "amazon.nova-lite-v1:0";
const NOVA_2 = "us.amazon.nova-2-lite-v1:0";
const CACHED = { type: "ephemeral" } as const;
const POINT = { cachePoint: { type: "default" } } as const;
const parameters = { type: "object", properties: { city: { type: "string" } } };
const weather = { type: "function", function: { name: "weather", description: "Tells it.", parameters, strict: true } };
const weatherSpec = { toolSpec: { name: "weather", description: "Tells it.", inputSchema: { json: parameters } } };
const strictSpec = {
  toolSpec: { ...weatherSpec.toolSpec, inputSchema: { json: { ...parameters, additionalProperties: false } }, strict: true },
};
const call = (id: string) => ({ id, type: "function", function: { name: "weather", arguments: '{"city":"Rome"}' } });
const history = [
  hi,
  { role: "assistant", content: null, tool_calls: [call("call_1")] },
  { role: "tool", tool_call_id: "call_1", content: "Sunny" },
];

const REQUESTS: readonly (readonly [string, Json, Json])[] = [
  [
    "system messages in order, with a cache point behind what is marked",
    {
      model: NOVA,
      messages: [
        { role: "system", content: "A" },
        hi,
        { role: "developer", content: [{ type: "text", text: "B", cache_control: { ...CACHED, ttl: "1h" } }] },
      ],
    },
    { ...base, system: [{ text: "A" }, { text: "B" }, { cachePoint: { type: "default", ttl: "1h" } }] },
  ],
  [
    "neighbours of one role as one message, blank texts left out",
    {
      model: NOVA,
      messages: [
        hi,
        {
          role: "user",
          content: [
            { type: "text", text: " " },
            { type: "text", text: "there", cache_control: CACHED },
          ],
        },
        { role: "assistant", content: "Yes" },
      ],
    },
    {
      messages: [
        { role: "user", content: [{ text: "Hi" }, { text: "there" }, POINT] },
        { role: "assistant", content: [{ text: "Yes" }] },
      ],
    },
  ],
  [
    "images, documents and videos in the wire's words for their formats",
    {
      model: NOVA,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "See" },
            { type: "image_url", image_url: { url: "data:image/jpg;base64,AAAA" }, cache_control: CACHED },
            { type: "image_url", image_url: { url: "data:video/quicktime;base64,BBBB" } },
            { type: "image_url", image_url: { url: "s3://bucket/a.webp" } },
            {
              type: "file",
              file: {
                file_data: "data:application/vnd.openxmlformats-officedocument.wordprocessingml.document;base64,CCCC",
                filename: "my report_v2.docx",
              },
            },
            { type: "file", file: { file_data: "DDDD" } },
            { type: "file", file: { file_data: "data:text/plain,a%20b" } },
            { type: "file", file: { file_url: "s3://bucket/notes.md", file_name: "Document" } },
          ],
        },
      ],
    },
    {
      messages: [
        {
          role: "user",
          content: [
            { text: "See" },
            { image: { format: "jpeg", source: { bytes: "AAAA" } } },
            POINT,
            { video: { format: "mov", source: { bytes: "BBBB" } } },
            { image: { format: "webp", source: { s3Location: { uri: "s3://bucket/a.webp" } } } },
            { document: { format: "docx", name: "my report v2 docx", source: { bytes: "CCCC" } } },
            { document: { format: "pdf", name: "document", source: { bytes: "DDDD" } } },
            { document: { format: "txt", name: "document 2", source: { bytes: "YSBi" } } },
            { document: { format: "md", name: "Document 3", source: { s3Location: { uri: "s3://bucket/notes.md" } } } },
          ],
        },
      ],
    },
  ],
  [
    "a text beside documents, which the wire demands",
    { model: NOVA, messages: [{ role: "user", content: [{ type: "file", file: { file_data: "AAAA", filename: "a" } }] }] },
    {
      messages: [
        { role: "user", content: [{ document: { format: "pdf", name: "a", source: { bytes: "AAAA" } } }, { text: "Attached: a." }] },
      ],
    },
  ],
  [
    "tools, calls and their results",
    {
      model: CLAUDE,
      messages: [
        ...history,
        {
          role: "tool",
          tool_call_id: "functions.weather:1",
          content: [
            { type: "text", text: "Rain" },
            { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          ],
          is_error: true,
          cache_control: CACHED,
        },
        { role: "tool", tool_call_id: "c", content: "" },
      ],
      tools: [
        { ...weather, cache_control: CACHED },
        { type: "function", function: { name: "now" } },
      ],
      tool_choice: "required",
    },
    {
      messages: [
        HI,
        { role: "assistant", content: [{ toolUse: { toolUseId: "call_1", name: "weather", input: { city: "Rome" } } }] },
        {
          role: "user",
          content: [
            { toolResult: { toolUseId: "call_1", content: [{ text: "Sunny" }] } },
            {
              toolResult: {
                toolUseId: "functions_weather_1",
                content: [{ text: "Rain" }, { image: { format: "png", source: { bytes: "AAAA" } } }],
                status: "error",
              },
            },
            POINT,
            { toolResult: { toolUseId: "c", content: [] } },
          ],
        },
      ],
      toolConfig: {
        tools: [strictSpec, POINT, { toolSpec: { name: "now", inputSchema: { json: { type: "object" } } } }],
        toolChoice: { any: {} },
      },
    },
  ],
  [
    "a chosen tool; no cache point among the tools of Amazon's models",
    {
      model: NOVA,
      messages: [hi],
      tools: [{ ...weather, cache_control: CACHED }],
      tool_choice: { type: "function", function: { name: "weather" } },
    },
    { ...base, toolConfig: { tools: [weatherSpec], toolChoice: { tool: { name: "weather" } } } },
  ],
  [
    "calls and results as text when no tool is offered any more",
    { model: CLAUDE, messages: history, tools: [weather], tool_choice: "none" },
    {
      messages: [
        HI,
        { role: "assistant", content: [{ text: 'Called weather with {"city":"Rome"}.' }] },
        { role: "user", content: [{ text: "Sunny" }] },
      ],
    },
  ],
  [
    "ids that Mistral's models take",
    {
      model: "mistral.mistral-large-2407-v1:0",
      messages: [hi, { role: "assistant", tool_calls: [call("call_aB3dE6gH9jK"), call("x")] }],
      tools: [weather],
    },
    {
      messages: [
        HI,
        {
          role: "assistant",
          content: [
            { toolUse: { toolUseId: "3dE6gH9jK", name: "weather", input: { city: "Rome" } } },
            { toolUse: { toolUseId: "00000000x", name: "weather", input: { city: "Rome" } } },
          ],
        },
      ],
      toolConfig: { tools: [weatherSpec] },
    },
  ],
  [
    "Claude's own tools and choice among the model's fields",
    {
      model: CLAUDE,
      messages: [hi],
      tools: [
        weather,
        { type: "computer", computer: { name: "computer_20250124", display_width_px: 100 } },
        { type: "bash_20250124", name: "bash" },
      ],
      tool_choice: "required",
      parallel_tool_calls: false,
    },
    {
      ...base,
      toolConfig: { tools: [strictSpec] },
      additionalModelRequestFields: {
        tools: [
          { display_width_px: 100, name: "computer", type: "computer_20250124" },
          { type: "bash_20250124", name: "bash" },
        ],
        tool_choice: { type: "any", disable_parallel_tool_use: true },
      },
    },
  ],
  [
    "thinking of earlier turns with its signature, once",
    {
      model: CLAUDE,
      messages: [
        hi,
        {
          role: "assistant",
          content: "Yes",
          content_blocks: [
            { type: "thinking", thinking: "Hm", signature: "sig" },
            { type: "redacted_thinking", data: "eHl6" },
            { type: "text", text: "Yes" },
          ],
        },
      ],
    },
    {
      messages: [
        HI,
        {
          role: "assistant",
          content: [
            { reasoningContent: { reasoningText: { text: "Hm", signature: "sig" } } },
            { reasoningContent: { redactedContent: "eHl6" } },
            { text: "Yes" },
          ],
        },
      ],
    },
  ],
  [
    "limits and sampling; max_tokens before max_completion_tokens",
    {
      model: NOVA,
      messages: [hi],
      max_tokens: 10,
      max_completion_tokens: 20,
      temperature: 1.7,
      top_p: 0.5,
      stop: ["a", "b"],
      seed: 1,
      n: 1,
    },
    { ...base, inferenceConfig: { maxTokens: 10, temperature: 1, topP: 0.5, stopSequences: ["a", "b"] } },
  ],
  [
    "one of temperature and top_p to Claude, and its own fields",
    { model: CLAUDE, messages: [hi], temperature: 0.2, top_p: 0.5, top_k: 7, user: "u1", anthropic_beta: "a, b", anthropic_version: "v" },
    {
      ...base,
      inferenceConfig: { temperature: 0.2 },
      additionalModelRequestFields: { top_k: 7, anthropic_version: "v", anthropic_beta: ["a", "b"], metadata: { user_id: "u1" } },
    },
  ],
  [
    "the fields of Cohere's models",
    {
      model: "cohere.command-r-plus-v1:0",
      messages: [hi],
      top_k: 3,
      n: 2,
      frequency_penalty: 0.1,
      presence_penalty: 0.2,
      logit_bias: { 1: 2 },
    },
    { ...base, additionalModelRequestFields: { top_k: 3, n: 2, frequency_penalty: 0.1, presence_penalty: 0.2, logitBias: { 1: 2 } } },
  ],
  [
    "the fields of AI21's models",
    {
      model: "ai21.jamba-1-5-large-v1:0",
      messages: [hi],
      frequency_penalty: 0.1,
      presencePenalty: { scale: 3 },
      countPenalty: { scale: 1 },
    },
    {
      ...base,
      additionalModelRequestFields: { frequencyPenalty: { scale: 0.1 }, presencePenalty: { scale: 3 }, countPenalty: { scale: 1 } },
    },
  ],
  [
    "a budget to think with, and a limit above it",
    { model: CLAUDE, messages: [hi], reasoning_effort: "medium", max_tokens: 10_000, temperature: 0.5, top_p: 0.1, top_k: 2 },
    {
      ...base,
      inferenceConfig: { maxTokens: 10_000 },
      additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 5_000 } },
    },
  ],
  [
    "a budget that leaves room for the answer when no limit is set",
    { model: CLAUDE, messages: [hi], reasoning_effort: "minimal" },
    {
      ...base,
      inferenceConfig: { maxTokens: 5_120 },
      additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 1_024 } },
    },
  ],
  [
    "the client's own thinking, and a limit raised above it",
    { model: CLAUDE, messages: [hi], thinking: { type: "enabled", budget_tokens: 2_000 }, max_tokens: 500 },
    {
      ...base,
      inferenceConfig: { maxTokens: 2_500 },
      additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 2_000 } },
    },
  ],
  [
    "an effort to Claude models that decide themselves",
    { model: ADAPTIVE, messages: [hi], reasoning_effort: "minimal", output_config: { x: 1 } },
    { ...base, additionalModelRequestFields: { thinking: { type: "adaptive" }, output_config: { effort: "low", x: 1 } } },
  ],
  [
    "no temperature to models that refuse it",
    { model: "anthropic.claude-sonnet-5", messages: [hi], temperature: 0.5, top_k: 1, reasoning_effort: "none" },
    { ...base, additionalModelRequestFields: { thinking: { type: "disabled" } } },
  ],
  [
    "an effort to Nova",
    { model: NOVA_2, messages: [hi], reasoning_effort: "minimal", max_tokens: 9, temperature: 0.3 },
    {
      ...base,
      inferenceConfig: { maxTokens: 9, temperature: 0.3 },
      additionalModelRequestFields: { reasoningConfig: { type: "enabled", maxReasoningEffort: "low" } },
    },
  ],
  [
    "no limits to Nova at its highest effort",
    { model: NOVA_2, messages: [hi], reasoning_effort: "high", max_tokens: 9, temperature: 0.3, top_p: 0.3 },
    { ...base, additionalModelRequestFields: { reasoningConfig: { type: "enabled", maxReasoningEffort: "high" } } },
  ],
  ["no effort to models that do not reason", { model: NOVA, messages: [hi], reasoning_effort: "high" }, base],
  [
    "an effort to OpenAI's open models",
    { model: "openai.gpt-oss-120b-1:0", messages: [hi], reasoning_effort: "xhigh" },
    { ...base, additionalModelRequestFields: { reasoning_effort: "high" } },
  ],
  [
    "a schema to models that have structured output, closed as they want it",
    withSchema(CLAUDE),
    {
      ...base,
      outputConfig: {
        textFormat: {
          type: "json_schema",
          structure: {
            jsonSchema: {
              schema: JSON.stringify({
                type: "object",
                properties: {
                  n: { type: "integer", description: "How many. (minimum: 1)" },
                  at: { anyOf: [{ type: "string", format: "date" }, { type: "null" }] },
                  tags: {
                    type: "array",
                    items: { type: "object", properties: {}, additionalProperties: false },
                    description: "(maxItems: 3)",
                  },
                },
                required: ["n"],
                additionalProperties: false,
              }),
              name: "a",
              description: "An a.",
            },
          },
        },
      },
    },
  ],
  [
    "a schema as a tool that must be called to the others",
    withSchema(NOVA),
    { ...base, toolConfig: { tools: [answerTool()], toolChoice: { tool: { name: answerTool().toolSpec.name } } } },
  ],
  [
    "a schema as a tool beside the client's tools",
    withSchema(NOVA, { tools: [weather] }),
    { ...base, toolConfig: { tools: [weatherSpec, answerTool()], toolChoice: { any: {} } } },
  ],
  [
    "a schema as an offered tool where none can be demanded",
    withSchema("meta.llama3-3-70b-instruct-v1:0"),
    { ...base, toolConfig: { tools: [answerTool()] } },
  ],
  [
    "guardrail, performance, metadata and tier; both spellings, and the wire's own members",
    {
      model: NOVA,
      messages: [{ role: "user", content: [{ type: "guardContent", guardContent: { text: { text: "Hi" } } }] }],
      guardrail_config: { guardrailIdentifier: "g", guardrailVersion: "1", trace: "enabled" },
      performance_config: { latency: "optimized" },
      metadata: { team: "a", depth: 3 },
      service_tier: "flex",
      additional_model_request_fields: { x: 1 },
      additional_model_response_field_paths: ["/a"],
      inferenceConfig: { topP: 0.9 },
      x_new: { y: 1 },
    },
    {
      messages: [{ role: "user", content: [{ guardContent: { text: { text: "Hi" } } }] }],
      guardrailConfig: { guardrailIdentifier: "g", guardrailVersion: "1", trace: "enabled" },
      performanceConfig: { latency: "optimized" },
      requestMetadata: { team: "a" },
      serviceTier: { type: "flex" },
      additionalModelRequestFields: { x: 1 },
      additionalModelResponseFieldPaths: ["/a"],
      inferenceConfig: { topP: 0.9 },
      x_new: { y: 1 },
    },
  ],
  [
    "what only Claude knows to an ARN that may be one",
    {
      model: "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc",
      messages: [hi],
      thinking: { type: "adaptive" },
      user: "u",
    },
    { ...base, additionalModelRequestFields: { thinking: { type: "adaptive" } } },
  ],
];
function answerTool() {
  const inputSchema = { json: { ...SCHEMA } };
  return { toolSpec: { name: "gateway_structured_answer", description: "Answer with this tool.", inputSchema } };
}

describe("a chat request sends", () => {
  test.each(REQUESTS)("%s", (_, body, wire) => expect(sent(body)).toEqual(wire));
  test.each([
    ["an image of the web", { type: "image_url", image_url: { url: "https://example.org/a.png" } }],
    ["a file kept elsewhere", { type: "file", file: { file_id: "file-1" } }],
    ["a part without its object", { type: "file" }],
    ["a data URL that is neither base64 nor text", { type: "image_url", image_url: { url: "data:image/png,%zz" } }],
  ])("no %s, but says so", (_, part) => {
    expect(caught(() => sent({ model: NOVA, messages: [{ role: "user", content: [part] }] }))).toMatchObject({
      code: "REQUEST_INVALID",
      param: "messages",
    });
  });
});

describe("embeddings", () => {
  const asked = (model: string, body: Json): unknown => caught(() => embed.request?.({ model, ...body }, ask("embed", target(model))));
  const listed = (model: string, body: Json): Json => embed.response?.(body, ask("embed", target(model))) ?? {};
  const TITAN = "amazon.titan-embed-text-v2:0";
  const COHERE = "cohere.embed-english-v3";
  const REQUESTS: readonly (readonly [string, Json, Json])[] = [
    [
      TITAN,
      { input: "a", dimensions: 256, encoding_format: "float", normalize: true, user: "u" },
      { inputText: "a", dimensions: 256, embeddingTypes: ["float"], normalize: true },
    ],
    [TITAN, { input: ["a"], encoding_format: "base64" }, { inputText: "a" }],
    ["amazon.titan-embed-text-v1", { input: "a", dimensions: 256, encoding_format: "float" }, { inputText: "a" }],
    [
      "amazon.titan-embed-image-v1",
      { input: [{ text: "a", image: { base64: "AAAA" } }], dimensions: 256 },
      { inputText: "a", inputImage: "AAAA", embeddingConfig: { outputEmbeddingLength: 256 } },
    ],
    [COHERE, { input: ["a", "b"], truncate: "END" }, { texts: ["a", "b"], input_type: "search_document", truncate: "END" }],
    [
      COHERE,
      { input: "a", input_type: "search_query", encoding_format: "int8" },
      { texts: ["a"], input_type: "search_query", embedding_types: ["int8"] },
    ],
    [
      "us.cohere.embed-v4:0",
      { input: [{ image: { base64: "data:image/png;base64,AAAA" } }], dimensions: 512 },
      { images: ["data:image/png;base64,AAAA"], input_type: "image", output_dimension: 512 },
    ],
  ];
  test.each(REQUESTS)("%s is asked for %j", (model, body, wire) => expect(asked(model, body)).toEqual(wire));
  test.each([
    ["several inputs for Titan, which would lose all but one", TITAN, { input: ["a", "b"] }, "input"],
    ["no input for Titan", TITAN, { input: [] }, "input"],
    ["tokens", COHERE, { input: [1, 2, 3] }, "input"],
    ["a model that embeds nothing", NOVA, { input: "a" }, "model"],
  ])("refuses %s", (_, model, body, param) => expect(asked(model, body)).toMatchObject({ code: "REQUEST_INVALID", param }));
  test("Titan's answer is OpenAI's list, tokens counted", () => {
    const body = { embedding: [1, 2], inputTextTokenCount: 5 };
    expect(listed(TITAN, body)).toEqual({
      object: "list",
      model: TITAN,
      data: [{ object: "embedding", index: 0, embedding: [1, 2] }],
      usage: { prompt_tokens: 5, total_tokens: 5 },
    });
    expect(embed.usage?.(body)).toEqual({ input: 5 });
    expect(listed(TITAN, { embeddingsByType: { binary: [1, 0] } })["data"]).toMatchObject([{ embedding: [1, 0] }]);
  });
  test("Cohere's answer is, in either of its forms, with an unknown count", () => {
    for (const embeddings of [[[1], [2]], { float: [[1], [2]] }])
      expect(listed(COHERE, { id: "x", embeddings, texts: ["a", "b"] })).toEqual({
        object: "list",
        model: COHERE,
        data: [
          { object: "embedding", index: 0, embedding: [1] },
          { object: "embedding", index: 1, embedding: [2] },
        ],
        usage: { prompt_tokens: -1, total_tokens: -1 },
      });
    expect(embed.usage?.({ embeddings: [] })).toBeUndefined();
  });
  test("go to the model's own path", () => {
    const path = typeof embed.path === "function" ? embed.path({}, ask("embed", target(TITAN))) : "";
    expect(path).toBe("/model/amazon.titan-embed-text-v2%3A0/invoke");
  });
});
