/** What a check may ask of models, and for whom: a pack from outside the tree that asks whatever it is told. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { verifies } from "../requirements/verifies.ts";
import { at, type Json } from "./endpoints/api.ts";
import { ADMIN_KEY, ask, chat } from "./process.ts";
import { type PackGateway, startWithPack } from "./with-pack.ts";

let pack: PackGateway;
beforeAll(async () => {
  pack = await startWithPack("asks");
}, 30_000);
afterAll(() => pack.close());

const HELLO = { operation: "chatComplete", provider: "sandbox", body: { model: "m", messages: [{ role: "user", content: "Hello" }] } };

/** What came of it. */
async function asked(parameters: Json): Promise<{ readonly asker: readonly string[]; readonly answers: readonly Json[] }> {
  const config = { provider: "sandbox", input_guardrails: [{ "asks.model": { ask: HELLO, ...parameters } }] };
  const answer = await chat(pack.gateway, {}, { "x-gateway-config": JSON.stringify(config) });
  const data = at(answer.json, "hook_results", "before_request_hooks", 0, "checks", 0, "data");
  expect([answer.status, at(data, "answers")]).toEqual([200, expect.any(Array)]);
  return data as { asker: string[]; answers: Json[] }; // what the pack shows
}

test("a check asks a model, and sees of the request whose it is", async () => {
  expect(await asked({})).toMatchObject({
    asker: ["organisationId", "workspaceId"],
    answers: [{ status: 200, body: { choices: [{ message: { content: "Hello" } }] } }],
  });
});
test(verifies("G.inner.loops", "a check that does not say that it asks, asks nothing within what a check asked"), async () => {
  const made = await ask(`${pack.gateway.base}/v2/configs`, "POST", ADMIN_KEY, {
    ...{ name: "Asking again", workspace_id: "default" },
    config: { provider: "sandbox", input_guardrails: [{ "asks.model": { ask: HELLO } }] },
  });
  const { answers } = await asked({ ask: { ...HELLO, provider: undefined, config: at(made.json, "data", "slug") } });
  const within = at(answers, 0, "body", "hook_results", "before_request_hooks", 0, "checks", 0, "data", "answers");
  expect(within).toMatchObject([{ code: "INNER_NESTED" }]);
});
test(verifies("G.inner.bounds", "of 40 calls within one request 32 are asked, and the next request has its own"), async () => {
  for (let request = 0; request < 2; request += 1) {
    const { answers } = await asked({ times: 40 });
    expect(answers.map(({ status, code }) => status ?? code).toSorted()).toEqual([...Array(32).fill(200), ...Array(8).fill("INNER_BUSY")]);
  }
});

describe("what is asked", () => {
  const body = (more: Json): Json => ({ ask: { ...HELLO, body: { ...HELLO.body, ...more } } });
  test.each<[string, Json, string, string]>([
    ["a stream", body({ stream: true }), "REQUEST_INVALID", "no stream"],
    ["an operation that there is not", { ask: { ...HELLO, operation: "chat" } }, "REQUEST_INVALID", "cannot ask chat"],
    ["an operation with an id in its path", { ask: { ...HELLO, operation: "retrieveFile" } }, "REQUEST_INVALID", "cannot ask"],
    ["a body that is none of the operation's", body({ messages: "Hello" }), "REQUEST_INVALID", "messages"],
    ["for nobody", { as: { organisationId: "o", workspaceId: "w" } }, "REQUEST_INVALID", "for whom"],
    ["for somebody who may not", { as: { keyId: "k", scopes: ["models.list"] } }, "SCOPE_MISSING", "completions.write"],
    ["for an answer of five megabytes", body({ sandbox: { chunks: 1_000_000 } }), "UPSTREAM_INVALID", "larger than"],
  ])("is refused: %s", async (_, parameters, code, says) => {
    expect((await asked(parameters)).answers).toEqual([{ code, message: expect.stringContaining(says) }]);
  });
  test("for a caller that may ask is answered as to that caller", async () => {
    const as = { keyId: "k", keyName: "k", keyType: "workspace-service", userId: null, scopes: ["completions.write"] };
    const { answers } = await asked({ as: { ...as, metadata: {}, configId: null, allowConfigOverride: true } });
    expect(answers).toMatchObject([{ status: 200 }]);
  });
});
