/** An answer that a request leaves behind is paid for all the same: by a fallback that goes on, and by tries that are asked again. */
import { describe, expect, test } from "bun:test";
import { jsonAnswer, type Received, type Replay, sseAnswer } from "../kit/replay.ts";
import { verifies } from "../requirements/verifies.ts";
import { at, forAll, type Json, logOf } from "./endpoints/api.ts";
import type { Answer } from "./process.ts";

const api = forAll();
/* ── two models at two prices; the first speaks of apples, which nobody is to hear ───────────────────────────── */

const [DEAR, CHEAP] = ["gpt-4o", "gpt-4o-mini"] as const;
const USAGE: Readonly<Record<string, Json>> = {
  [DEAR]: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 },
  [CHEAP]: { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 },
};
const TEXT: Readonly<Record<string, string>> = { [DEAR]: "two apples", [CHEAP]: "a pear" };
function answered(request: Received): Replay {
  const { model, stream } = request.json() as { model: string; stream?: boolean };
  const head = { id: "c", created: 1, model, usage: USAGE[model] };
  const content = TEXT[model];
  if (content === undefined) return { ...jsonAnswer({ error: { message: "It broke." } }), status: 500 };
  if (stream !== true)
    return jsonAnswer({
      ...{ ...head, object: "chat.completion" },
      choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
    });
  const chunk = (choices: readonly Json[], more: Json = {}): string =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model, choices, ...more })}\n\n`;
  const text = chunk([{ index: 0, delta: { content }, finish_reason: null }]) + chunk([{ index: 0, delta: {}, finish_reason: "stop" }]);
  return sseAnswer(`${text}${chunk([], { usage: USAGE[model] })}data: [DONE]\n\n`);
}
const guardrail = (deny: boolean) => ({ deny, "default.contains": { words: ["apple"], operator: "none" } });
const target = (model: string, more: Json = {}): Json => ({
  ...{ provider: "openai", api_key: "sk-of-the-provider", custom_host: `${api.upstream.url}/v1`, override_params: { model } },
  ...more,
});
const dear = (deny = true): Json => target(DEAR, { output_guardrails: [guardrail(deny)] });
const falling = (targets: readonly Json[], on: number): Json => ({ strategy: { mode: "fallback", on_status_codes: [on] }, targets });

function asked(config: Json, stream = false, more: Json = {}): Promise<Answer> {
  api.upstream.answer(answered);
  const body = { model: "m", max_tokens: 99, messages: [{ role: "user", content: "Hi" }], ...(stream && { stream }), ...more };
  return api.data("POST", "/v1/chat/completions", { "x-gateway-config": JSON.stringify(config) }, body);
}
async function used({ headers }: Answer) {
  const { metrics } = await logOf(api, String(headers.get("x-gateway-request-id") ?? headers.get("x-gateway-trace-id")));
  return {
    input: at(metrics, "req_units"),
    output: at(metrics, "res_units"),
    model: at(metrics, "ai_model"),
    cents: Number(at(metrics, "cost")),
  };
}
/** What one answer of a model costs. */
const centsOf = async (model: string): Promise<number> => (await used(await asked(target(model)))).cents;

describe("an answer that a fallback leaves behind", () => {
  test.each([
    [446, true, false],
    [446, true, true],
    [246, false, false],
    [246, false, true],
  ])(verifies("G.left-cost", "is counted at its own price (status %d, denies: %s, stream: %s)"), async (on, deny, stream) => {
    const cents = (await centsOf(DEAR)) + (await centsOf(CHEAP));
    const answer = await asked(falling([dear(deny), target(CHEAP)], on), stream);
    expect([answer.status, answer.headers.get("x-gateway-last-used-option-index")]).toEqual([200, "config.targets[1]"]);
    const { cents: counted, ...rest } = await used(answer);
    expect(rest).toEqual({ input: 1100, output: 550, model: CHEAP });
    expect(counted).toBeCloseTo(cents, 6);
  });
  test("is counted where it was left inside of another fallback, with the tries before it", async () => {
    const inner = falling([dear(), dear()], 446);
    const thrice = { ...dear(), retry: { attempts: 2, on_status_codes: [446] } };
    const answer = await asked(falling([inner, thrice, target(CHEAP)], 446));
    expect(await used(answer)).toMatchObject({ input: 5100, output: 2550, model: CHEAP });
  }, 30_000);
  test("is counted where every target is denied, and where the last one fails", async () => {
    expect(await used(await asked(falling([dear(), dear()], 446)))).toMatchObject({ input: 2000, output: 1000, model: DEAR });
    const answer = await asked(falling([dear(), target("broken")], 446));
    expect(answer.status).toBe(500);
    expect(await used(answer)).toMatchObject({ input: 1000, output: 500 });
  });
  test("is counted where the request ends as an error of its own", async () => {
    const config = falling([dear(), { provider: "@nobody" }], 446);
    const answer = await asked(config);
    expect(answer.status).toBe(400);
    expect(await used(answer)).toMatchObject({ input: 1000, output: 500 });
  });
  test("costs nothing where its provider was not asked, or answered with an error", async () => {
    const denied = target(DEAR, { input_guardrails: [{ deny: true, "default.contains": { words: ["Hi"], operator: "none" } }] });
    expect(await used(await asked(falling([denied, target(CHEAP)], 446)))).toMatchObject({ input: 100, output: 50 });
    expect(await used(await asked(falling([target("broken"), target(CHEAP)], 500)))).toMatchObject({ input: 100, output: 50 });
  });
});
