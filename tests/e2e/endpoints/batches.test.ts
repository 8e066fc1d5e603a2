/** Batches, as the gateway passes them on. */
import { describe, expect, test } from "bun:test";
import { jsonAnswer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { type Answer, GATEWAY_KEY } from "../process.ts";
import { bodyOf, expectError, forAll, itemsOf, type Json, OPENAI_KEY, SANDBOX } from "./api.ts";

const api = forAll();
const STATES = ["validating", "failed", "in_progress", "finalizing", "completed", "expired", "cancelling", "cancelled"] as const;
const create = (body: Json, headers = SANDBOX): Promise<Answer> => api.data("POST", "/v1/batches", headers, body);
const retrieve = (id: string, headers = SANDBOX): Promise<Answer> => api.data("GET", `/v1/batches/${id}`, headers);

const seconds: unknown = expect.any(Number);
const BATCH: Json = {
  id: expect.any(String),
  object: "batch",
  endpoint: expect.any(String),
  input_file_id: expect.any(String),
  completion_window: expect.any(String),
  status: expect.stringMatching(new RegExp(`^(${STATES.join("|")})$`)),
  created_at: seconds,
};
const TIMES = [
  "created_at",
  "in_progress_at",
  "expires_at",
  "finalizing_at",
  "completed_at",
  "failed_at",
  "expired_at",
  "cancelling_at",
  "cancelled_at",
] as const;
/** Every member of 2.8, as a provider may send it. */
const WHOLE: Json = {
  id: "batch_abc",
  object: "batch",
  endpoint: "/v1/chat/completions",
  input_file_id: "file-1",
  completion_window: "24h",
  status: "failed",
  created_at: 1,
  in_progress_at: 2,
  expires_at: 3,
  finalizing_at: 4,
  completed_at: 5,
  failed_at: 6,
  expired_at: 7,
  cancelling_at: 8,
  cancelled_at: 9,
  output_file_id: "file-2",
  error_file_id: "file-3",
  request_counts: { total: 3, completed: 2, failed: 1 },
  metadata: { team: "a" },
  errors: { object: "list", data: [{ code: "c", message: "m", param: "p", line: 4 }] },
};

describe("E4: POST /v1/batches", () => {
  test(verifies("E4.create", "makes a batch of a file, with its metadata"), async () => {
    expect(bodyOf(await create({ input_file_id: "file-7", metadata: { team: "red" } }))).toMatchObject({
      ...BATCH,
      input_file_id: "file-7",
      metadata: { team: "red" },
      status: "validating",
    });
  });
  test("takes a body without metadata", async () => void bodyOf(await create({ input_file_id: "file-7" })));
  test.each<Json>([{}, { input_file_id: 7 }, { input_file_id: "f", metadata: "red" }])(
    "refuses %j",
    async (body) => void bodyOf(await create(body), 400),
  );
  test(verifies("D7.8.passes", "reaches the provider with body, path and key, and its answer comes back as it is"), async () => {
    api.upstream.answer(jsonAnswer(WHOLE));
    const sent = {
      input_file_id: "file-1",
      endpoint: "/v1/chat/completions",
      completion_window: "24h",
      metadata: { team: "a" },
      something_new: [1],
    };
    expect(bodyOf(await create(sent, api.replayed))).toEqual(WHOLE);
    const seen = api.upstream.received.at(-1);
    expect({ method: seen?.method, path: seen?.path, body: seen?.json(), key: seen?.headers.get("authorization") }).toEqual({
      method: "POST",
      path: "/v1/batches",
      body: sent,
      key: `Bearer ${OPENAI_KEY}`,
    });
  });
  test("a provider that cannot is named, with what it can", async () => {
    const answer = await create({ input_file_id: "f" }, { "x-gateway-provider": "anthropic", authorization: "Bearer k" });
    expect(answer.text).toContain("anthropic");
    bodyOf(answer, 400);
  });
});

describe("E5: GET /v1/batches/{batch_id}", () => {
  test(verifies("E5.retrieve", "gives the batch of that id"), async () =>
    expect(bodyOf(await retrieve("batch_7"))).toMatchObject({ ...BATCH, id: "batch_7" }),
  );
  test(verifies("2.8.fields", "has every field of a batch"), async () => {
    api.upstream.answer(jsonAnswer(WHOLE));
    expect(bodyOf(await retrieve("batch_abc", api.replayed))).toEqual(WHOLE);
    expect(api.upstream.received.at(-1)?.path).toBe("/v1/batches/batch_abc");
    expect(Object.keys(bodyOf(await retrieve("batch_1"))).sort()).toEqual(Object.keys(WHOLE).sort());
  });
  test(verifies("2.8.status", "has one of eight states"), async () => {
    for (const status of STATES) expect(bodyOf(await retrieve(`batch_1_${status}`))).toMatchObject({ ...BATCH, status });
  });
  test.each(STATES)(verifies("3.batch-states", "passes the state %s on"), async (status) => {
    api.upstream.answer(jsonAnswer({ ...WHOLE, status }));
    expect(bodyOf(await retrieve("batch_abc", api.replayed))).toMatchObject({ status });
  });
  test(verifies("2.data-plane-times", "has integers for its times"), async () => {
    for (const status of STATES) {
      const batch = bodyOf(await retrieve(`batch_1_${status}`));
      for (const member of TIMES)
        expect({ member, whole: batch[member] === null || Number.isInteger(batch[member]) }).toEqual({ member, whole: true });
    }
  });
  test(verifies("1.tag-batch", "has neighbours: list, cancel and output"), async () => {
    expect(bodyOf(await api.data("GET", "/v1/batches?limit=2", SANDBOX))).toMatchObject({ object: "list", has_more: true });
    expect(bodyOf(await api.data("POST", "/v1/batches/batch_1/cancel", SANDBOX))).toMatchObject({ status: "cancelling" });
    const output = await fetch(`${api.gateway.base}/v1/batches/batch_1/output`, {
      headers: { ...SANDBOX, "x-gateway-api-key": GATEWAY_KEY },
    });
    expect(
      (await output.text())
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ custom_id: "request-1" }, { custom_id: "request-2" }]);
  });
  test(verifies("D7.8.pages", "a list is paged by limit and after, which reach the provider as they were asked"), async () => {
    const idsOf = async (query: string): Promise<readonly unknown[]> =>
      itemsOf(await api.data("GET", `/v1/batches${query}`, SANDBOX)).map(({ id }) => id);
    const all = await idsOf("");
    expect(await idsOf(`?limit=1&after=${String(all[0])}`)).toEqual([all[1]]);
    api.upstream.answer(jsonAnswer({ object: "list", data: [], has_more: false }));
    bodyOf(await api.data("GET", "/v1/batches?limit=7&after=batch_9", api.replayed));
    expect(api.upstream.received.at(-1)?.path).toBe("/v1/batches?limit=7&after=batch_9");
  });
  test("an unknown id is the provider's 404 in the error body", async () => {
    const answer = await retrieve("batch_missing");
    expect(bodyOf(answer, 404)).toMatchObject({ error: { message: expect.stringContaining("batch_missing"), param: "batch_id" } });
  });
  test.each(["a%2Fb", "%3Fx=1", "a%20b", "a..b"])("an id that is %s reaches the provider as one path segment", async (id) => {
    api.upstream.answer(jsonAnswer(WHOLE));
    bodyOf(await retrieve(id, api.replayed));
    expect(api.upstream.received.at(-1)?.path).toBe(`/v1/batches/${id}`);
  });
  test.each(["..%2F..%2Fmodels", "%2e%2e%2Fmodels", "a%2F..%2F..%2Fmodels", "..%5Cmodels"])(
    "an id that would climb in the provider's paths is refused: %s",
    async (id) => {
      const before = api.upstream.received.length;
      expect((await retrieve(id, api.replayed)).status).toBe(400);
      expect(api.upstream.received.length).toBe(before);
    },
  );
  test("needs a key", async () => {
    const answer = await fetch(`${api.gateway.base}/v1/batches/batch_1`, { headers: SANDBOX });
    expect(answer.status).toBe(401);
  });
  test("the control plane has no batches", async () => expectError(await api.admin("GET", "/v2/batches/batch_1"), 404, "AB08"));
});
