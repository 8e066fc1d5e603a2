/** POST /v1/decisions. */
import { expect, test } from "bun:test";
import { jsonAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { at, bodyOf, forAll, SANDBOX } from "./api.ts";
import { denying, loggedOf } from "./client.ts";

const api = forAll();
type Body = Readonly<Record<string, unknown>>;
const decide = (headers: Readonly<Record<string, string>>, body: Body) => api.data("POST", "/v1/decisions", headers, body);
const REFUND = { type: "noul", instructions: "Is a refund due?", criteria: { true: "parcel late", false: "came in time" } };
const TEAM = { type: "choice", instructions: ["Who", "answers?"], criteria: { shipping: "parcel late", billing: null } };
const MOOD = { type: "score", instructions: { ask: "How?" }, criteria: ["angry", "calm", "happy"] };
const ASKED = { model: "sandbox-decisions", state: "parcel late, customer angry", questions: { refund: REFUND, team: TEAM, mood: MOOD } };
const WIRE = `{"model":"one-2026-09-01","answers":{"refund":{"type":"noul","noul":0.90}},"usage":{"input_tokens":12,"output_tokens":3}}`;
const COMPATIBLE = { "x-gateway-provider": "openai-compatible" };

test(verifies("1.tag-decisions", "each question is answered under its id, in the form of its type"), async () => {
  expect(bodyOf(await decide(SANDBOX, ASKED))).toEqual({
    model: "sandbox-decisions",
    answers: {
      refund: { type: "noul", noul: 0.75 },
      team: { type: "choice", choice: "shipping", probabilities: { shipping: 0.75, billing: 0.25 }, confidence: 0.75 },
      mood: {
        type: "score",
        score: 0.75,
        probabilities: { 0: 0.5, 1: 0.25, 2: 0.25 },
        legend: { 0: "angry", 1: "calm", 2: "happy" },
        confidence: 0.5,
      },
    },
    usage: { input_tokens: 4, output_tokens: 3 },
  });
});
test(verifies("D7.2.passes", "bodies pass byte for byte to a provider and back, and its tokens are counted"), async () => {
  api.upstream.answer(jsonAnswer(WIRE));
  const body = { ...ASKED, model: "one", state: { parcel: ["late"] }, x_new: 1 };
  const answer = await decide({ ...api.replayed, ...COMPATIBLE }, body);
  expect([answer.text, api.upstream.received.at(-1)?.path, api.upstream.received.at(-1)?.json()]).toEqual([WIRE, "/v1/decisions", body]);
  expect(await loggedOf(api, answer)).toMatchObject({
    request: body,
    metrics: { ai_model: "one-2026-09-01", req_units: 12, res_units: 3 },
  });
});
test(verifies("D7.2.fallback", "a second target answers where the first fails"), async () => {
  api.upstream.answer({ ...jsonAnswer("{}"), status: 500 });
  const before = api.upstream.received.length;
  const [first, second] = [{ provider: "openai-compatible", custom_host: `${api.upstream.url}/v1`, api_key: "k" }, { provider: "sandbox" }];
  const config = JSON.stringify({ strategy: { mode: "fallback" }, targets: [first, second] });
  expect(at(bodyOf(await decide({ "x-gateway-config": config }, ASKED)), "answers", "refund")).toEqual({ type: "noul", noul: 0.75 });
  expect(api.upstream.received.length).toBeGreaterThan(before);
});
test.each([
  ["a text", "a secret"],
  ["an object", { about: ["a secret"] }],
])(verifies("D7.2.guarded", "input guardrails read the state: %s"), async (_, state) => {
  bodyOf(await decide(denying(SANDBOX, "input", "secret"), { ...ASKED, state }), 446);
});
test(verifies("D7.2.changed", "a guardrail may change the state, and the provider is asked about the changed one"), async () => {
  api.upstream.answer(({ path, json }) => {
    if (path !== "/hook") return jsonAnswer(WIRE);
    const { request } = json() as { request: { json: Body } };
    return jsonAnswer({ verdict: true, transformedData: { request: { json: { ...request.json, state: "[removed]" } } } });
  });
  const target = { provider: "openai-compatible", custom_host: `${api.upstream.url}/v1`, api_key: "k" };
  const input_guardrails = [{ "default.webhook": { webhookURL: `${api.upstream.url}/hook` }, deny: true }];
  bodyOf(await decide({ "x-gateway-config": JSON.stringify({ ...target, input_guardrails }) }, ASKED));
  expect(api.upstream.received.at(-1)?.json()).toEqual({ ...ASKED, state: "[removed]" });
});
test(verifies("D7.2.unguarded", "guardrails read neither model, questions nor criteria, and no answer"), async () => {
  const questions = { secret: { ...TEAM, instructions: "a secret", criteria: { secret: "a secret" } } };
  const body = { ...ASKED, model: "secret", questions };
  bodyOf(await decide(denying(SANDBOX, "input", "secret"), body));
  bodyOf(await decide(denying(SANDBOX, "output", "secret"), body));
});
test.each<[string, Body]>([
  ["state", { questions: ASKED.questions }],
  ["state", { ...ASKED, state: 1 }],
  ["questions", { ...ASKED, questions: {} }],
  ["questions.a", { ...ASKED, questions: { a: { type: "rank", instructions: "x" } } }],
])("a wrong member %s is named", async (param, body) =>
  expect(at(bodyOf(await decide(SANDBOX, body), 400), "error", "param")).toStartWith(param),
);
test.each([
  ["a choice without options", { type: "choice", instructions: "x", criteria: {} }],
  ["a score of one level", { type: "score", instructions: "x", criteria: ["a"] }],
  ["a score of eleven levels", { type: "score", instructions: "x", criteria: Array.from({ length: 11 }, String) }],
  ["no instructions", { type: "noul" }],
])(
  verifies("D7.2.limits", "a question is refused: %s"),
  async (_, a) => void bodyOf(await decide(SANDBOX, { ...ASKED, questions: { a } }), 400),
);
