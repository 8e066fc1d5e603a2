/** Records of requests that went elsewhere, kept and read beside the gateway's own. */
import { describe, expect, test } from "bun:test";
import { verifies } from "../requirements/verifies.ts";
import { bodyOf, expectError, forAll, type Json, newKey } from "./endpoints/api.ts";
import { ADMIN_KEY, type Answer, ask, GATEWAY_KEY } from "./process.ts";

const api = forAll({ ORGANISATION_HEADERS_TO_MASK: "x-always-hashed", GATEWAY_HEADER_ALIASES: "x-acme-" });
const SECRET = "sk-of-another-service-4711";
const QUESTION = { model: "gpt-4o", messages: [{ role: "user", content: "hello" }] };
const ANSWER = { id: "c", model: "gpt-4o-2024-08-06", choices: [], usage: { prompt_tokens: 12, completion_tokens: 5 } };
const recordOf = (request: Json = {}, response: Json = {}, metadata: Json = {}): Json => ({
  request: { url: "https://api.openai.com/v1/chat/completions", method: "POST", headers: { "x-a": "1" }, body: QUESTION, ...request },
  response: { status: 200, headers: {}, body: ANSWER, response_time: 345, ...response },
  metadata: { trace_id: "trace-1", span_id: "s-1", span_name: "step", env: "prod", ...metadata },
});
const insert = (body: unknown, key = GATEWAY_KEY, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  ask(`${api.gateway.base}/v1/logs`, "POST", key, body as Json, headers); // lists and what is refused travel too
const read = (id: unknown, key = ADMIN_KEY): Promise<Answer> => ask(`${api.gateway.base}/v1/logs/${String(id)}`, "GET", key);
const idsOf = (answer: Answer): readonly string[] => bodyOf(answer)["ids"] as readonly string[];
async function inserted(body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Json> {
  const [id] = idsOf(await insert(body, GATEWAY_KEY, headers));
  return bodyOf(await read(id));
}

describe("POST /v1/logs", () => {
  test(verifies("L4.1.insert", "keeps one record, which is read like the gateway's own as soon as it answers"), async () => {
    const answer = await insert(recordOf({ provider: "openai" }));
    expect(bodyOf(answer)).toEqual({ status: "success", ids: [expect.stringMatching(/^[0-9a-f-]{36}$/)] });
    const [id] = idsOf(answer);
    expect(bodyOf(await read(id))).toMatchObject({
      _id: id,
      request: { url: "https://api.openai.com/v1/chat/completions", method: "POST", headers: { "x-a": "1" }, body: QUESTION },
      response: { status: 200, responseTime: 345, body: ANSWER },
      metrics: {
        is_success: true,
        ai_org: "openai",
        ai_model: "gpt-4o-2024-08-06",
        req_units: 12,
        res_units: 5,
        cost: null,
        trace_id: "trace-1",
        span_id: "s-1",
        span_name: "step",
        "metadata.key": ["env"],
        "metadata.value": ["prod"],
      },
    });
  });
  test(verifies("L4.1.insert-many", "keeps a list of them, and says their ids in its order"), async () => {
    const ids = idsOf(await insert([recordOf({}, { status: 200 }), recordOf({}, { status: 429 }), recordOf({}, { status: 500 })]));
    const read3 = await Promise.all(ids.map(async (id) => bodyOf(await read(id))["response"] as Json));
    expect(read3.map(({ status }) => status)).toEqual([200, 429, 500]);
  });
  test("takes a record with no more than it must have", async () => {
    expect(await inserted({ request: { url: "https://a.example/x", body: {} }, response: { body: {} } })).toMatchObject({
      request: { method: "POST", body: {} },
      response: { status: 200, responseTime: 0 },
      metrics: { ai_model: null, req_units: 0 },
    });
  });
  test(verifies("L4.1.insert-masked", "masks credentials in headers and URLs, and hashes what is named sensitive"), async () => {
    const headers = {
      Authorization: `Bearer ${SECRET}`,
      "X-API-Key": SECRET,
      "x-acme-api-key": SECRET,
      "X-Always-Hashed": SECRET,
      "x-named": SECRET,
      "x-named-by-alias": SECRET,
      "x-shown": "shown",
    };
    const url = `https://user:${SECRET}@api.example/v1/x?api_key=${SECRET}&a=b`;
    const asking = { "x-gateway-sensitive-headers": "X-Named", "x-acme-sensitive-headers": "x-named-by-alias" };
    for (const [name, value] of Object.entries(asking)) {
      const record = await inserted(recordOf({ headers, url }), { [name]: value });
      const { request } = record as { readonly request: { readonly headers: Json; readonly gatewayHeaders: Json } };
      expect(request.headers).toMatchObject({ authorization: "*****", "x-api-key": "*****", "x-shown": "shown" });
      expect(request.gatewayHeaders).toEqual({ "x-acme-api-key": "*****" });
      expect(request.headers["x-always-hashed"]).toMatch(/^[0-9a-f]{64}$/);
      expect(request.headers[value.toLowerCase()]).toMatch(/^[0-9a-f]{64}$/);
      expect(JSON.stringify([record["request"], record["metrics"]]).split(SECRET).length - 1).toBe(1); // the header that nobody named
    }
  });
  test(verifies("L4.1.insert-scope", "needs the scope logs.write of a workspace's key"), async () => {
    const writer = await newKey(api, { scopes: ["logs.write"] });
    const [id] = idsOf(await insert(recordOf(), writer));
    expectError(await insert(recordOf(), await newKey(api, { scopes: ["logs.view", "completions.write"] })), 403);
    expectError(await insert(recordOf(), "nobody"), 401);
    expect((await read(id, writer)).status).toBe(403);
    expect((await read(id, await newKey(api, { scopes: ["logs.view"] }))).status).toBe(200);
  });
  test.each([
    ["nothing", {}, "request"],
    ["no record", [], null],
    ["a record without a URL", recordOf({ url: undefined }), "request.url"],
    ["a status that is none", recordOf({}, { status: 42 }), "response.status"],
    ["metadata that are no texts", recordOf({}, {}, { n: 1 }), "metadata.n"],
    ["a body that is a text", recordOf({}, { body: "x" }), "response.body"],
    ["a list whose second is wrong", [recordOf(), recordOf({ url: 1 })], "[1].request.url"],
    ["too many", Array.from({ length: 1_001 }, () => ({ request: { url: "u", body: {} }, response: { body: {} } })), null],
  ])("refuses %s, and says where", async (_, body, where) => {
    const answer = await insert(body);
    expectError(answer, 400);
    expect(answer.json).toMatchObject({ error: { param: where } });
  });
});
