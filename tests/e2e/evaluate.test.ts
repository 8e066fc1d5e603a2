/** Guardrails tried out on bodies that the client shows: no provider is asked. */
import { beforeAll, describe, expect, test } from "bun:test";
import { jsonAnswer } from "../kit/replay.ts";
import { verifies } from "../requirements/verifies.ts";
import { bodyOf, expectError, forAll, type Json, newKey } from "./endpoints/api.ts";
import { GATEWAY_KEY, SOURCE, until } from "./process.ts";

const api = forAll();
const ask = (content: string): Json => ({ json: { messages: [{ role: "user", content }] } });
const answered = (content: string): Json => ({ json: { choices: [{ index: 0, message: { role: "assistant", content } }] } });
const noDigits: Json = { id: "default.regexMatch", parameters: { rule: "[0-9]", not: true } };
const short: Json = { id: "default.wordCount", parameters: { maxWords: 3 } };
const actions = (more: Json = {}): Json => ({
  ...{ deny: true, async: false, on_success: { feedback: { value: 5, weight: 1, metadata: "" } } },
  ...{ on_fail: { feedback: { value: -5, weight: 1, metadata: "" } }, ...more },
});
/** A workspace's key that may evaluate, and no more. */
let invoking = "";
beforeAll(async () => {
  invoking = await newKey(api, { scopes: ["guardrails.invoke"] });
});
const evaluate = (body: Json, key = invoking) =>
  api.admin("POST", "/v2/guardrails/evaluate", { event: "beforeRequestHook", request: ask("in 1999"), ...body }, key);
const found = async (body: Json): Promise<Json> => bodyOf(await evaluate(body));

describe("checks", () => {
  test(verifies("G.evaluate.checks", "say each what it found, in their order, and whether all passed"), async () => {
    const reply = await found({ checks: [noDigits, short] });
    expect(reply).toEqual({
      results: [
        {
          ...{ id: "default.regexMatch", verdict: false, error: null, transformed: false, transformed_data: null },
          ...{ data: expect.objectContaining({ regexPattern: "[0-9]" }), execution_time: expect.any(Number) },
        },
        expect.objectContaining({ id: "default.wordCount", verdict: true }),
      ],
      verdict: false,
    });
    expect(await found({ checks: [short] })).toMatchObject({ verdict: true });
  });
  test(verifies("G.evaluate.output", "judge an answer, by the operation that it is of"), async () => {
    const response = answered("it is 7");
    expect(await found({ checks: [noDigits], event: "afterRequestHook", request: ask("x"), response })).toMatchObject({ verdict: false });
    const completion = { json: { choices: [{ index: 0, text: "seven" }] } };
    const asked = { checks: [noDigits], event: "afterRequestHook", request: { json: { prompt: "x 1" } } };
    expect(await found({ ...asked, request_type: "complete", response: completion })).toMatchObject({ verdict: true });
  });
  test(verifies("G.evaluate.error", "that cannot judge say why, and count as their fail mode says"), async () => {
    const lost = { id: "default.webhook", parameters: { webhookURL: `${api.upstream.url}/nothing-here` } };
    expect(await found({ checks: [lost] })).toMatchObject({
      results: [{ verdict: false, error: { name: expect.stringContaining("error"), message: expect.any(String) } }],
      verdict: true,
    });
    const strict = { ...lost, parameters: { ...(lost.parameters as object), failOnError: true } };
    expect(await found({ checks: [strict] })).toMatchObject({ verdict: false });
  });
  test("are given metadata, the provider and headers, and no credential", async () => {
    const metadata = { team: "a" };
    const keys: Json = { id: "default.requiredMetadataKeys", parameters: { metadataKeys: ["team"] } };
    expect(await found({ checks: [keys], metadata })).toMatchObject({ verdict: true });
    expect(await found({ checks: [keys] })).toMatchObject({ verdict: false });
  });
});

describe("a saved guardrail", () => {
  test(verifies("G.evaluate.saved", "is run as it was saved, one that runs beside requests too"), async () => {
    const make = async (more: Json) =>
      bodyOf(
        await api.admin("POST", "/v2/guardrails", {
          ...{ name: "Dry run", checks: [short, noDigits], actions: actions(more), workspace_id: "default" },
        }),
      )["slug"];
    for (const more of [{}, { async: true }, { sequential: true }, { shadow: true }, { rollout_percentage: 1 }])
      expect(await found({ guardrail: await make(more) })).toMatchObject({
        results: [
          { id: "default.wordCount", verdict: true },
          { id: "default.regexMatch", verdict: false },
        ],
        verdict: false,
      });
  });
});

describe("gateway guardrails try", () => {
  const tried = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const child = Bun.spawn([...SOURCE, "guardrails", "try", ...args], {
      env: { PATH: process.env["PATH"] ?? "", GATEWAY_KEY: invoking, ...env },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [code, out, err] = await Promise.all([child.exited, new Response(child.stdout).text(), new Response(child.stderr).text()]);
    return { code, out, err };
  };
  const at = (): readonly string[] => ["--url", api.gateway.base];

  test(
    verifies("G.evaluate.command", "says what a check finds in a text, or in an answer, and ends with 1 where it would not pass"),
    async () => {
      const digits = ["default.regexMatch", "--parameters", JSON.stringify(noDigits["parameters"]), ...at()];
      expect(await tried([...digits, "--text", "none here"])).toMatchObject({
        code: 0,
        out: expect.stringContaining("default.regexMatch  passed"),
      });
      for (const side of [[], ["--answer"]])
        expect(await tried([...digits, "--text", "it is 7", ...side])).toMatchObject({
          code: 1,
          out: expect.stringContaining("would not pass"),
        });
    },
  );
  test("says what is wrong with a command line, or with what the gateway answered", async () => {
    expect(await tried(["default.wordCount", ...at()])).toMatchObject({ code: 2, err: expect.stringContaining("--text") });
    expect(await tried(["default.wordCount", "--text", "a", "--url", "http://127.0.0.1:9"])).toMatchObject({
      ...{ code: 1, err: expect.stringMatching(/^No gateway answered [^\n]*\n$/) },
    });
    expect(await tried(["pg-none", "--text", "a", ...at()])).toMatchObject({ code: 1, err: expect.stringContaining("pg-none") });
    expect(await tried(["pg-none", "--text", "a", ...at()], { GATEWAY_KEY: GATEWAY_KEY })).toMatchObject({
      ...{ code: 1, err: expect.stringContaining("guardrails.invoke") },
    });
  });
});

describe("what is not right is refused with a sentence", () => {
  test.each<[string, Json, number, string, string]>([
    ["neither checks nor a guardrail", {}, 400, "AB01", "Nothing is to be run"],
    ["both", { checks: [short], guardrail: "pg-x" }, 400, "AB01", "not both"],
    ["no answer to judge", { checks: [short], event: "afterRequestHook" }, 400, "AB01", "response is missing"],
    ["an unknown operation", { checks: [short], request_type: "chatcomplete" }, 400, "AB01", "chatComplete was probably meant"],
    ["an unknown check", { checks: [{ id: "default.wordcounts" }] }, 400, "AB01", "default.wordCount was probably meant"],
    ["wrong parameters", { checks: [{ id: "default.regexMatch", parameters: { rule: "(" } }] }, 400, "AB01", "default.regexMatch"],
    ["an unknown guardrail", { guardrail: "pg-nobody" }, 400, "AB01", "pg-nobody"],
    ["a header's name that is none", { checks: [short], request: { ...ask("x"), headers: { "a b": "c" } } }, 400, "AB01", "headers"],
    ["a header's value that is none", { checks: [short], request: { ...ask("x"), headers: { a: "b\nc" } } }, 400, "AB01", "headers"],
    ["an unknown event", { checks: [short], event: "before" }, 400, "AB01", "event"],
  ])("%s", async (_, body, status, code, says) => {
    const answer = await evaluate(body);
    expectError(answer, status, code);
    expect(answer.text).toContain(says);
  });
  test(verifies("G.evaluate.scope", "a key without guardrails.invoke"), async () => {
    expectError(await evaluate({ checks: [short] }, GATEWAY_KEY), 403, "AB03");
  });
});

test.each(["chatComplete", "complete", "embed", "messages", "createModelResponse", "imageGenerate", "rerank", "moderate", "decisions"])(
  "bodies of %s that nobody has judged are read without a crash",
  async (request_type) => {
    const odd = [
      {},
      { messages: 1 },
      { messages: [null, { content: [null, 1, { type: "text" }] }] },
      { input: [[[]], null] },
      { prompt: {} },
    ];
    for (const json of odd) {
      const answer = await evaluate({ checks: [noDigits], request_type, request: { json } });
      expect({ request_type, json, status: answer.status }).toMatchObject({ status: 200 });
      const reply = await evaluate({
        checks: [noDigits],
        request_type,
        event: "afterRequestHook",
        request: { json: {} },
        response: { json },
      });
      expect({ request_type, json, status: reply.status }).toMatchObject({ status: 200 });
    }
  },
);

describe("many evaluations", () => {
  test(verifies("G.evaluate.bounded", "are eight at once for an organisation, and others are asked to wait"), async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let asked = 0;
    api.upstream.answer(async () => {
      asked += 1;
      await released;
      return jsonAnswer({ verdict: true });
    });
    const slow = { id: "default.webhook", parameters: { webhookURL: `${api.upstream.url}/slow`, timeout: 20_000 } };
    const underWay = Array.from({ length: 8 }, () => evaluate({ checks: [slow] }));
    await until("eight are under way", () => asked === 8);
    const refused = await evaluate({ checks: [short] });
    expectError(refused, 429, "AB06");
    expect(refused.headers.get("retry-after")).toBe("1");
    release();
    for (const answer of await Promise.all(underWay)) expect(bodyOf(answer)).toMatchObject({ verdict: true });
    expect(await found({ checks: [short] })).toMatchObject({ verdict: true });
  });
  test(verifies("G.evaluate.bounded", "have at most a hundred checks"), async () => {
    const many = (count: number) => evaluate({ checks: Array.from({ length: count }, () => short) });
    expect((await many(100)).status).toBe(200);
    expectError(await many(101), 400, "AB01");
  });
});
