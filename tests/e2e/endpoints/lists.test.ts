/** Lists of assistants and of vector stores and their files: their form, and their errors. */
import { describe, expect, test } from "bun:test";
import { jsonAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { ask, GATEWAY_KEY } from "../process.ts";
import { bodyOf, forAll, itemsOf, type Json, OPENAI_KEY, SANDBOX } from "./api.ts";

const api = forAll();
const FILES = "/v1/vector_stores/vs_1/files";
const LIST: Json = {
  object: "list",
  data: expect.any(Array),
  first_id: expect.any(String),
  last_id: expect.any(String),
  has_more: expect.any(Boolean),
};
const idsAt = async (path: string): Promise<readonly unknown[]> => itemsOf(await api.data("GET", path, SANDBOX)).map(({ id }) => id);
const FILE_STATES = ["in_progress", "completed", "failed", "cancelled"] as const;

const FILE: Json = {
  id: "file-9",
  object: "vector_store.file",
  usage_bytes: 123,
  created_at: 1_700_000_000,
  vector_store_id: "vs_1",
  status: "failed",
  last_error: { code: "internal_error", message: "it broke" },
  chunking_strategy: { type: "static", static: { max_chunk_size_tokens: 800, chunk_overlap_tokens: 400 } },
};
const ASSISTANT: Json = {
  id: "asst_9",
  object: "assistant",
  created_at: 1_700_000_000,
  name: "n",
  description: "d",
  model: "gpt-4o",
  instructions: "i",
  tools: [{ type: "code_interpreter" }],
  metadata: { a: "b" },
  tool_resources: { code_interpreter: { file_ids: ["file-1"] }, file_search: { vector_store_ids: ["vs_1"] } },
  temperature: 0.5,
  top_p: 0.9,
  response_format: "auto",
};
const listOf = (item: Json): Json => ({ object: "list", data: [item], first_id: item["id"], last_id: item["id"], has_more: false });

describe("E9: GET /v1/vector_stores/{vector_store_id}/files", () => {
  test(verifies("E9.list", "gives a list with first_id, last_id and has_more"), async () => {
    const answer = await api.data("GET", FILES, SANDBOX);
    expect(bodyOf(answer)).toEqual(LIST);
    expect(bodyOf(answer)).toMatchObject({
      first_id: itemsOf(answer).at(0)?.["id"],
      last_id: itemsOf(answer).at(-1)?.["id"],
      has_more: false,
    });
    expect(bodyOf(await api.data("GET", `${FILES}?limit=2`, SANDBOX))).toMatchObject({ has_more: true });
  });
  test(verifies("2.13.fields", "its items have every field of a vector store file"), async () => {
    api.upstream.answer(jsonAnswer(listOf(FILE)));
    expect(bodyOf(await api.data("GET", FILES, api.replayed))).toEqual(listOf(FILE));
    for (const item of itemsOf(await api.data("GET", FILES, SANDBOX))) {
      expect(Object.keys(item).sort()).toEqual(Object.keys(FILE).sort());
      expect(item).toMatchObject({
        object: "vector_store.file",
        vector_store_id: "vs_1",
        usage_bytes: expect.any(Number),
        created_at: expect.any(Number),
      });
    }
  });
  test.each(FILE_STATES)(verifies("3.vector-store-file-states", "passes the state %s on"), async (status) => {
    api.upstream.answer(jsonAnswer(listOf({ ...FILE, status })));
    expect(itemsOf(await api.data("GET", FILES, api.replayed))).toMatchObject([{ status }]);
  });
  test(verifies("E9.query", "order and filter reach the provider as they were asked"), async () => {
    api.upstream.answer(jsonAnswer(listOf(FILE)));
    const query = "?order=asc&filter=in_progress&limit=5&after=file%2F1&something_new=a%20b";
    bodyOf(await api.data("GET", FILES + query, api.replayed));
    const seen = api.upstream.received.at(-1);
    expect({ path: seen?.path, key: seen?.headers.get("authorization"), body: seen?.text() }).toEqual({
      path: FILES + query,
      key: `Bearer ${OPENAI_KEY}`,
      body: "",
    });
    expect(await idsAt(`${FILES}?order=asc`)).toEqual([...(await idsAt(`${FILES}?order=desc`))].reverse());
    for (const status of FILE_STATES) {
      const found = itemsOf(await api.data("GET", `${FILES}?filter=${status}`, SANDBOX));
      expect({ status, only: found.length > 0 && found.every((file) => file["status"] === status) }).toEqual({ status, only: true });
    }
  });
  test.each(["order=sideways", "filter=lost"])(
    "the sandbox refuses %s, as a provider would",
    async (query) => void bodyOf(await api.data("GET", `${FILES}?${query}`, SANDBOX), 400),
  );
  test("an unknown vector store is the provider's 404 in the error body", async () => {
    expect(bodyOf(await api.data("GET", "/v1/vector_stores/vs_missing/files", SANDBOX), 404)).toMatchObject({
      error: { param: "vector_store_id" },
    });
  });
  test(verifies("1.tag-vector-stores", "is documented under Vector Stores"), async () => {
    const paths = bodyOf(await api.data("GET", "/openapi.json"))["paths"];
    expect(paths).toMatchObject({ "/v1/vector_stores/{vector_store_id}/files": { get: { tags: ["Vector Stores"] } } });
  });
});

describe("E10: GET /v1/assistants", () => {
  test(verifies("E10.list", "gives a list with first_id, last_id and has_more"), async () =>
    expect(bodyOf(await api.data("GET", "/v1/assistants", SANDBOX))).toEqual(LIST),
  );
  test(verifies("2.12.fields", "its items have every field of an assistant"), async () => {
    api.upstream.answer(jsonAnswer(listOf(ASSISTANT)));
    expect(bodyOf(await api.data("GET", "/v1/assistants", api.replayed))).toEqual(listOf(ASSISTANT));
    for (const item of itemsOf(await api.data("GET", "/v1/assistants", SANDBOX)))
      expect(Object.keys(item).sort()).toEqual(Object.keys(ASSISTANT).sort());
  });
  test(verifies("E10.query", "order reaches the provider as it was asked"), async () => {
    api.upstream.answer(jsonAnswer(listOf(ASSISTANT)));
    bodyOf(await api.data("GET", "/v1/assistants?order=asc&limit=3&before=asst_1", api.replayed));
    expect(api.upstream.received.at(-1)?.path).toBe("/v1/assistants?order=asc&limit=3&before=asst_1");
    expect(await idsAt("/v1/assistants?order=asc")).toEqual([...(await idsAt("/v1/assistants?order=desc"))].reverse());
  });
  test("the beta header that the assistants API wants is sent", async () => {
    bodyOf(await api.data("GET", "/v1/assistants", api.replayed));
    expect(api.upstream.received.at(-1)?.headers.get("openai-beta")).toBe("assistants=v2");
  });
  test("the sandbox refuses order=sideways, as a provider would", async () =>
    void bodyOf(await api.data("GET", "/v1/assistants?order=sideways", SANDBOX), 400));
  test(verifies("1.tag-assistants", "is documented under Assistants"), async () => {
    expect(bodyOf(await api.data("GET", "/openapi.json"))["paths"]).toMatchObject({ "/v1/assistants": { get: { tags: ["Assistants"] } } });
  });
});

describe("E11: DELETE /v1/responses/{response_id}", () => {
  test(verifies("E11.delete", "deletes the response of that id"), async () => {
    expect(bodyOf(await api.data("DELETE", "/v1/responses/resp_1", SANDBOX))).toEqual({ id: "resp_1", object: "response", deleted: true });
    api.upstream.answer(jsonAnswer({ id: "resp_9", object: "response", deleted: true }));
    expect(bodyOf(await api.data("DELETE", "/v1/responses/resp_9", api.replayed))).toEqual({
      id: "resp_9",
      object: "response",
      deleted: true,
    });
    expect(api.upstream.received.at(-1)).toMatchObject({ method: "DELETE", path: "/v1/responses/resp_9" });
  });
  const FLAT: Json = {
    code: expect.any(String),
    message: expect.stringMatching(/.{10,}/),
    param: expect.any(String),
    type: expect.any(String),
  };
  test(verifies("7.flat", "its errors have code, message, param and type at the top, all strings"), async () => {
    expect(bodyOf(await api.data("DELETE", "/v1/responses/resp_missing", SANDBOX), 404)).toMatchObject(FLAT);
    api.upstream.answer(
      jsonAnswer({ error: { message: "No such response.", type: "invalid_request_error", param: null, code: null } }, { status: 404 }),
    );
    expect(bodyOf(await api.data("DELETE", "/v1/responses/resp_9", api.replayed), 404)).toMatchObject(FLAT);
    expect(bodyOf(await ask(`${api.gateway.base}/v1/responses/resp_1`, "DELETE", null, undefined, SANDBOX), 401)).toMatchObject(FLAT);
    expect(bodyOf(await api.data("DELETE", "/v1/responses/resp_1", {}), 400)).toMatchObject(FLAT);
    expect(
      bodyOf(
        await ask(`${api.gateway.base}/v1/responses/resp_1`, "DELETE", GATEWAY_KEY, undefined, { "x-gateway-provider": "anthropic" }),
        400,
      ),
    ).toMatchObject(FLAT);
  });
  test("they have the nested form that clients read beside it", async () => {
    expect(bodyOf(await api.data("DELETE", "/v1/responses/resp_missing", SANDBOX), 404)).toMatchObject({
      error: { code: "not_found", param: "response_id" },
    });
  });
  test(verifies("1.tag-responses", "is documented under Responses"), async () => {
    expect(bodyOf(await api.data("GET", "/openapi.json"))["paths"]).toMatchObject({
      "/v1/responses/{response_id}": { delete: { tags: ["Responses"] } },
    });
  });
});
