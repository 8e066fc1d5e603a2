/** POST /v1/rerank. */
import { expect, test } from "bun:test";
import { jsonAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { at, bodyOf, forAll, SANDBOX } from "./api.ts";
import { denying, loggedOf } from "./client.ts";

const api = forAll();
const rerank = (headers: Readonly<Record<string, string>>, body: Readonly<Record<string, unknown>>) =>
  api.data("POST", "/v1/rerank", headers, body);
const ASKED = {
  model: "sandbox-rerank",
  query: "capital of Norway",
  documents: ["Bananas are yellow.", { text: "Norway is a country." }, "Oslo is the capital of Norway."],
};
const WIRE = `{"id":"r1","object":"rerank","model":"mxbai","results":[{"index":1,"relevance_score":0.90}],"usage":{"prompt_tokens":9,"completion_tokens":0,"total_tokens":9}}`;

test(verifies("1.tag-rerank", "documents come back in the order of their relevance"), async () => {
  const { results, ...rest } = bodyOf(await rerank(SANDBOX, ASKED));
  expect(results).toEqual([
    { index: 2, relevance_score: 1 },
    { index: 1, relevance_score: expect.closeTo(1 / 3) },
    { index: 0, relevance_score: 0 },
  ]);
  expect(rest).toEqual({ id: expect.stringMatching(/^rerank-/), object: "list", model: "sandbox-rerank", usage: { search_units: 1 } });
});
test(verifies("D7.3.rerank-members", "the best few come back, with their texts, when that is asked"), async () => {
  const { results } = bodyOf(await rerank(SANDBOX, { ...ASKED, top_n: 1, return_documents: true }));
  expect(results).toEqual([{ index: 2, relevance_score: 1, document: { text: "Oslo is the capital of Norway." } }]);
});
test(
  verifies("D7.3.rerank-passes", "bodies pass byte for byte, both ways, and tokens are counted where the provider reports them"),
  async () => {
    api.upstream.answer(jsonAnswer(WIRE));
    const body = { ...ASKED, model: "mxbai", x_tomorrow: 1 };
    const answer = await rerank({ ...api.replayed, "x-gateway-provider": "together-ai" }, body);
    expect([answer.text, api.upstream.received.at(-1)?.path, api.upstream.received.at(-1)?.json()]).toEqual([WIRE, "/v1/rerank", body]);
    expect(await loggedOf(api, answer)).toMatchObject({ request: body, metrics: { req_units: 9, total_units: 9 } });
  },
);
test.each([
  ["query", { ...ASKED, query: "a secret" }],
  ["documents", { ...ASKED, documents: ["fine", { text: "a secret" }] }],
])(
  verifies("D7.3.rerank-guarded", "an input guardrail reads the %s"),
  async (_, body) => void bodyOf(await rerank(denying(SANDBOX, "input", "secret"), body), 446),
);
test.each([
  ["documents", { query: "a", documents: [] }],
  ["top_n", { ...ASKED, top_n: 0 }],
])("a wrong member %s is named", async (param, body) => expect(at(bodyOf(await rerank(SANDBOX, body), 400), "error", "param")).toBe(param));
test("a provider without rerank is refused by its name", async () =>
  expect(at(bodyOf(await rerank({ "x-gateway-provider": "openai" }, ASKED), 400), "error", "message")).toContain("openai"));
