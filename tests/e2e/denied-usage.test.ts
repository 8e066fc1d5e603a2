/** A denied answer is paid for all the same: the log has what its vendor said of it, or what was received of it, and not the denial's text. */
import { describe, expect, test } from "bun:test";
import { jsonAnswer, type Replay, sseAnswer } from "../kit/replay.ts";
import { verifies } from "../requirements/verifies.ts";
import { at, forAll, type Json, logOf } from "./endpoints/api.ts";
import type { Answer } from "./process.ts";

const api = forAll();
/** Its answer would be thrown away. */
const denying = (softly: boolean, more: Json = {}): string =>
  JSON.stringify({
    output_guardrails: [{ deny: true, soft_deny_200: softly, "default.contains": { words: ["apple"], operator: "none" } }],
    ...more,
  });
interface Asking {
  readonly stream: boolean;
  readonly softly: boolean;
  readonly provider?: string;
  readonly path?: string;
}
function asked(answer: Replay, { stream, softly, provider = "openai", path = "/v1/chat/completions" }: Asking): Promise<Answer> {
  api.upstream.answer(answer);
  const to = { provider, api_key: "sk-of-the-provider", custom_host: `${api.upstream.url}/v1` };
  const body = { model: "gpt-4o", max_tokens: 99, messages: [{ role: "user", content: "an apple" }], ...(stream && { stream }) };
  return api.data("POST", path, { "x-gateway-config": denying(softly, to) }, body);
}
/** Tokens in and out, and the model that they are of. */
async function logged({ headers }: Answer): Promise<readonly unknown[]> {
  const { metrics } = await logOf(api, String(headers.get("x-gateway-request-id")));
  return ["req_units", "res_units", "ai_model"].map((name) => at(metrics, name));
}

const MODEL = "gpt-4o-2024-08-06";
const TOLD = { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 };
const whole = (message: Json, more: Json = {}): Replay =>
  jsonAnswer({
    ...{ id: "c", object: "chat.completion", created: 1, model: MODEL },
    choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }],
    ...more,
  });
const frame = (data: Json): string => `data: ${JSON.stringify(data)}\n\n`;
const chunk = (choices: readonly Json[], more: Json = {}): string =>
  frame({ id: "c", object: "chat.completion.chunk", created: 1, model: MODEL, choices, ...more });
const streamed = (deltas: readonly Json[], usage: Json | null): Replay =>
  sseAnswer(
    [
      ...deltas.map((delta) => chunk([{ index: 0, delta, finish_reason: null }])),
      chunk([{ index: 0, delta: {}, finish_reason: "stop" }]),
      usage === null ? "" : chunk([], { usage }),
      "data: [DONE]\n\n",
    ].join(""),
  );

describe("what a denied answer used", () => {
  test.each([
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ])(verifies("G.denied-cost", "is what its vendor said (stream: %s, softly: %s)"), async (stream, softly) => {
    const said = stream ? streamed([{ content: "two apples" }], TOLD) : whole({ content: "two apples" }, { usage: TOLD });
    const answer = await asked(said, { stream, softly });
    expect(answer.status).toBe(softly ? 200 : 446);
    expect(await logged(answer)).toEqual([1000, 500, MODEL]);
  });

  const TOOL = { index: 0, id: "t", type: "function", function: { name: "f", arguments: '{"fruit":"pear"}' } };
  test.each([
    [false, false],
    [true, false],
    [false, true],
    [true, true],
  ])("is counted over its texts where its vendor said nothing (stream: %s, softly: %s)", async (stream, softly) => {
    const junk = { system_fingerprint: "f".repeat(5_000) };
    const said = stream ? streamed([{ content: "two apples" }], null) : whole({ content: "two apples" }, junk);
    expect(await logged(await asked(said, { stream, softly }))).toEqual([2, 2, MODEL]);
  });
  test("counts calls and thoughts of a stream, too", async () => {
    const said = streamed([{ reasoning_content: "one two three four" }, { content: " two apples" }, { tool_calls: [TOOL] }], null);
    expect(await logged(await asked(said, { stream: true, softly: false }))).toEqual([2, 11, MODEL]);
  });
  test("counts an answer that is too long to be kept as a text", async () => {
    const content = "apple ".repeat(400_000);
    expect(await logged(await asked(whole({ content }), { stream: false, softly: false }))).toEqual([2, 401_160, MODEL]);
  });
});
