/** `gateway.moderateContent` when a model says what a text is. */
import { describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { CheckFault, type InnerAsk, type Json, type Verdict } from "#contract";
import { verifies } from "../../../tests/requirements/verifies.ts";
import moderateContent from "../checks/moderateContent.ts";

const ASKER = { organisationId: "o", workspaceId: "w" };
const asked: InnerAsk[] = [];

/** What the check says when the model answers so. */
async function judged(params: Json, answer: unknown, status = 200, text = "some text"): Promise<Verdict> {
  const check = moderateContent({
    dispatch: async (ask) => {
      asked.push(ask);
      return Response.json(answer, { status });
    },
  });
  const full = Value.Default(check.params, { model: "@guard/m", categories: ["hate"], ...params });
  const input = { params: full, side: "input", text, asker: ASKER, now: 0, timeoutMs: 5_000, signal: new AbortController().signal };
  expect([check.cost?.(full as never, 1_000_000), check.dispatches?.(full as never)]).toEqual([0, true]);
  try {
    return await check.run(input as never); // what the check reads of its input
  } catch (thrown) {
    if (!CheckFault.is(thrown)) throw thrown;
    return { verdict: "error", class: thrown.errorClass, message: thrown.message };
  }
}
const flaggedIn = async (params: Json, answer: unknown): Promise<unknown> => {
  const verdict = await judged(params, answer);
  return verdict.verdict === "error" ? verdict : (verdict.data as Json)["flaggedCategories"];
};

const NO = { hate: false, "hate/threatening": false, harassment: false, "harassment/threatening": false, "self-harm": false };
const MORE = { "self-harm/intent": false, "self-harm/instructions": false, sexual: false, "sexual/minors": false, violence: false };
const moderation = (categories: Json, category_scores: Json = {}): Json => ({
  id: "modr-1",
  model: "m",
  results: [{ flagged: true, categories: { ...NO, ...MORE, "violence/graphic": false, ...categories }, category_scores }],
});
const chat = (content: unknown): Json => ({ choices: [{ index: 0, message: { role: "assistant", content } }] });

describe("a moderation endpoint", () => {
  test(verifies("2.3.moderation-model", "is asked instead of the rules, with the text and the model's name"), async () => {
    expect(await judged({}, moderation({ hate: true }))).toMatchObject({ verdict: "deny", data: { flaggedCategories: ["hate"] } });
    expect(asked.at(-1)).toMatchObject({
      operation: "moderate",
      body: { model: "@guard/m", input: "some text" },
      by: "gateway.moderateContent",
    });
    expect(await judged({}, moderation({ violence: true, illicit: true }))).toMatchObject({ verdict: "allow" });
  });
  test("says the narrower category, and the wider with it", async () => {
    expect(await flaggedIn({ categories: ["hate", "hate/threatening"] }, moderation({ "hate/threatening": true }))).toEqual([
      "hate",
      "hate/threatening",
    ]);
  });
  test("has names of its own, which are mapped", async () => {
    const categories = { hate_and_discrimination: true, violence_and_threats: false, selfharm: true, sexual: false, pii: true };
    const answer = { results: [{ categories, category_scores: {} }] };
    expect(await flaggedIn({ categories: ["hate", "violence", "self-harm/intent"] }, answer)).toEqual(["hate", "self-harm/intent"]);
    const mapped = { categories: ["violence/graphic"], mapping: { gore: ["violence/graphic"] } };
    expect(await flaggedIn(mapped, { results: [{ categories: { gore: true } }] })).toEqual(["violence/graphic"]);
  });
  test("that has no word for a category cannot judge it", async () => {
    expect(await judged({ categories: ["sexual/minors"] }, { results: [{ categories: { selfharm: false } }] })).toMatchObject({
      verdict: "error",
      class: "config",
      message: expect.stringContaining("sexual/minors"),
    });
  });
  test("counts by its scores where a threshold says so", async () => {
    const answer = moderation({ hate: false }, { hate: 0.3 });
    expect(await flaggedIn({ threshold: 0.2 }, answer)).toEqual(["hate"]);
    expect(await flaggedIn({ threshold: 0.4 }, answer)).toEqual([]);
  });
  test.each([{}, { results: [] }, { results: [{ categories: { hate: "no" } }] }, { results: "x" }, "x"])(
    "that answers something else could not judge: %j",
    async (answer) => expect(await judged({}, answer)).toMatchObject({ verdict: "error", class: "malformed" }),
  );
});

describe("a guard model", () => {
  const guard = { answers: "guard", categories: ["hate", "sexual", "self-harm/intent"] };
  test.each<[string, readonly string[]]>([
    ["safe", []],
    ["\n\nsafe", []],
    ["unsafe\nS10", ["hate"]],
    ["unsafe\nS1,S9", []],
    ["unsafe\nS11, S4", ["sexual", "self-harm/intent"]],
    ["Unsafe S12", ["sexual"]],
    ["unsafe\nS99", []],
    ["unsafe", ["hate", "sexual", "self-harm/intent"]],
  ])(verifies("2.3.moderation-model", "answers in one word, and with codes that stand for categories: %j"), async (content, flagged) => {
    expect(await flaggedIn(guard, chat(content))).toEqual([...flagged]);
    expect(asked.at(-1)).toMatchObject({ operation: "chatComplete", body: { messages: [{ role: "user", content: "some text" }] } });
  });
  test("may have codes of its own", async () => {
    expect(await flaggedIn({ ...guard, mapping: { O3: ["hate"], S12: [] } }, chat("unsafe\nO3,S12"))).toEqual(["hate"]);
  });
  test.each([null, "", "I am not sure.", "unsafe\nbecause of hate", "safe and unsafe"])(
    "that answers %j could not judge",
    async (content) => expect(await judged(guard, chat(content))).toMatchObject({ verdict: "error", class: "budget" }),
  );
  test("without a code for a category is refused when it is saved", () => {
    const { problems, params } = moderateContent({ dispatch: () => Promise.reject(new Error("nobody is asked")) });
    const of = (given: Json) => problems?.(Value.Default(params, given) as never);
    expect(of({ ...guard, model: "@guard/m", categories: ["violence/graphic"] })?.join()).toContain("violence/graphic");
    expect(of({ ...guard, model: "@guard/m", categories: ["violence/graphic"], mapping: { S1: ["violence/graphic"] } })).toEqual([]);
    expect(of({ categories: ["hate"], model: "m" })?.join()).toContain("say whose the model is");
    expect(of({ categories: ["violence/graphic"] })).toEqual([]);
  });
});

test.each([
  [401, "auth"],
  [404, "config"],
  [400, "budget"],
  [412, "busy"],
  [429, "busy"],
  [446, "budget"],
  [500, "unavailable"],
] as const)("a model that answers %d could not judge: %s", async (status, errorClass) => {
  expect(await judged({}, { error: {} }, status)).toMatchObject({ verdict: "error", class: errorClass });
});
test("a text is asked about up to a length, and an empty one not at all", async () => {
  const before = asked.length;
  expect(await judged({}, {}, 200, "x".repeat(100_001))).toMatchObject({ verdict: "error", class: "budget" });
  expect(await judged({}, {}, 200, "  ")).toMatchObject({ verdict: "allow" });
  expect(asked).toHaveLength(before);
});
