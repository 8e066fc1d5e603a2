/** Checks that detect in this process, through the running gateway: a denied request never leaves, a denied answer never arrives. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { verifies } from "../requirements/verifies.ts";
import { jsonAnswer, type ReplayServer, replayServer, sseAnswer } from "../kit/replay.ts";
import { ADMIN_KEY, type Answer, ask, GATEWAY_KEY, type GatewayProcess, startGateway } from "./process.ts";

type Json = Readonly<Record<string, unknown>>;
const NOISE = "sdkjfh wkejrh xcvbnq lkjhgfds qwrtplk zxcvbnm mnbvcxz hgfdsapo";
const SENTENCE = "The library opens at nine, and on Sundays it stays closed.";
const LONG = `${SENTENCE} `.repeat(2_000);

let upstream: ReplayServer;
let gateway: GatewayProcess;
beforeAll(async () => {
  upstream = replayServer();
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: new URL(upstream.url).host } });
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await upstream.close();
});

const chunk = (delta: Json, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const streamOf = (text: string): string =>
  `${chunk({ role: "assistant", content: "" })}${text
    .split(/(?<= )/)
    .map((content) => chunk({ content }))
    .join("")}${chunk({}, "stop")}data: [DONE]\n\n`;
const wholeOf = (content: string): Json => ({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
});
/** The provider answers with this text, in whichever way it is asked. */
const answers = (text: string): void =>
  upstream.answer(({ text: asked }) => (asked().includes('"stream":true') ? sseAnswer(streamOf(text)) : jsonAnswer(wholeOf(text))));

const asking = (text: string, config: Json, stream = false): Promise<Answer> =>
  ask(
    `${gateway.base}/v1/chat/completions`,
    "POST",
    GATEWAY_KEY,
    { model: "m", messages: [{ role: "user", content: text }], ...(stream && { stream }) },
    { "x-gateway-config": JSON.stringify({ provider: "openai", api_key: "k", custom_host: `${upstream.url}/v1`, ...config }) },
  );
const ENGLISH = { input_guardrails: [{ "gateway.language": { language: "eng_Latn" }, deny: true }] };
const NO_GIBBERISH = { "gateway.gibberish": {}, deny: true };

test(
  verifies("2.3.language", "a request in another language than the one asked for is denied, and never reaches the provider"),
  async () => {
    answers("Fine.");
    const before = upstream.received.length;
    const denied = await asking("Wann öffnet die Bibliothek am Sonntag, und wo kann ich parken?", ENGLISH);
    expect([denied.status, upstream.received.length - before]).toEqual([446, 0]);
    expect(JSON.stringify(denied.json["hook_results"])).toContain('"detectedLanguage":"deu_Latn"');
    expect((await asking(SENTENCE, ENGLISH)).status).toBe(200);
    expect((await asking(LONG, ENGLISH)).status).toBe(200);
  },
);

test(verifies("2.3.gibberish", "a request that is gibberish is denied, and never reaches the provider"), async () => {
  answers("Fine.");
  const before = upstream.received.length;
  expect((await asking(NOISE, { input_guardrails: [NO_GIBBERISH] })).status).toBe(446);
  expect((await asking(NOISE.repeat(1_000), { input_guardrails: [NO_GIBBERISH] })).status).toBe(446);
  expect(upstream.received.length - before).toBe(0);
  expect((await asking(LONG, { input_guardrails: [NO_GIBBERISH] })).status).toBe(200);
});

test.each([false, true])(verifies("2.3.gibberish", "an answer that is gibberish never arrives, streamed: %p"), async (stream) => {
  const config = { output_guardrails: [NO_GIBBERISH] };
  answers(NOISE);
  const denied = await asking("Hello there", config, stream);
  expect(denied.status).toBe(446);
  expect(NOISE.split(" ").filter((word) => denied.text.includes(word))).toEqual([]);
  answers(SENTENCE);
  const allowed = await asking("Hello there", config, stream);
  expect([allowed.status, allowed.text.includes("library")]).toEqual([200, true]);
});

test("a check that a text is long for judges it in another process as it does here", async () => {
  answers("Fine.");
  const many = {
    input_guardrails: [{ checks: Array.from({ length: 6 }, () => ({ id: "gateway.gibberish", parameters: {} })), deny: true }],
  };
  expect((await asking(LONG, many)).status).toBe(200);
  expect((await asking(NOISE.repeat(1_000), many)).status).toBe(446);
});

test(verifies("2.6.languages", "a guardrail that asks for a language which is none of the listed cannot be saved"), async () => {
  const save = (language: unknown): Promise<Answer> =>
    ask(`${gateway.base}/v2/guardrails`, "POST", ADMIN_KEY, {
      workspace_id: "default",
      name: `speaks ${String(language)}`,
      checks: [{ id: "gateway.language", parameters: { language } }],
      actions: {
        deny: true,
        async: false,
        on_success: { feedback: { value: 5, weight: 1, metadata: "" } },
        on_fail: { feedback: { value: -5, weight: 1, metadata: "" } },
      },
    });
  const statuses = [(await save("kan_Knda")).status, (await save("klingon")).status];
  expect(statuses).toEqual([200, 400]);
});
