/** Events that are long, or very many: reading them, and writing them anew for a client of another dialect, keeps nobody waiting. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Attacked, type Got, startAttacked } from "./attacked.ts";

let attacked: Attacked;
beforeAll(async () => {
  attacked = await startAttacked();
});
afterAll(() => attacked.stop());

const MB = 1024 * 1024;
const answered = ({ status, end }: Got): void => expect([status, status === 200 ? "" : end]).toEqual([200, ""]);
const unreadable = ({ status, end }: Got): void => {
  expect(status).toBe(502);
  expect(end).toContain("reading an event of it would hold up everybody else");
};
const tooManyLines = ({ status, end }: Got): void => {
  expect(status).toBe(502);
  expect(end).toContain("one event of its stream has more than 10000 lines");
};

describe("a transcript as events, under a guardrail", () => {
  const TRANSCRIPTS: Readonly<Record<string, { readonly make: () => string; readonly gets: (got: Got) => void }>> = {
    "300,000 events": { make: () => 'data: {"type":"transcript.text.delta","delta":"a"}\n\n'.repeat(300_000), gets: answered },
    "seven million lines": { make: () => "a\n".repeat(7e6), gets: answered },
    "two million lines without data": { make: () => "data:\n".repeat(2e6), gets: tooManyLines },
    "one event of a million objects": {
      make: () => `data: {"type":"transcript.text.delta","delta":"a","x":[${"{},".repeat(1e6)}{}]}\n\n`,
      gets: unreadable,
    },
    "one event of 10 MB": {
      make: () => `data: ${JSON.stringify({ type: "transcript.text.done", text: "some words ".repeat(MB) })}\n\n`,
      gets: answered,
    },
  };
  for (const [what, { make, gets }] of Object.entries(TRANSCRIPTS))
    test(what, async () => {
      const check = { "default.contains": { words: ["zzz"], operator: "none" } };
      const body = new FormData();
      body.set("model", "m");
      body.set("file", new Blob(["x"]), "a.wav");
      const encoded = new Response(body);
      const type = encoded.headers.get("content-type") ?? "";
      const config = { provider: "openai", api_key: "k", custom_host: attacked.upstream, output_guardrails: [{ ...check, deny: false }] };
      const sent = { path: "/v1/audio/transcriptions", body: await encoded.blob(), config, headers: { "content-type": type } };
      attacked.answers(make(), "text/event-stream");
      await attacked.quiet(what, () => attacked.send(sent), gets);
    }, 60_000);
});

describe("the events of a run, under a guardrail", () => {
  const event = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  const piece = (index: number, value: string): string =>
    event("thread.message.delta", { id: "m", delta: { content: [{ index, type: "text", text: { value } }] } });
  const of = (count: number, make: (nth: number) => string): string => Array.from({ length: count }, (_, nth) => make(nth)).join("");
  const RUNS: Readonly<Record<string, { readonly make: () => string; readonly gets: (got: Got) => void }>> = {
    "seven million lines": { make: () => "\n".repeat(7e6), gets: ({ status }) => expect(status).toBe(502) },
    "40,000 pieces of a text": { make: () => of(40_000, () => piece(0, "a")), gets: answered },
    "15,000 parts of a message": { make: () => of(15_000, (nth) => piece(nth, "a")), gets: answered },
    "a message of 10 MB": {
      make: () => event("thread.message.completed", { id: "m", content: [{ type: "text", text: { value: "some words ".repeat(1e6) } }] }),
      gets: answered,
    },
    "a call of 10,000 members": {
      make: () =>
        of(10_000, (nth) =>
          event("thread.run.step.delta", { id: "s", delta: { step_details: { tool_calls: [{ index: 0, [`n${nth}`]: 1 }] } } }),
        ),
      gets: ({ status }) => expect(status).toBe(502),
    },
    "one event of a million objects": {
      make: () => `event: thread.message.completed\ndata: {"x":[${"{},".repeat(1e6)}{}]}\n\n`,
      gets: unreadable,
    },
  };
  for (const [what, { make, gets }] of Object.entries(RUNS))
    test(what, async () => {
      const check = { "default.contains": { words: ["zzz"], operator: "none" } };
      const config = { provider: "openai", api_key: "k", custom_host: attacked.upstream, output_guardrails: [{ ...check, deny: false }] };
      attacked.answers(make(), "text/event-stream");
      const body = JSON.stringify({ assistant_id: "asst_1", stream: true });
      await attacked.quiet(what, () => attacked.send({ path: "/v1/threads/thread_1/runs", body, config }), gets);
    }, 60_000);
});

describe("one event of Gemini's", () => {
  const candidateFrame = (parts: readonly object[], more: object = {}): string =>
    `data: ${JSON.stringify({ candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }], usageMetadata: { promptTokenCount: 1 }, ...more })}\n\n`;
  const EVENTS = {
    "arguments of 15 MB": () => candidateFrame([{ functionCall: { name: "f", args: { a: "é ".repeat(5e6) } } }]),
    "arguments of 20,000 names": () =>
      candidateFrame([
        { functionCall: { name: "f", args: Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`n${at}`, at])) } },
      ]),
    "a text of 15 MB": () => candidateFrame([{ text: "é ".repeat(5e6) }]),
    "a text of 15 MB, with an id": () => candidateFrame([{ text: "é ".repeat(5e6) }], { responseId: "r1" }),
    "19,000 parts": () => candidateFrame(Array.from({ length: 19_000 }, () => ({ text: "a" }))),
    "an image of 20 MB": () => candidateFrame([{ inlineData: { mimeType: "image/png", data: "A".repeat(2e7) } }]),
    "19,000 citations": () =>
      candidateFrame([{ text: "a" }], {
        citationMetadata: { citationSources: Array.from({ length: 19_000 }, (_, at) => ({ startIndex: at })) },
      }),
  } as const;
  for (const [what, make] of Object.entries(EVENTS))
    for (const path of ["/v1/chat/completions", "/v1/messages"])
      test(`${what}, ${path}`, async () => {
        attacked.answers(make(), "text/event-stream");
        const config = { provider: "google", api_key: "k", custom_host: attacked.upstream.replace("/v1", "") };
        const body = JSON.stringify({ model: "m", max_tokens: 5, stream: true, messages: [{ role: "user", content: "x" }] });
        await attacked.quiet(`${what}, ${path}`, () => attacked.send({ path, body, config }), answered);
      }, 60_000);
});

describe("one event of chat", () => {
  const chunk = (delta: object, finish_reason: string | null = null): string =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const END = `${chunk({}, "stop")}data: [DONE]\n\n`;
  for (const path of ["/v1/chat/completions", "/v1/messages"])
    test(`of 15 MB, ${path}`, async () => {
      attacked.answers(chunk({ content: "é ".repeat(5e6) }) + END, "text/event-stream");
      const config = { provider: "openai", api_key: "k", custom_host: attacked.upstream };
      const body = JSON.stringify({ model: "m", max_tokens: 5, stream: true, messages: [{ role: "user", content: "x" }] });
      await attacked.quiet(`of 15 MB, ${path}`, () => attacked.send({ path, body, config }), answered);
    }, 60_000);
});

test("a webhook that answers 15 MB keeps nobody waiting", async () => {
  attacked.answers(`{"verdict":true,"data":[${"[],".repeat(5e6)}[]]}`, "application/json");
  const config = { provider: "sandbox", input_guardrails: [{ deny: false, "default.webhook": { webhookURL: attacked.upstream } }] };
  const body = JSON.stringify({ model: "echo", messages: [{ role: "user", content: "Hello" }] });
  await attacked.quiet("a webhook's 15 MB", () => attacked.send({ path: "/v1/chat/completions", body, config }), answered);
}, 60_000);

describe("log probabilities with many alternatives", () => {
  const token = (text: string) => ({ token: text, logprob: -0.5, bytes: [...Buffer.from(text)] });
  const tokens = (count: number, alternatives: number) =>
    Array.from({ length: count }, () => ({ ...token("word"), top_logprobs: Array.from({ length: alternatives }, () => token("other")) }));
  const chat = (count: number, alternatives: number): string =>
    JSON.stringify({
      ...{ id: "c", object: "chat.completion", created: 1, model: "m" },
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "a word" },
          logprobs: { content: tokens(count, alternatives) },
          finish_reason: "stop",
        },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    });
  const chunk = (count: number, alternatives: number): string =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: { role: "assistant", content: "a" }, logprobs: { content: tokens(count, alternatives) }, finish_reason: null }] })}\n\n`;
  const END = `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`;
  const gemini = (count: number, alternatives: number): string => {
    const candidate = () => ({ token: "word", tokenId: 1, logProbability: -0.5 });
    return JSON.stringify({
      candidates: [
        {
          content: { role: "model", parts: [{ text: "a word" }] },
          finishReason: "STOP",
          logprobsResult: {
            chosenCandidates: Array.from({ length: count }, candidate),
            topCandidates: Array.from({ length: count }, () => ({ candidates: Array.from({ length: alternatives }, candidate) })),
          },
        },
      ],
    });
  };
  const responses = {
    path: "/v1/responses",
    body: { model: "m", input: "x", include: ["message.output_text.logprobs"], top_logprobs: 20 },
  };
  const chats = {
    path: "/v1/chat/completions",
    body: { model: "m", messages: [{ role: "user", content: "x" }], logprobs: true, top_logprobs: 20 },
  };
  const compatible = { provider: "openai-compatible", api_key: "k" };
  const CASES = {
    "few tokens with 15,000 alternatives each, as a response": [compatible, responses, () => chat(16, 15_000), false],
    "10,000 tokens with 20 alternatives each, as a response": [compatible, responses, () => chat(10_000, 20), false],
    "2,000 tokens with 5 alternatives each, as a response": [compatible, responses, () => chat(2_000, 5), false],
    "chunks of 800 tokens, 15 MB in all, as a response's events": [compatible, responses, () => chunk(800, 5).repeat(40) + END, true],
    "chunks of 4,000 tokens in all, as a response's events": [compatible, responses, () => chunk(400, 5).repeat(10) + END, true],
    "one chunk of 4,000 tokens with 5 alternatives each": [compatible, responses, () => chunk(4_000, 5) + END, true],
    "10,000 tokens of Gemini's with 20 alternatives each": [{ provider: "google", api_key: "k" }, chats, () => gemini(10_000, 20), false],
    "2,000 tokens of Gemini's with 5 alternatives each": [{ provider: "google", api_key: "k" }, chats, () => gemini(2_000, 5), false],
  } as const;
  for (const [what, [target, { path, body }, make, stream]] of Object.entries(CASES))
    test(what, async () => {
      attacked.answers(make(), stream ? "text/event-stream" : "application/json");
      const host = target.provider === "google" ? attacked.upstream.replace("/v1", "") : attacked.upstream;
      const sent = { path, body: JSON.stringify({ ...body, ...(stream && { stream }) }), config: { ...target, custom_host: host } };
      await attacked.quiet(
        what,
        () => attacked.send(sent),
        ({ status, end }) => expect([200, 502], end).toContain(status),
      );
    }, 60_000);
});
