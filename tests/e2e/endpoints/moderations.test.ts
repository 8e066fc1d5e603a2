/** POST /v1/moderations. */
import { expect, test } from "bun:test";
import { jsonAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { at, bodyOf, forAll, SANDBOX } from "./api.ts";
import { clientOf, denying, failureOf, loggedOf } from "./client.ts";

const api = forAll();
const WIRE = `{"id":"modr-1","model":"omni-moderation-latest","results":[{"flagged":false,"categories":{},"category_scores":{"hate":1.0e-5}}]}`;

test(verifies("1.tag-moderations", "the official client learns which categories a text violates"), async () => {
  const { moderations } = clientOf(api);
  const { results } = await moderations.create({ model: "sandbox-moderation", input: ["Have a nice day", "I will kill you"] });
  expect(results.map(({ flagged, categories }) => [flagged, categories.violence])).toEqual([
    [false, false],
    [true, true],
  ]);
  const parts = [
    { type: "text" as const, text: "murder" },
    { type: "image_url" as const, image_url: { url: "https://example.com/a.png" } },
  ];
  const { results: whole } = await moderations.create({ input: parts });
  expect(whole.map(({ flagged }) => flagged)).toEqual([true]);
});
test(verifies("D7.3.moderate-passes", "bodies pass byte for byte, both ways"), async () => {
  api.upstream.answer(jsonAnswer(WIRE));
  const body = { input: [{ type: "text", text: "a" }], model: "omni-moderation-latest", x_tomorrow: 1 };
  const answer = await api.data("POST", "/v1/moderations", api.replayed, body);
  expect([answer.text, api.upstream.received.at(-1)?.path, api.upstream.received.at(-1)?.json()]).toEqual([WIRE, "/v1/moderations", body]);
  expect(await loggedOf(api, answer)).toMatchObject({ request: body, response: JSON.parse(WIRE) });
});
test(verifies("D7.3.moderate-guarded", "an input guardrail reads what is to be judged"), async () => {
  const thrown = await failureOf(clientOf(api, denying(SANDBOX, "input", "secret")).moderations.create({ input: "a secret" }));
  expect(thrown).toMatchObject({ status: 446, type: "hooks_failed" });
});
test("a body without input is refused, and a provider without moderations by its name", async () => {
  expect(at(bodyOf(await api.data("POST", "/v1/moderations", SANDBOX, { model: "m" }), 400), "error", "message")).toContain("input");
  const answer = await api.data("POST", "/v1/moderations", { "x-gateway-provider": "groq" }, { input: "a" });
  expect(at(bodyOf(answer, 400), "error", "message")).toContain("groq");
});
