/** Answers that nobody should give: nested too deeply, too wide, too long; as the tests of their class ask for them. */
import { expect, test } from "bun:test";
import { jsonAnswer, type Replay, sseAnswer } from "../kit/replay.ts";
import { type Api, logOf } from "./endpoints/api.ts";
import { ask, GATEWAY_KEY } from "./process.ts";

const LEVELS = 100_000;
const nested = (open: string, close: string): string => open.repeat(LEVELS) + (close === "}" ? "1" : "") + close.repeat(LEVELS);
const list = nested("[", "]");
const object = nested('{"a":', "}");
const wide = (): string => `{${Array.from({ length: 1_000_000 }, (_, at) => `"k${at}":1`).join(",")}}`;
const quoted = (text: string): string => JSON.stringify(text);

/** JSON texts that stand where a member of an answer is expected. */
export const DEEP: Readonly<Record<string, () => string>> = {
  "a list nested 100,000 deep": () => list,
  "an object nested 100,000 deep": () => object,
};
export const LARGE: Readonly<Record<string, () => string>> = {
  "an object of a million members": wide,
  "a text of 30 MB": () => quoted("x".repeat(30_000_000)),
};

type Json = Readonly<Record<string, unknown>>;
const asked = (more: Json = {}): Json => ({ model: "m", messages: [{ role: "user", content: "Hello" }], ...more });
const OPERATIONS: Readonly<Record<string, readonly [method: string, path: string, body?: Json]>> = {
  chatComplete: ["POST", "/chat/completions", asked()],
  imageGenerate: ["POST", "/images/generations", { model: "m", prompt: "Hello" }],
  createBatch: ["POST", "/batches", { input_file_id: "f", endpoint: "/v1/chat/completions", completion_window: "24h" }],
  listBatches: ["GET", "/batches"],
  retrieveBatch: ["GET", "/batches/b"],
  cancelBatch: ["POST", "/batches/b/cancel", {}],
  deleteModelResponse: ["DELETE", "/responses/r"],
  listVectorStoreFiles: ["GET", "/vector_stores/v/files"],
  listAssistants: ["GET", "/assistants"],
};

/** How often requests were settled, whatever came of them. */
async function settled(api: Api): Promise<number> {
  const { text } = await ask(`${api.gateway.base}/metrics`, "GET", null);
  return [...text.matchAll(/^gateway_requests_total\{.*\} (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
}

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly settles: number;
  readonly record: Json;
}
/** One request, its record, and how often it was settled. */
async function answered(
  api: Api,
  method: string,
  path: string,
  replay: Replay,
  body?: Json,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  api.upstream.answer(replay);
  const before = await settled(api);
  const response = await fetch(`${api.gateway.base}/v1${path}`, {
    method,
    headers: { "x-gateway-api-key": GATEWAY_KEY, ...api.replayed, ...headers, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const record = await logOf(api, response.headers.get("x-gateway-request-id") ?? "");
  return { status: response.status, text, record, settles: (await settled(api)) - before };
}
/** What the provider sent, or a refusal that says why. */
function expectAnswered({ status, text, settles }: Answered, sent: string): void {
  if (status === 200) expect(text.length).toBe(sent.length);
  else
    expect([status, text.slice(0, 300)]).toEqual([
      502,
      expect.stringMatching(/"message":"The provider \w+ answered with something that is not its format: [^"]{10,}/),
    ]);
  expect(settles).toBe(1);
}

const guarded = {
  "x-gateway-config": JSON.stringify({ output_guardrails: [{ "default.contains": { words: ["never"], operator: "none" }, deny: true }] }),
};

export function testWhole(api: Api, odd: string): void {
  test.each(Object.entries(OPERATIONS))(
    "in an answer to %s",
    async (_, [method, path, body]) => {
      const text = `{"model":"m","odd":${odd}}`;
      expectAnswered(await answered(api, method, path, jsonAnswer(text), body), text);
    },
    60_000,
  );

  test.each([400, 500])(
    "in a refusal with the status %p",
    async (status) => {
      const { settles, ...refusal } = await answered(api, "POST", "/chat/completions", jsonAnswer(`{"error":${odd}}`, { status }), asked());
      expect([status, 502]).toContain(refusal.status);
      expect(settles).toBe(1);
    },
    60_000,
  );

  const choice = (message: string): string => `{"id":"c","model":"m","choices":[{"index":0,"message":${message},"finish_reason":"stop"}]}`;
  const call = (args: string): string =>
    `{"role":"assistant","content":null,"tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":${args}}}]}`;
  const MESSAGES: Readonly<Record<string, () => string>> = {
    "as the content": () => choice(`{"role":"assistant","content":${odd}}`),
    "as a content part": () => choice(`{"role":"assistant","content":[{"type":"odd","odd":${odd}}]}`),
    "as the arguments of a tool call": () => choice(call(odd)),
    "in the text of a tool call's arguments": () => choice(call(quoted(odd))),
  };
  test.each(Object.entries(MESSAGES))(
    "%s, without usage, with and without an output guardrail",
    async (_, wire) => {
      const text = wire();
      expectAnswered(await answered(api, "POST", "/chat/completions", jsonAnswer(text), asked()), text);
      const judged = await answered(api, "POST", "/chat/completions", jsonAnswer(text), asked(), guarded);
      expect([200, 246, 446, 502]).toContain(judged.status);
      expect(judged.settles).toBe(1);
    },
    60_000,
  );
}

export function testStreams(api: Api, odd: string): void {
  const sse = (...data: readonly string[]): Replay => sseAnswer(data.map((line) => `data: ${line}\n\n`).join(""));
  const chunk = (delta: string, finish = "null"): string =>
    `{"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":${delta},"finish_reason":${finish}}]}`;
  const toolDelta = (args: string): string =>
    `{"tool_calls":[{"index":0,"id":"t","type":"function","function":{"name":"f","arguments":${args}}}]}`;
  const STREAMS: Readonly<Record<string, readonly [provider: string, of: () => Replay]>> = {
    "a chat stream, as a delta": ["openai", () => sse(chunk('{"content":"Hi"}'), chunk(odd), chunk("{}", '"stop"'), "[DONE]")],
    "a chat stream, as the first delta": ["openai", () => sse(chunk(odd), chunk("{}", '"stop"'), "[DONE]")],
    "a chat stream, as arguments": ["openai", () => sse(chunk(toolDelta(odd)), chunk("{}", '"tool_calls"'), "[DONE]")],
    "a chat stream, in the text of arguments": ["openai", () => sse(chunk(toolDelta(quoted(odd))), chunk("{}", '"tool_calls"'), "[DONE]")],
    "another dialect's stream, as arguments": [
      "google",
      () =>
        sse(
          `{"responseId":"r","candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"odd":${odd}}}}]},"finishReason":"STOP"}]}`,
        ),
    ],
    "another dialect's stream, as input": [
      "anthropic",
      () =>
        sse(
          '{"type":"message_start","message":{"id":"m","model":"m","usage":{"input_tokens":1}}}',
          `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"f","input":{"odd":${odd}}}}`,
          '{"type":"content_block_stop","index":0}',
          '{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":1}}',
          '{"type":"message_stop"}',
        ),
    ],
  };
  test.each(Object.entries(STREAMS))(
    "in %s, with and without an output guardrail",
    async (_, [provider, of]) => {
      for (const guards of [{}, guarded]) {
        const got = await answered(api, "POST", "/chat/completions", of(), asked({ stream: true }), {
          "x-gateway-provider": provider,
          ...guards,
        });
        expect([200, 246, 446, 502]).toContain(got.status);
        expect(got.settles).toBe(1);
      }
    },
    60_000,
  );
}
