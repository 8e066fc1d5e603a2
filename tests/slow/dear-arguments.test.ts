/** The arguments of tool calls are JSON in a text, which no limit of the body sees into: whoever asks for something else does not wait for them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Attacked, type Got, good, refusedFor, startAttacked } from "./attacked.ts";

let attacked: Attacked;
beforeAll(async () => {
  attacked = await startAttacked();
});
afterAll(() => attacked.stop());

const each = (count: number, of: (at: number) => string): string => Array.from({ length: count }, (_, at) => of(at)).join(",");
const DEAR = {
  "a million objects": () => `{"a":[${each(1_000_000, () => "{}")}]}`,
  "four million lists": () => `{"a":[${each(4_000_000, () => "[]")}]}`,
  "ten million numbers": () => `{"a":[${each(10_000_000, () => "1")}]}`,
  "300,000 names": () => `{${each(300_000, (at) => `"n${at}":1`)}}`,
} as const;
const LONG_TEXT = JSON.stringify({ a: "some words ".repeat(1_800_000) });

const call = (at: number, args: string) => ({ id: `c${at}`, type: "function", function: { name: "f", arguments: args } });
function calling(...args: readonly string[]): string {
  const calls = args.map((text, at) => call(at, text));
  const results = calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "r" }));
  const messages = [{ role: "user", content: "x" }, { role: "assistant", content: null, tool_calls: calls }, ...results];
  const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];
  return JSON.stringify({ model: "m", max_tokens: 5, tools, messages: [...messages, { role: "user", content: "y" }] });
}
const ANSWERS = {
  openai: { choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }] },
  anthropic: { content: [{ type: "text", text: "ok" }], stop_reason: "end_turn", usage: { input_tokens: 1, output_tokens: 1 } },
  google: { candidates: [{ content: { role: "model", parts: [{ text: "ok" }] }, finishReason: "STOP" }], usageMetadata: {} },
  bedrock: { output: { message: { role: "assistant", content: [{ text: "ok" }] } }, stopReason: "end_turn", usage: {} },
} as const;
type Provider = keyof typeof ANSWERS;
const KEYS = { aws_access_key_id: "a", aws_secret_access_key: "s", aws_region: "eu-west-1" };
const configOf = (provider: Provider, more: object = {}): object => {
  const custom_host = provider === "anthropic" || provider === "openai" ? attacked.upstream : attacked.upstream.replace("/v1", "");
  return { provider, api_key: "k", custom_host, ...(provider === "bedrock" && KEYS), ...more };
};
const check = { "default.contains": { words: ["zzz"], operator: "none" }, deny: true };

describe("of a conversation", () => {
  const TOO_MUCH = refusedFor(/would hold up everybody else while it is parsed, mostly by its \d+ or more characters of JSON in a text/);
  async function asked(what: string, provider: Provider, body: string, gets: (got: Got) => void, more = {}): Promise<void> {
    attacked.answers(JSON.stringify(ANSWERS[provider]), "application/json");
    const sent = { path: "/v1/chat/completions", body, config: configOf(provider, more) };
    await attacked.quiet(`${what}, for ${provider}`, () => attacked.send(sent), gets);
  }
  for (const [what, of] of Object.entries(DEAR)) {
    for (const provider of ["anthropic", "google", "bedrock"] as const)
      test(`${what}, for ${provider}`, () => asked(what, provider, calling(of()), TOO_MUCH), 60_000);
    test(`${what}, as they are and not counted`, () => asked(what, "openai", calling(of()), good), 60_000);
    test(`${what}, under a guardrail for texts`, () => asked(what, "openai", calling(of()), good, { input_guardrails: [check] }), 60_000);
  }
  for (const provider of ["anthropic", "google", "bedrock"] as const) {
    test(`of 500 calls, for ${provider}`, () => {
      const args = `{"a":[${each(5_000, () => "{}")}]}`;
      return asked("500 calls", provider, calling(...Array.from({ length: 500 }, () => args)), TOO_MUCH);
    }, 60_000);
    test(`a text of 20 MB, for ${provider}`, () => asked("a text of 20 MB", provider, calling(LONG_TEXT), good), 60_000);
  }
});

describe("of an answer", () => {
  const choice = (message: object, more = {}) => ({
    index: 0,
    message: { role: "assistant", ...message },
    finish_reason: "tool_calls",
    ...more,
  });
  const whole = (args: string): string =>
    JSON.stringify({
      id: "x",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [choice({ content: null, tool_calls: [call(0, args)] })],
    });
  const chunk = (delta: object, finish_reason: string | null = null): string =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  function streamed(args: string): string {
    let text = chunk({ tool_calls: [{ index: 0, ...call(0, "") }] });
    for (let at = 0; at < args.length; at += 60_000)
      text += chunk({ tool_calls: [{ index: 0, function: { arguments: args.slice(at, at + 60_000) } }] });
    return `${text}${chunk({}, "tool_calls")}data: [DONE]\n\n`;
  }
  const HELLO = { model: "m", max_tokens: 5, messages: [{ role: "user", content: "x" }] };
  const FORMS = {
    whole: { make: whole, type: "application/json", stream: false },
    streamed: { make: streamed, type: "text/event-stream", stream: true },
  } as const;
  for (const [what, of] of Object.entries(DEAR))
    for (const [form, { make, type, stream }] of Object.entries(FORMS)) {
      const read = async (path: string, more = {}): Promise<void> => {
        attacked.answers(make(of()), type);
        const sent = { path, body: JSON.stringify({ ...HELLO, stream }), config: configOf("openai", more) };
        await attacked.quiet(
          `${what}, ${form}, ${path}`,
          () => attacked.send(sent),
          ({ status }) => expect(status).toBe(200),
        );
      };
      test(`${what}, ${form}, whose use nobody told`, () => read("/v1/chat/completions"), 60_000);
      test(`${what}, ${form}, under a guardrail for texts`, () => read("/v1/chat/completions", { output_guardrails: [check] }), 60_000);
      if (!stream) test(`${what}, ${form}, as a message`, () => read("/v1/messages"), 60_000);
    }
  test("a text of 20 MB, as a message", async () => {
    attacked.answers(whole(LONG_TEXT), "application/json");
    const sent = { path: "/v1/messages", body: JSON.stringify(HELLO), config: configOf("openai") };
    await attacked.quiet(
      "a text of 20 MB",
      () => attacked.send(sent),
      ({ end }) => expect(end).toMatch(/some words "\}\}\],/),
    );
  }, 60_000);
});
