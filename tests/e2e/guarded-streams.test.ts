/** Output guardrails over answers that are not simply 200 and whole: other good statuses, and streams that break while they are held back. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { verifies } from "../requirements/verifies.ts";
import { ask, chat, type GatewayProcess, startGateway } from "./process.ts";

const frame = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const delta = (content: string, finish: string | null = null) =>
  frame({
    id: "c",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta: { content }, finish_reason: finish }],
  });
const ANSWER = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "a bad word" }, finish_reason: "stop" }],
};
const piece = (delta: object) =>
  frame({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: null }] });
const streamed = (delta: object): Response => sse(`${piece({ role: "assistant" })}${piece(delta)}${piece({})}${END}`);
const END = `${frame({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}data: [DONE]\n\n`;
/** A message whose provider has searched by itself. */
const event = (of: { readonly type: string }): string => `event: ${of.type}\ndata: ${JSON.stringify(of)}\n\n`;
const result = { type: "web_search_result", title: "a bad word", url: "https://x.example", encrypted_content: "RXE=" };
const SEARCHED = [
  {
    type: "message_start",
    message: { id: "m", type: "message", role: "assistant", content: [], usage: { input_tokens: 1, output_tokens: 1 } },
  },
  { type: "content_block_start", index: 0, content_block: { type: "web_search_tool_result", tool_use_id: "t", content: [result] } },
  { type: "content_block_stop", index: 0 },
  { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "x" } },
  { type: "content_block_stop", index: 1 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
  { type: "message_stop" },
]
  .map(event)
  .join("");
const sse = (text: string): Response => new Response(text, { headers: { "content-type": "text/event-stream" } });
/** By the first part of the path. */
const ANSWERS: Readonly<Record<string, () => Response>> = {
  created: () => Response.json(ANSWER, { status: 201 }),
  refused: () => sse(delta("hello") + frame({ error: { message: "slow down", type: "rate_limit_error" } })),
  cut: () => sse(delta("hello")),
  spoken: () => streamed({ audio: { id: "a", transcript: "a bad word" } }),
  parts: () => streamed({ content: [{ type: "output_text", text: "a bad word" }] }),
  blocks: () => streamed({ content: "x", content_blocks: [{ index: 0, delta: { text: "a bad word" } }] }),
  pinged: () => sse(`${delta("hello")}event: ping\n${delta("a bad word")}${delta("", "stop")}data: [DONE]\n\n`),
  searched: () => sse(piece({ content: "x" }).replace('"choices"', '"search_results":[{"title":"a bad word"}],"choices"') + END),
  grounded: () =>
    sse(
      `data: ${JSON.stringify({ candidates: [{ content: { role: "model", parts: [{ text: "x" }] }, finishReason: "STOP", groundingMetadata: { webSearchQueries: ["a bad word"] } }] })}\n\n`,
    ),
  tooled: () => sse(SEARCHED),
  fine: () => sse(`${delta("hello")}${delta("", "stop")}data: [DONE]\n\n`),
};

let gateway: GatewayProcess;
let upstream: Bun.Server<undefined>;
beforeAll(async () => {
  upstream = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) => ANSWERS[new URL(url).pathname.split("/")[1] ?? ""]?.() ?? new Response(null, { status: 404 }),
  });
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: "127.0.0.1" } });
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await upstream.stop(true);
});

const to = (path: string) => ({ provider: "openai", api_key: "k", custom_host: `http://127.0.0.1:${upstream.port}/${path}` });
const guarded = (config: object) => ({
  "x-gateway-config": JSON.stringify({
    ...config,
    output_guardrails: [{ "default.contains": { words: ["bad"], operator: "none" }, deny: true }],
  }),
});

test("a good answer of another status than 200 is judged all the same", async () => {
  expect((await chat(gateway, {}, guarded(to("created")))).status).toBe(446);
});
test("an error inside a stream that is held back is the provider's error, with its own status", async () => {
  const answer = await chat(gateway, { stream: true }, guarded(to("refused")));
  expect(answer.status).toBe(429);
  expect(answer.json).toMatchObject({ error: { type: "rate_limit_error" }, provider: "openai" });
  expect((await chat(gateway, { stream: true }, guarded(to("cut")))).status).toBe(502);
  expect(gateway.output()).not.toContain("request failed inside");
});
test("nothing was sent yet, so another target answers", async () => {
  for (const path of ["refused", "cut"]) {
    const answer = await chat(gateway, { stream: true }, guarded({ strategy: { mode: "fallback" }, targets: [to(path), to("fine")] }));
    expect([answer.status, answer.headers.get("x-gateway-last-used-option-index")]).toEqual([200, "config.targets[1]"]);
    expect(answer.text).toContain("[DONE]");
  }
});

test.each(["spoken", "parts", "blocks", "pinged"])("what a client reads of a stream is judged, wherever it stands: %s", async (path) => {
  expect((await chat(gateway, { stream: true }, { "x-gateway-config": JSON.stringify(to(path)) })).text).toContain("a bad word");
  const answer = await chat(gateway, { stream: true }, guarded(to(path)));
  expect([answer.status, answer.text.includes("a bad word")]).toEqual([446, false]);
});
test(verifies("G.engine.citations", "what a text rests on is judged with it, and is not counted as words of it"), async () => {
  const gemini = { ...to("grounded"), provider: "google" };
  for (const config of [to("searched"), gemini]) {
    const denied = await chat(gateway, { stream: true }, guarded(config));
    expect([denied.status, denied.text.includes("a bad word")]).toEqual([446, false]);
    const output_guardrails = [{ "default.wordCount": { maxWords: 1 }, deny: true }];
    const counted = await chat(gateway, { stream: true }, { "x-gateway-config": JSON.stringify({ ...config, output_guardrails }) });
    expect(counted.status).toBe(200);
  }
});
test("what a provider's own tool found is judged in a stream of messages, and is changed there", async () => {
  const config = { ...to("tooled"), provider: "anthropic" };
  const asked = (guardrail: object) =>
    ask(
      `${gateway.base}/v1/messages`,
      "POST",
      gateway.gatewayKey,
      { model: "m", max_tokens: 5, stream: true, messages: [{ role: "user", content: "hi" }] },
      { "x-gateway-config": JSON.stringify({ ...config, output_guardrails: [guardrail] }) },
    );
  const denied = await asked({ "default.contains": { words: ["bad"], operator: "none" }, deny: true });
  expect([denied.status, denied.text.includes("a bad word")]).toEqual([446, false]);
  const changed = await asked({ "default.regexReplace": { rule: "bad", redactText: "***" } });
  expect([changed.status, changed.text.includes("a bad word"), changed.text.includes("a *** word")]).toEqual([200, false, true]);
  const counted = await asked({ "default.wordCount": { maxWords: 1 }, deny: true });
  expect([counted.status, counted.text]).toEqual([200, SEARCHED]);
});
