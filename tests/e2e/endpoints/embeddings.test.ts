/** POST /v1/embeddings. */
import { describe, expect, test } from "bun:test";
import { jsonAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { at, bodyOf, forAll, itemsOf, newKey, SANDBOX } from "./api.ts";
import { clientOf, denying, failureOf, loggedOf } from "./client.ts";
import { ask } from "../process.ts";

const api = forAll();
const PATH = "/v1/embeddings";
const VECTOR = [0.125, -0.5, 1];
const BASE64 = "AAAAPgAAAL8AAIA/";
const list = (embedding: unknown) => ({
  object: "list",
  data: [{ object: "embedding", index: 0, embedding }],
  model: "text-embedding-3-small",
  usage: { prompt_tokens: 1000, total_tokens: 1000 },
});

describe("the official client", () => {
  test(verifies("1.tag-embeddings", "gets vectors as numbers, whether they travel as lists or in base64"), async () => {
    const { embeddings } = clientOf(api);
    const ask = { model: "sandbox-embedding", input: ["a red fox", "a fox that is red", "taxes"], dimensions: 32 };
    const [inBase64, asLists] = [await embeddings.create(ask), await embeddings.create({ ...ask, encoding_format: "float" })];
    expect(inBase64).toEqual(asLists);
    const [fox, red, taxes] = asLists.data.map(({ embedding }) => embedding);
    const likeness = (one: number[] = [], other: number[] = []) =>
      one.reduce((sum, number, index) => sum + number * (other[index] ?? 0), 0);
    expect([fox?.length, likeness(fox, fox)]).toEqual([32, expect.closeTo(1, 5)]);
    expect(likeness(fox, red)).toBeGreaterThan(likeness(fox, taxes));
    expect(asLists.usage).toEqual({ prompt_tokens: 8, total_tokens: 8 });
  });
  test("asks for base64 and gets it from a provider that knows lists only", async () => {
    api.upstream.answer(jsonAnswer({ embeddings: [{ values: VECTOR }, { values: VECTOR }] }));
    const google = { "x-gateway-provider": "google", "x-gateway-custom-host": api.upstream.url };
    const { data } = await clientOf(api, google).embeddings.create({ model: "gemini-embedding-001", input: ["a", "b"] });
    expect(data.map(({ embedding }) => embedding)).toEqual([VECTOR, VECTOR]);
  });
  test("gets base64 from a provider that gives lists though it was asked for base64", async () => {
    api.upstream.answer(jsonAnswer(list(VECTOR)));
    const { data } = await clientOf(api, api.replayed).embeddings.create({ model: "text-embedding-3-small", input: "a" });
    expect(data[0]?.embedding).toEqual(VECTOR);
  });
});

describe("what passes", () => {
  test.each([
    ["lists", { encoding_format: "float" }, `{"data": [{"embedding":[0.10, -5e-1],"index":0}], "x_new":1}`],
    ["base64", { encoding_format: "base64" }, `{"data":[ {"embedding":"${BASE64}","index":0}],"x_new" :1}`],
    ["lists that nobody asked for in base64", {}, `{"data":[{"embedding":[1]}]}`],
    ["several vectors of one input", { encoding_format: "base64" }, `{"data":[{"embedding":[[1],[2]]}]}`],
    ["no vectors", { encoding_format: "base64" }, `{"data":[]}`],
    ["an answer of another form", { encoding_format: "base64" }, `{"data":7}`],
  ])(verifies("D7.3.embed-passes", "%s come byte for byte"), async (_, asked, wire) => {
    api.upstream.answer(jsonAnswer(wire));
    const body = { model: "text-embedding-3-small", input: [[1, 2], [3]], x_tomorrow: true, ...asked };
    expect((await api.data("POST", PATH, api.replayed, body)).text).toBe(wire);
    expect(api.upstream.received.at(-1)?.json()).toEqual(body);
  });
});

describe("what is refused", () => {
  test.each([
    ["no input", { model: "m" }, "input"],
    ["an empty list", { model: "m", input: [] }, "input"],
    ["a number", { model: "m", input: 7 }, "input"],
    ["vectors of no length", { model: "m", input: "a", dimensions: 0 }, "dimensions"],
  ])("%s, with the member's name", async (_, body, param) =>
    expect(at(bodyOf(await api.data("POST", PATH, SANDBOX, body), 400), "error", "param")).toBe(param),
  );
  test("a provider without embeddings, by its name", async () => {
    const answer = await api.data("POST", PATH, { "x-gateway-provider": "anthropic" }, { model: "m", input: "a" });
    expect(at(bodyOf(answer, 400), "error", "message")).toContain("anthropic");
  });
  test(verifies("D7.3.embed-guarded", "a text that an input guardrail denies: the provider is not asked"), async () => {
    const before = api.upstream.received.length;
    const headers = denying(api.replayed, "input", "secret");
    const thrown = await failureOf(clientOf(api, headers).embeddings.create({ model: "m", input: ["fine", "a secret"] }));
    expect(thrown).toMatchObject({ status: 446, type: "hooks_failed" });
    expect(api.upstream.received.length).toBe(before);
  });
  test("a request beyond its key's rate limit", async () => {
    const key = await newKey(api, { rate_limits: [{ type: "requests", unit: "rpm", value: 1 }] });
    const asked = () => ask(api.gateway.base + PATH, "POST", key, { model: "m", input: "a" }, SANDBOX);
    expect([(await asked()).status, (await asked()).status]).toEqual([200, 429]);
  });
});

test(verifies("D7.3.embed-unlogged", "the log has the texts, the tokens and their cost, and no vector"), async () => {
  api.upstream.answer(jsonAnswer(list(VECTOR)));
  const answer = await api.data("POST", PATH, api.replayed, { model: "text-embedding-3-small", input: "a" });
  expect(itemsOf(answer)).toHaveLength(1);
  const { request, response, metrics } = await loggedOf(api, answer);
  expect(request).toMatchObject({ input: "a" });
  expect(response).toBeUndefined();
  expect(metrics).toMatchObject({ req_units: 1000, res_units: 0, total_units: 1000 });
  expect(at(metrics, "cost")).toBeCloseTo(0.002, 6); // cents: 1,000 tokens of $0.02 a million
});
test("another target answers where one fails, each asked in its own form", async () => {
  api.upstream.answer((request) =>
    request.path.includes("batchEmbedContents")
      ? jsonAnswer({ embeddings: [{ values: VECTOR }] })
      : jsonAnswer({ error: { message: "busy" } }, { status: 503 }),
  );
  const targets = [
    { provider: "openai", custom_host: `${api.upstream.url}/v1` },
    { provider: "google", custom_host: api.upstream.url, override_params: { model: "gemini-embedding-001" } },
  ];
  const headers = { "x-gateway-config": JSON.stringify({ strategy: { mode: "fallback" }, targets }) };
  const answer = await clientOf(api, headers).embeddings.create({ model: "text-embedding-3-small", input: "a", dimensions: 3 });
  expect([answer.model, answer.data[0]?.embedding]).toEqual(["gemini-embedding-001", VECTOR]);
  expect(api.upstream.received.slice(-2).map(({ path }) => path)).toEqual([
    "/v1/embeddings",
    "/v1beta/models/gemini-embedding-001:batchEmbedContents",
  ]);
});
test("of an offline provider that is told to fail, the failure comes as it would from a real one", async () => {
  const answer = await api.data("POST", PATH, SANDBOX, { model: "sandbox-error-429", input: "a" });
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "1"]);
});
