/** Checks at work on requests and answers. */
import { describe, expect, test } from "bun:test";
import { jsonAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { type Answer, chat } from "../process.ts";
import { at, bodyOf, forAll, type Json, logOf, SANDBOX } from "./api.ts";

const api = forAll();

type Side = "input" | "output";
interface CheckRequest {
  readonly side?: Side;
  readonly guard?: Json;
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
}
/** Asks the echo with one check written into the config. */
const guarded = (
  check: string,
  parameters: Json,
  text: string,
  { side = "input", guard = { deny: true }, body = {}, headers = {} }: CheckRequest = {},
): Promise<Answer> => {
  const config = { provider: "sandbox", [`${side}_guardrails`]: [{ ...guard, [check]: parameters }] };
  return chat(
    api.gateway,
    { messages: [{ role: "user", content: text }], ...body },
    { "x-gateway-config": JSON.stringify(config), ...headers },
  );
};
const results = (answer: Answer, side: Side = "input"): readonly Json[] =>
  (at(answer.json, "hook_results", side === "input" ? "before_request_hooks" : "after_request_hooks") ?? []) as readonly Json[];
const data = (answer: Answer): unknown => at(results(answer)[0], "checks", 0, "data");

/** Check, parameters, a text that passes, a text that fails. */
type Row = readonly [name: string, check: string, parameters: Json, passes: string, fails: string, asking?: CheckRequest];
const ROWS: readonly Row[] = [
  [verifies("2.6.regex", "regexMatch passes what matches the rule"), "default.regexMatch", { rule: "^h.llo$" }, "hello", "goodbye"],
  ["regexMatch with not turns it around", "default.regexMatch", { rule: "secret", not: true }, "hello", "my secret"],
  [
    verifies("2.6.sentences", "sentenceCount passes between minSentences and maxSentences"),
    "default.sentenceCount",
    { minSentences: 1, maxSentences: 2 },
    "One. Two.",
    "No end",
  ],
  ["sentenceCount with not", "default.sentenceCount", { minSentences: 1, not: true }, "No end", "One."],
  [
    verifies("2.6.words", "wordCount passes between minWords and maxWords"),
    "default.wordCount",
    { minWords: 2, maxWords: 3 },
    "two words",
    "one",
  ],
  ["wordCount with not", "default.wordCount", { minWords: 2, not: true }, "one", "two words"],
  [
    verifies("2.6.characters", "characterCount passes between minCharacters and maxCharacters"),
    "default.characterCount",
    { minCharacters: 2, maxCharacters: 3 },
    "abc",
    "abcd",
  ],
  ["characterCount with not", "default.characterCount", { maxCharacters: 3, not: true }, "abcd", "abc"],
  [
    verifies("2.6.json-schema", "jsonSchema passes JSON that follows the schema"),
    "default.jsonSchema",
    { schema: { type: "object", required: ["a"] } },
    '{"a":1}',
    '{"b":1}',
  ],
  ["jsonSchema with not", "default.jsonSchema", { schema: { type: "object", required: ["a"] }, not: true }, '{"b":1}', '{"a":1}'],
  [
    verifies("2.6.json-keys", "jsonKeys passes with any of the keys unless told otherwise"),
    "default.jsonKeys",
    { keys: ["a", "b"] },
    '{"a":1}',
    '{"c":1}',
  ],
  ["jsonKeys with all", "default.jsonKeys", { keys: ["a", "b"], operator: "all" }, '{"a":1,"b":2}', '{"a":1}'],
  ["jsonKeys with none", "default.jsonKeys", { keys: ["a", "b"], operator: "none" }, '{"c":1}', '{"a":1}'],
  [
    verifies("2.6.contains", "contains passes with any of the words unless told otherwise"),
    "default.contains",
    { words: ["cat", "dog"] },
    "a cat",
    "a bird",
  ],
  ["contains with all", "default.contains", { words: ["cat", "dog"], operator: "all" }, "cat and dog", "a cat"],
  ["contains with none", "default.contains", { words: ["cat", "dog"], operator: "none" }, "a bird", "a cat"],
  [
    verifies("2.6.contains-code", "containsCode passes a block of that format"),
    "default.containsCode",
    { format: "SQL" },
    "```sql\nselect 1\n```",
    "```python\n1\n```",
  ],
  ["containsCode with not", "default.containsCode", { format: "SQL", not: true }, "```python\n1\n```", "```sql\nselect 1\n```"],
  [verifies("2.6.ends-with", "endsWith passes what ends with the suffix"), "default.endsWith", { suffix: "!" }, "stop!", "stop"],
  ["endsWith with not", "default.endsWith", { suffix: "!", not: true }, "stop", "stop!"],
  [verifies("2.6.uppercase", "alluppercase passes capitals"), "default.alluppercase", {}, "HELLO", "Hello"],
  ["alluppercase with not", "default.alluppercase", { not: true }, "Hello", "HELLO"],
  ["isAllLowerCase passes small letters", "default.isAllLowerCase", {}, "hello", "Hello"],
];

describe("a check on the request", () => {
  test.each(ROWS)("%s", async (_, check, parameters, passes, fails) => {
    const passed = await guarded(check, parameters, passes);
    expect({ status: passed.status, verdict: results(passed)[0]?.["verdict"] }).toEqual({ status: 200, verdict: true });
    const failed = await guarded(check, parameters, fails);
    expect({ status: failed.status, verdict: results(failed)[0]?.["verdict"] }).toEqual({ status: 446, verdict: false });
  });
  test(verifies("2.6.models", "modelWhitelist passes the models on its list"), async () => {
    const parameters = { models: ["echo", "other"] };
    expect((await guarded("default.modelWhitelist", parameters, "x")).status).toBe(200);
    expect((await guarded("default.modelWhitelist", parameters, "x", { body: { model: "sandbox-text" } })).status).toBe(446);
  });
  test(verifies("2.6.metadata-keys", "requiredMetadataKeys wants all keys unless it says any or none"), async () => {
    const status = async (operator: Json, sent: Json): Promise<number> =>
      (
        await guarded("default.requiredMetadataKeys", { metadataKeys: ["team", "env"], ...operator }, "x", {
          headers: { "x-gateway-metadata": JSON.stringify(sent) },
        })
      ).status;
    const [both, one, neither] = [{ team: "a", env: "b" }, { team: "a" }, { other: "c" }];
    expect([await status({}, both), await status({}, one)]).toEqual([200, 446]);
    expect([await status({ operator: "any" }, one), await status({ operator: "any" }, neither)]).toEqual([200, 446]);
    expect([await status({ operator: "none" }, neither), await status({ operator: "none" }, one)]).toEqual([200, 446]);
  });
  test("allowedRequestTypes judges what kind of request it is", async () => {
    expect((await guarded("default.allowedRequestTypes", { allowedTypes: ["chatComplete"] }, "x")).status).toBe(200);
    expect((await guarded("default.allowedRequestTypes", { allowedTypes: ["embed"] }, "x")).status).toBe(446);
    expect((await guarded("default.allowedRequestTypes", { blockedTypes: ["chatComplete"] }, "x")).status).toBe(446);
  });
  test(verifies("8.counts", "has the documented maxima when it says none"), async () => {
    expect(data(await guarded("default.sentenceCount", {}, "One."))).toMatchObject({ minCount: 0, maxCount: 99999, not: false });
    expect(data(await guarded("default.wordCount", {}, "One."))).toMatchObject({ minWords: 0, maxWords: 99999, not: false });
    expect(data(await guarded("default.characterCount", {}, "One."))).toMatchObject({
      minCharacters: 0,
      maxCharacters: 9999999,
      not: false,
    });
  });
});

describe("the webhook check", () => {
  const hook = (parameters: Json = {}, guard?: Json): Promise<Answer> =>
    guarded("default.webhook", { webhookURL: `${api.upstream.url}/hook`, ...parameters }, "judge me", { ...(guard && { guard }) });

  test(verifies("2.6.webhook", "asks the URL with its headers and does what the answer says"), async () => {
    api.upstream.answer(jsonAnswer({ verdict: true }));
    expect((await hook({ headers: { "x-hook-token": "t1" } })).status).toBe(200);
    expect(api.upstream.received.at(-1)?.headers.get("x-hook-token")).toBe("t1");
    expect(api.upstream.received.at(-1)?.json()).toMatchObject({ request: { text: "judge me" }, eventType: "beforeRequestHook" });
    api.upstream.answer(jsonAnswer({ verdict: false }));
    expect((await hook()).status).toBe(446);
  });
  test(verifies("8.webhook-timeout", "waits 3000 ms unless told otherwise"), async () => {
    api.upstream.answer(jsonAnswer({ verdict: true }));
    expect(data(await hook())).toMatchObject({ requestContext: { timeout: 3000 } });
    api.upstream.answer({ body: "{", ends: "hang" });
    const late = await hook({ timeout: 50 });
    expect(at(results(late)[0], "checks", 0, "error", "name")).toBe("Timeout error");
  });
  test("an error of the webhook passes, unless failOnError", async () => {
    api.upstream.answer(jsonAnswer({}, { status: 500 }));
    expect((await hook()).status).toBe(200);
    expect((await hook({ failOnError: true })).status).toBe(446);
  });
});

describe("what a guardrail does", () => {
  test(verifies("1.guardrails-input", "a denied request is answered 446 and never reaches the provider"), async () => {
    const before = api.upstream.received.length;
    const config = {
      provider: "openai",
      custom_host: `${api.upstream.url}/v1`,
      api_key: "k",
      input_guardrails: [{ deny: true, "default.wordCount": { maxWords: 1 } }],
    };
    const answer = await chat(
      api.gateway,
      { messages: [{ role: "user", content: "two words" }] },
      { "x-gateway-config": JSON.stringify(config) },
    );
    expect(bodyOf(answer, 446)).toMatchObject({
      error: { type: "hooks_failed", param: null, code: null },
      hook_results: { before_request_hooks: [{ verdict: false, deny: true }], after_request_hooks: [] },
    });
    expect(api.upstream.received.length).toBe(before);
  });
  test(verifies("1.guardrails-output", "a denied answer is answered 446, whole and streamed, and none of it is shown"), async () => {
    for (const stream of [false, true]) {
      const answer = await guarded("default.wordCount", { maxWords: 1 }, "two words", { side: "output", body: { stream } });
      expect({ stream, status: answer.status }).toEqual({ stream, status: 446 });
      expect(answer.json["choices"]).toBeUndefined();
    }
  });
  test("without deny the answer is marked 246 and complete", async () => {
    const answer = await guarded("default.wordCount", { maxWords: 1 }, "two words", { guard: { deny: false } });
    expect(bodyOf(answer, 246)).toMatchObject({
      choices: [{ message: { content: "two words" } }],
      hook_results: { before_request_hooks: [{ verdict: false }] },
    });
  });
  test("with async it judges beside the request and changes neither status nor body", async () => {
    const answer = await guarded("default.wordCount", { maxWords: 1 }, "two words", { guard: { deny: true, async: true } });
    expect(bodyOf(answer)).toMatchObject({ choices: [{ message: { content: "two words" } }] });
    const hooks = await logOf(api, String(answer.headers.get("x-gateway-trace-id")), "?type=hooks");
    expect([hooks["before_request_hooks"], hooks["after_request_hooks"]].flat()).toMatchObject([{ async: true, verdict: false }]);
  });
  test(verifies("1.guardrails-feedback", "its feedback is recorded: value, weight and metadata of success or failure"), async () => {
    const guard = {
      deny: false,
      on_success: { feedback: { value: 7, weight: 0.5, metadata: "good" } },
      on_fail: { feedback: { value: -7, weight: 2, metadata: "bad" } },
    };
    const fine = await guarded("default.wordCount", { maxWords: 1 }, "one", { guard });
    expect(results(fine)[0]).toMatchObject({
      feedback: { value: 7, weight: 0.5, metadata: { metadata: "good", successfulChecks: "default.wordCount" } },
    });
    const failed = await guarded("default.wordCount", { maxWords: 1 }, "two words", { guard });
    const hooks = await logOf(api, String(failed.headers.get("x-gateway-trace-id")), "?type=hooks");
    expect(hooks).toMatchObject({
      before_request_hooks: [{ feedback: { value: -7, weight: 2, metadata: { metadata: "bad", failedChecks: "default.wordCount" } } }],
    });
  });
  test("a saved guardrail by slug does the same as one written in place", async () => {
    const feedback = (value: number): Json => ({ feedback: { value, weight: 1, metadata: "" } });
    const { slug } = bodyOf(
      await api.admin("POST", "/v2/guardrails", {
        name: "Short",
        workspace_id: "default",
        checks: [{ id: "default.wordCount", parameters: { maxWords: 1 } }],
        actions: { deny: true, async: false, on_success: feedback(5), on_fail: feedback(-5) },
      }),
    );
    const answer = await chat(
      api.gateway,
      { messages: [{ role: "user", content: "two words" }] },
      { ...SANDBOX, "x-gateway-config": JSON.stringify({ input_guardrails: [slug] }) },
    );
    expect(bodyOf(answer, 446)).toMatchObject({
      hook_results: { before_request_hooks: [{ id: slug, feedback: { value: -5, weight: 1 } }] },
    });
  });
});
