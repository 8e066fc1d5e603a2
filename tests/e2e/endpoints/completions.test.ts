/** POST /v1/completions. */
import { describe, expect, test } from "bun:test";
import { jsonAnswer, sseAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { at, bodyOf, forAll, SANDBOX } from "./api.ts";
import { clientOf, denying, failureOf, loggedOf } from "./client.ts";

const api = forAll();
const complete = (headers: Readonly<Record<string, string>>, body: Readonly<Record<string, unknown>>) =>
  api.data("POST", "/v1/completions", headers, { model: "gpt-3.5-turbo-instruct", prompt: "Say", ...body });
const USAGE = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 };
const LOGPROBS = { tokens: ["a"], token_logprobs: [-0.5], top_logprobs: [{ a: -0.5 }], text_offset: [0] };
const chunk = (text: string, index: number, finish_reason: string | null = null, more = {}): string =>
  `data: ${JSON.stringify({ id: "cmpl-1", object: "text_completion", created: 1, model: "gpt-3.5-turbo-instruct", choices: [{ text, index, logprobs: null, finish_reason }], ...more })}\n\n`;
const usageChunk = `data: ${JSON.stringify({ id: "cmpl-1", object: "text_completion", created: 1, model: "gpt-3.5-turbo-instruct", choices: [], usage: USAGE })}\n\n`;
const DONE = "data: [DONE]\n\n";
const WIRE = chunk("On", 0) + chunk("Tw", 1) + chunk("e", 0, "stop") + chunk("o", 1, "length");

describe("the official client", () => {
  test(verifies("1.tag-completions", "completes several prompts, several times each, with echo"), async () => {
    const answer = await clientOf(api).completions.create({ model: "sandbox-echo", prompt: ["One", "Two"], n: 2, echo: true });
    expect(answer).toMatchObject({ object: "text_completion", model: "sandbox-echo", usage: { prompt_tokens: 2, completion_tokens: 3 } });
    expect(answer.choices.map(({ index, text, finish_reason }) => [index, text, finish_reason])).toEqual([
      [0, "OneOne", "stop"],
      [1, "OneOne", "stop"],
      [2, "TwoTwo", "stop"],
      [3, "TwoTwo", "stop"],
    ]);
  });
  test(verifies("D6.usage", "gets a stream, with usage when it asks for it"), async () => {
    const streamed = async (more: object) => {
      const chunks = [];
      const ask = { model: "sandbox-echo", prompt: ["One two", "three"], stream: true as const, ...more };
      for await (const part of await clientOf(api).completions.create(ask)) chunks.push(part);
      return chunks;
    };
    const chunks = await streamed({});
    const textOf = (index: number) =>
      chunks.flatMap(({ choices }) => choices.filter((choice) => choice.index === index).map(({ text }) => text)).join("");
    expect([textOf(0), textOf(1), chunks.some(({ usage }) => usage)]).toEqual(["One two", "three", false]);
    expect((await streamed({ stream_options: { include_usage: true } })).at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 6 } });
  });
  test("is told when a stream ends before the answer is complete, and when it fails", async () => {
    const read = async (): Promise<void> => {
      for await (const _ of await clientOf(api, api.replayed).completions.create({ model: "m", prompt: "a", stream: true })) void _;
    };
    api.upstream.answer(sseAnswer(chunk("On", 0)));
    await expect(read()).rejects.toThrow(/before the answer was complete/);
    api.upstream.answer(sseAnswer(`data: {"error":{"message":"too many","type":"rate_limit_error","code":null}}\n\n`));
    expect(await failureOf(read())).toMatchObject({ status: 429, type: "rate_limit_error" });
  });
});

describe("what passes", () => {
  test(verifies("D7.1.completion-passes", "a whole answer and its request, byte for byte, log probabilities among them"), async () => {
    const wire = JSON.stringify(
      { id: "cmpl-1", x_new: 1, choices: [{ text: "a", index: 0, logprobs: LOGPROBS, finish_reason: "stop" }], usage: USAGE },
      null,
      1,
    );
    api.upstream.answer(jsonAnswer(wire));
    const body = { prompt: [[1, 2], [3]], logprobs: 1, suffix: "!", best_of: 3, x_tomorrow: { deep: [1] } };
    const answer = await complete(api.replayed, body);
    expect(answer.text).toBe(wire);
    expect(api.upstream.received.at(-1)?.json()).toEqual({ model: "gpt-3.5-turbo-instruct", ...body });
    expect(await loggedOf(api, answer)).toMatchObject({
      response: JSON.parse(wire),
      metrics: { req_units: 5, res_units: 7, total_units: 12 },
    });
  });
  test("a stream, byte for byte; the usage that only the gateway asked for is counted and not shown", async () => {
    api.upstream.answer(sseAnswer(WIRE + usageChunk + DONE));
    const answer = await complete(api.replayed, { stream: true });
    expect(answer.text).toBe(WIRE + DONE);
    expect(api.upstream.received.at(-1)?.json()).toMatchObject({ stream_options: { include_usage: true } });
    expect(await loggedOf(api, answer)).toMatchObject({ metrics: { req_units: 5, res_units: 7, total_units: 12 } });
    expect((await complete(api.replayed, { stream: true, stream_options: { include_usage: true } })).text).toBe(WIRE + usageChunk + DONE);
  });
  test("an answer that is whole though a stream was asked for is streamed", async () => {
    api.upstream.answer(jsonAnswer({ id: "cmpl-1", choices: [{ text: "a", index: 0, finish_reason: "length" }], usage: USAGE }));
    const frames = (await complete(api.replayed, { stream: true })).text.split("\n\n");
    expect(JSON.parse(frames[0]?.slice(6) ?? "")).toMatchObject({ object: "text_completion", choices: [{ text: "a", index: 0 }] });
    expect(frames.at(-2)).toBe("data: [DONE]");
  });
  test("tokens are estimated where the provider reports none", async () => {
    api.upstream.answer(jsonAnswer({ id: "cmpl-1", choices: [{ text: "one two three", index: 0, finish_reason: "stop" }] }));
    const { metrics } = await loggedOf(api, await complete(api.replayed, { prompt: "four five" }));
    expect([at(metrics, "req_units"), at(metrics, "res_units")]).toEqual([2, 3]);
  });
});

describe("guardrails", () => {
  test(verifies("D7.1.completion-guarded", "deny a prompt, whatever its form, before the provider is asked"), async () => {
    const before = api.upstream.received.length;
    for (const more of [{ prompt: "a secret" }, { prompt: ["fine", "a secret"] }, { suffix: "a secret" }])
      bodyOf(await complete(denying(api.replayed, "input", "secret"), more), 446);
    expect(api.upstream.received.length).toBe(before);
  });
  test(verifies("D7.1.completion-guarded", "deny an answer, whole and streamed"), async () => {
    const headers = denying(SANDBOX, "output", "secret");
    for (const stream of [false, true]) {
      const denied = await complete(headers, { model: "m", prompt: ["a secret", "fine"], stream });
      expect(at(bodyOf(denied, 446), "error", "type")).toBe("hooks_failed");
      expect(await complete(headers, { model: "m", prompt: "fine", stream })).toMatchObject({ status: 200 });
    }
  });
});

test(verifies("D7.1.completion-refused", "a provider without text completions is refused by its name; nothing is translated"), async () => {
  for (const provider of ["anthropic", "google", "groq", "deepseek"])
    expect(at(bodyOf(await complete({ "x-gateway-provider": provider }, {}), 400), "error", "message")).toContain(provider);
});
test.each([
  ["n", { n: 0 }],
  ["prompt", { prompt: [] }],
  ["best_of", { best_of: 21 }],
])("a wrong member %s is named", async (param, body) =>
  expect(at(bodyOf(await complete(SANDBOX, body), 400), "error", "param")).toBe(param),
);
